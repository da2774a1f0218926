import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/ground/rules/classify.ts';
import { coveredBy } from '../../src/ground/correlate/cause_index.ts';
import { DEATHS_QUIET_MS, suspected } from '../../src/ground/correlate/correlate.ts';
import { Fleet, member, trouble } from './fleet.ts';

const dead = trouble('process_crashed');
const members = (group: string, finding: Finding = dead) =>
  ['1', '2', '3'].map((id) => member(group + id, finding, { group }));
const groups = (...names: readonly string[]) => names.flatMap((name) => members(name));
const stateOf = (fleet: Fleet) => fleet.causes.map((cause) => [cause.key, cause.phase]);

describe('groups that died at once, when no more die', () => {
  it('are each over by themselves, however many they are, and a death keeps its group alone', () => {
    const fleet = new Fleet();
    fleet.step(groups('x', 'y', 'z'));
    fleet.step([...groups('x', 'y', 'z'), member('x4', dead, { group: 'x' })], DEATHS_QUIET_MS);
    expect(stateOf(fleet)).toEqual([
      ['group:x|dead', 'active'],
      ['group:y|dead', 'over'],
      ['group:z|dead', 'over'],
    ]);
  });

  it('are still covered by the incident of their group until that releases them', () => {
    const fleet = new Fleet();
    fleet.step(groups('x', 'y', 'z'));
    fleet.step(groups('x', 'y', 'z'), DEATHS_QUIET_MS);
    const [{ ref }] = members('x') as [ReturnType<typeof member>];
    expect(coveredBy(fleet.causes, ref)?.key).toBe('group:x|dead');
    expect(suspected(fleet.causes, ref)?.key).toBe('group:x|dead');
  });
});
