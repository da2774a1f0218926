import { describe, expect, it } from 'vitest';
import { withAllDown } from '../../../src/incident/lifecycle/seen.ts';
import { anIncident } from '../../support/a.ts';

const incident = anIncident({ scope: { kind: 'group', id: 'gen' }, channels: ['a'] });
const seen = (channels: readonly string[], down?: readonly string[]) => {
  const unlisted = down === undefined ? undefined : { channels: down, sinceMs: 1 };
  return { channels, sight: { unlisted } as never };
};

describe('what a page about a shared cause has to list', () => {
  it('is all that it covers, and who is down and in no list yet, each once', () => {
    expect(withAllDown(incident, seen(['a', 'b'], ['b', 'c'])).channels).toEqual(['a', 'b', 'c']);
  });

  it('is what the incident knows, where no more is seen', () => {
    expect(withAllDown(incident, seen([])).channels).toEqual(['a']);
    expect(withAllDown(incident, undefined).channels).toEqual(['a']);
  });
});
