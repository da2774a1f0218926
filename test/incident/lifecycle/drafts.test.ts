import { describe, expect, it } from 'vitest';
import { aboutOf, nextRun, openedDrafts, relapseDrafts } from '../../../src/incident/lifecycle/drafts.ts';
import { type IncidentState, newlyOpen } from '../../../src/incident/lifecycle/state.ts';
import { anIncident, aSymptom, permitTerms } from '../../support/a.ts';

const GROUP = anIncident({ scope: { kind: 'group', id: 'pull' } });

describe('what the facts of an incident are about', () => {
  it('is the incident, and its channel where it is of one', () => {
    expect(aboutOf(anIncident())).toEqual({ channel: 'news', incident: 'inc-1' });
    expect(aboutOf(GROUP)).toEqual({ channel: undefined, incident: 'inc-1' });
  });
});

describe('the next run of an incident', () => {
  it('is about the channels that it had and those that were added, each once', () => {
    const open = { ...newlyOpen(anIncident({ channels: ['a', 'b'] }), 1), runs: 2 };
    const { incident, started } = nextRun(open, ['b', 'c'], 'run-3');
    expect(incident.channels).toEqual(['a', 'b', 'c']);
    expect(started).toMatchObject({ run: 'run-3', incident: 'inc-1', fact: { type: 'run.started', attempt: 3 } });
  });
});

describe('the beginning of an incident', () => {
  it('is its opening, then the symptoms before it, each of its own channel', () => {
    const symptom = aSymptom({ at: 1, monoMs: 1 }, { channel: 'sport' });
    const drafts = openedDrafts(GROUP, [symptom]);
    expect(drafts.map(({ channel, fact }) => [channel, fact.type])).toEqual([
      [undefined, 'incident.opened'],
      ['sport', 'symptom.raised'],
    ]);
  });
});

describe('a cure that did not hold', () => {
  const past = { channel: 'news', classification: 'process_crashed', permit: permitTerms(), fingerprint: 'f' } as const;
  const state = (atMs: number) => ({ cured: [{ ...past, atMs }] }) as unknown as IncidentState;
  const drafts = (atMs: number, incident = anIncident()) =>
    relapseDrafts(state(atMs), incident, { relapseMs: 60_000, because: 'it died again' });

  it('is one of the same trouble within the time, to the millisecond', () => {
    expect(drafts(1_000_000 - 60_000)).toMatchObject([{ fact: { type: 'attempt.relapsed', fingerprint: 'f' } }]);
    expect(drafts(1_000_000 - 60_001)).toEqual([]);
  });

  it('is none of another trouble, of another channel, or of a group', () => {
    expect(drafts(1_000_000, anIncident({ classification: 'output_stalled' }))).toEqual([]);
    expect(drafts(1_000_000, anIncident({ scope: { kind: 'channel', id: 'sport' } }))).toEqual([]);
    expect(drafts(1_000_000, GROUP)).toEqual([]);
  });
});
