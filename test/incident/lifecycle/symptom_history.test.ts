import { describe, expect, it } from 'vitest';
import { SymptomHistory } from '../../../src/incident/lifecycle/symptom_history.ts';
import { aSymptom } from '../../support/a.ts';

const at = (monoMs: number) => ({ at: monoMs, monoMs });
const NEWS = { kind: 'channel', id: 'news' } as const;

describe('the symptoms before an incident', () => {
  it('are written into the incident once for each kind, channel and origin', () => {
    const history = new SymptomHistory();
    expect(history.add(aSymptom(at(1)), 'inc-1')).toBe(true);
    expect(history.add(aSymptom(at(2)), 'inc-1')).toBe(false);
    expect(history.add(aSymptom(at(3), { origin: 'probe' }), 'inc-1')).toBe(true);
    expect(history.add(aSymptom(at(4), { channel: 'sport' }), 'inc-1')).toBe(true);
    expect(history.add(aSymptom(at(5)), 'inc-2')).toBe(true);
  });

  it('are written once also where thousands are in trouble: their lines go on, and each write holds the loop', () => {
    const history = new SymptomHistory();
    const channels = Array.from({ length: 3_000 }, (_, index) => `c${index}`);
    const writes = () => channels.filter((channel) => history.add(aSymptom(at(1), { channel }), `inc-${channel}`));
    expect(writes()).toHaveLength(3_000);
    expect(writes()).toHaveLength(0);
  });

  it('changes nothing outside an incident, and is remembered all the same', () => {
    const history = new SymptomHistory();
    expect(history.add(aSymptom(at(1)), undefined)).toBe(false);
    expect(history.before(NEWS, [], 10)).toHaveLength(1);
  });

  it('reaches back a minute, and not a millisecond longer', () => {
    const history = new SymptomHistory();
    history.add(aSymptom(at(1_000)), undefined);
    expect(history.before(NEWS, [], 61_000)).toHaveLength(1);
    expect(history.before(NEWS, [], 61_001)).toEqual([]);
  });

  it('keeps the newest of each kind, of the channels asked for, oldest first', () => {
    const history = new SymptomHistory();
    history.add(aSymptom(at(30), { kind: 'process_crash' }), undefined);
    history.add(aSymptom(at(10)), undefined);
    history.add(aSymptom(at(20)), undefined);
    history.add(aSymptom(at(25), { channel: 'sport' }), undefined);
    expect(history.before(NEWS, [], 40).map(({ monoMs }) => monoMs)).toEqual([20, 30]);
    const group = { kind: 'group', id: 'g' } as const;
    expect(history.before(group, ['news', 'sport'], 40).map(({ monoMs }) => monoMs)).toEqual([20, 25, 30]);
  });

  it('lists at most twelve of a shared cause, the newest', () => {
    const history = new SymptomHistory();
    const channels = Array.from({ length: 20 }, (_, index) => `c${index}`);
    for (const [index, channel] of channels.entries()) history.add(aSymptom(at(index), { channel }), undefined);
    const before = history.before({ kind: 'group', id: 'g' }, channels, 100);
    expect([before.length, before[0]!.monoMs, before.at(-1)!.monoMs]).toEqual([12, 8, 19]);
  });

  it('forgets what is harmless at once', () => {
    const history = new SymptomHistory();
    expect(history.add(aSymptom(at(1), { kind: 'benign_noise' }), 'inc-1')).toBe(false);
    expect(history.before(NEWS, [], 10)).toEqual([]);
  });
});
