import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/ground/rules/classify.ts';
import { coveredBy, DEATHS_QUIET_MS, suspected } from '../../src/ground/correlate/correlate.ts';
import { Fleet, member, trouble, WELL } from './fleet.ts';

const dead = trouble('process_crashed');
const members = (group: string, finding: Finding = dead) =>
  ['1', '2', '3'].map((id) => member(group + id, finding, { group }));
const groups = (...names: readonly string[]) => names.flatMap((name) => members(name));
const each = (fleet: Fleet) => fleet.causes.map((cause) => [cause.key, cause.phase, cause.each === true]);

describe('groups that died at once, when no more die', () => {
  it('are started channel by channel where there are three of them, and each by itself where there are two', () => {
    const three = new Fleet();
    three.step(groups('x', 'y', 'z'));
    expect(each(three).map(([, , one]) => one)).toEqual([false, false, false]);
    three.step(groups('x', 'y', 'z'), DEATHS_QUIET_MS);
    expect(each(three)).toEqual(['x', 'y', 'z'].map((name) => [`group:${name}|dead`, 'over', true]));
    const two = new Fleet();
    two.step(groups('x', 'y'));
    two.step(groups('x', 'y'), DEATHS_QUIET_MS);
    expect(each(two)).toEqual(['x', 'y'].map((name) => [`group:${name}|dead`, 'over', false]));
  });

  it('do not count those that play again, nor what died of a cause with a name', () => {
    const fleet = new Fleet();
    fleet.step(groups('x', 'y', 'z'));
    fleet.step([...groups('x', 'y'), ...members('z', WELL)], DEATHS_QUIET_MS);
    expect(each(fleet).some(([, , one]) => one)).toBe(false);
    const down = trouble('upstream_unavailable');
    const elsewhere = new Fleet();
    elsewhere.step(groups('x', 'y', 'z'));
    elsewhere.step([...groups('x', 'y'), ...members('z', down)], DEATHS_QUIET_MS);
    expect(each(elsewhere)).toContainEqual(['group:z|dead', 'over', false]);
    expect(each(elsewhere)).toContainEqual(['group:x|dead', 'over', false]);
    const outage = new Fleet();
    outage.step(['x', 'y', 'z'].flatMap((name) => members(name, down)));
    outage.step(groups('x', 'y', 'z'), DEATHS_QUIET_MS);
    expect(each(outage)).toEqual(['x', 'y', 'z'].map((name) => [`group:${name}|upstream`, 'over', false]));
  });

  it('stay so when one after the other plays, and a group that dies anew is contained again', () => {
    const fleet = new Fleet();
    fleet.step(groups('x', 'y', 'z'));
    fleet.step(groups('x', 'y', 'z'), DEATHS_QUIET_MS);
    fleet.step([...groups('x'), ...members('y', WELL), ...members('z', WELL)], 1_000);
    expect(each(fleet)).toContainEqual(['group:x|dead', 'over', true]);
    fleet.step([...groups('x'), member('x4', dead, { group: 'x' })], 1_000);
    expect(each(fleet)).toContainEqual(['group:x|dead', 'active', true]);
  });

  it('are still spoken for by their group: only its incident gives them up', () => {
    const fleet = new Fleet();
    fleet.step(groups('x', 'y', 'z'));
    fleet.step(groups('x', 'y', 'z'), DEATHS_QUIET_MS);
    const [{ ref }] = members('x') as [ReturnType<typeof member>];
    expect(coveredBy(fleet.causes, ref)?.key).toBe('group:x|dead');
    expect(suspected(fleet.causes, ref)?.key).toBe('group:x|dead');
  });
});
