import { describe, expect, it } from 'vitest';
import type { ProcessSample, Sample } from '../../../src/core/sample.ts';
import { Proofs } from '../../../src/simulation/invariants/proofs.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

/** The trouble began at second 100. */
const SINCE = 100_000;

/** The proofs of group `g0`, whose channels are `ch0` and `ch1` on `e0`. Times are in milliseconds. */
function proofs() {
  const world = oracleEnvironment(2);
  const oracle = new Proofs(world.context);
  const saw = (kind: string, monoMs: number, with_: object): void => {
    world.at(monoMs);
    oracle.seen({ kind, monoMs, channel: 'ch0', engine: 'e0', ok: true, ...with_ } as unknown as Sample);
  };
  const process = (monoMs: number, state: string, with_: Partial<ProcessSample> = {}) =>
    saw('process', monoMs, { state, generation: '1', stoppedOnPurpose: false, ...with_ });
  const source = (monoMs: number, ok: boolean, channel = 'ch0') => saw('source', monoMs, { ok, channel });
  const engine = (monoMs: number, ok: boolean, poolPressure?: number) => saw('engine', monoMs, { ok, poolPressure });
  const segment = (monoMs: number, mediaSequence: number | undefined, with_: object = {}) =>
    saw('playlist', monoMs, { mediaSequence, ...with_ });
  const missing = (nowMs: number, group = 'g0') => oracle.missing(group, { nowMs, sinceMs: SINCE });
  const missingFor = (nowMs: number, starts: string) => oracle.missing('g0', { nowMs, sinceMs: SINCE, starts });
  return { ...world, oracle, process, source, engine, segment, missing, missingFor };
}
/** `ch0` plays and then dies at this moment. */
const died = (atMs: number, { process } = proofs()) => {
  process(atMs - 1_000, 'running');
  process(atMs, 'exited');
};

describe('a sample that comes after a later one of its kind', () => {
  it('is no death, and says only that an answer was missing, until Reeve begins anew', () => {
    const world = proofs();
    died(SINCE, world);
    world.process(101_000, 'running', { generation: '2' });
    world.process(100_999, 'exited');
    for (const ms of [103_000, 113_000]) world.source(ms, true);
    expect(world.missing(113_001)).toBeUndefined();
    world.source(112_999, false);
    expect(world.missing(113_002)).toMatch(/the source of ch0/);
    world.oracle.entry(world.entry({ type: 'reeve.started' }));
    world.process(50_000, 'running');
    world.process(60_000, 'exited');
    expect(world.missing(61_000)).toMatch(/death|died|ago/);
  });
});

describe('the source of a channel that fails', () => {
  /** `ch1` dies at second 110, and its source answers as told; since when `ch0` is dead, whose source fails now. */
  const withOneThatFails = ({ ch0DiedMs = SINCE, othersAnswer = true } = {}) => {
    const world = proofs();
    died(ch0DiedMs, world);
    for (const [monoMs, state] of [
      [109_000, 'running'],
      [110_000, 'exited'],
    ] as const)
      world.process(monoMs, state, { channel: 'ch1' });
    for (const ms of [112_000, 114_000]) world.source(ms, othersAnswer, 'ch1');
    world.source(119_000, false);
    return world;
  };

  it('names no shared cause alone while that of another in the group answers, and does where none does', () => {
    expect(withOneThatFails().missing(120_000)).toBeUndefined();
    expect(withOneThatFails({ othersAnswer: false }).missing(120_000)).toBe('the source of ch0 failed 1000 ms ago');
  });

  it('names it alone until that of another has answered twice since the last death', () => {
    const world = withOneThatFails();
    world.process(115_000, 'running', { channel: 'ch1', generation: '2' });
    world.process(116_000, 'exited', { channel: 'ch1', generation: '2' });
    world.source(117_000, true, 'ch1');
    expect(world.missing(127_000)).toBe('the source of ch0 failed 8000 ms ago');
    world.source(118_000, true, 'ch1');
    expect(world.missing(127_000)).toBeUndefined();
  });

  it('is no witness of what others died of later, though no other is looked at', () => {
    const missingWith = (ch0DiedMs: number) =>
      withOneThatFails({ ch0DiedMs, othersAnswer: false }).missing(125_000) ?? 'nothing';
    expect(missingWith(SINCE)).toContain('the source of ch0');
    expect(missingWith(SINCE - 1)).toContain('the source of ch1');
  });

  it('forbids the start of that very channel, whatever the others say', () => {
    const world = withOneThatFails();
    expect(world.missingFor(120_000, 'ch1')).toBeUndefined();
    expect(world.missingFor(120_000, 'ch0')).toBe('the source of ch0 itself fails');
    world.source(121_000, true);
    expect(world.missingFor(122_000, 'ch0')).toBeUndefined();
  });
});

describe('a source that is looked at often', () => {
  const failing = () => {
    const world = proofs();
    died(110_000, world);
    world.source(111_000, false);
    return world;
  };

  it('is well since its first good look, however many have come since', () => {
    const world = failing();
    for (let ms = 112_000; ms <= 124_000; ms += 500) world.source(ms, true);
    expect(world.missing(121_999)).toBe('the source of ch0 is not well for long');
    expect(world.missing(122_000)).toBeUndefined();
  });

  it('is well since the first good look after the failed one, when that is told late', () => {
    const world = failing();
    for (const ms of [112_000, 114_000, 116_000]) world.source(ms, true);
    world.source(113_000, false);
    expect(world.missing(123_999)).toBe('the source of ch0 is not well for long');
    expect(world.missing(124_000)).toBeUndefined();
  });
});

describe('the proof where no source, engine or neighbour can show it', () => {
  it('is thirty seconds without a death', () => {
    const world = proofs();
    died(110_000, world);
    expect(world.missing(139_999)).toBe('the last death is 29999 ms ago, 30000 ms are needed');
    expect(world.missing(140_000)).toBeUndefined();
  });

  it('is there where nothing ever died', () => {
    expect(proofs().missing(SINCE)).toBeUndefined();
  });

  it.each(['exited', 'fatal', 'backoff'])('counts from the last %s of any channel of the group', (state) => {
    const { process, missing } = proofs();
    for (const channel of ['ch0', 'ch1']) process(109_000, 'running', { channel });
    process(110_000, state, { channel: 'ch0' });
    process(120_000, state, { channel: 'ch1' });
    expect([missing(149_999) === undefined, missing(150_000)]).toEqual([false, undefined]);
  });

  it('counts no process that a person stopped, that was dead before, or of which nothing is known', () => {
    const { process, missing } = proofs();
    process(110_000, 'running');
    process(111_000, 'stopped', { stoppedOnPurpose: true });
    process(112_000, 'running');
    process(113_000, 'exited', { stoppedOnPurpose: true });
    process(114_000, 'exited');
    process(115_000, 'unknown', { generation: undefined });
    expect(missing(116_000)).toBeUndefined();
  });

  it('counts a death that was not seen at once, and one that was all that was seen of a process', () => {
    const { process, missing } = proofs();
    process(110_000, 'running');
    process(111_000, 'unknown', { generation: undefined });
    process(112_000, 'exited');
    expect(missing(113_000)).toMatch(/^the last death is 1000 ms ago/);
    process(120_000, 'exited', { generation: '2' });
    expect(missing(121_000)).toMatch(/^the last death is 1000 ms ago/);
  });

  it('counts a process in whose place another stands, unless Reeve itself asked for that within 45 seconds', () => {
    const replaced = (askedMs: number | undefined) => {
      const { process, oracle, restart, at, missing } = proofs();
      process(100_000, 'running');
      if (askedMs !== undefined) {
        at(askedMs);
        oracle.invoked(restart('ch0'));
      }
      process(150_000, 'running', { generation: '2' });
      return missing(151_000) !== undefined;
    };
    expect([replaced(undefined), replaced(105_000), replaced(104_999)]).toEqual([true, false, true]);
  });

  it('takes one new process for the one that was asked for, and counts one that is found dead', () => {
    const { process, oracle, restart, at, missing } = proofs();
    process(100_000, 'running');
    at(100_000);
    oracle.invoked(restart('ch0'));
    process(101_000, 'running', { generation: '2' });
    expect(missing(102_000)).toBeUndefined();
    oracle.invoked({ ...restart('ch0'), tool: 'refresh_credentials' });
    process(103_000, 'running', { generation: '3' });
    expect(missing(104_000)).toMatch(/^the last death is 1000 ms ago/);
    process(200_000, 'exited', { generation: '4' });
    expect(missing(201_000)).toMatch(/^the last death is 1000 ms ago/);
  });

  it('begins anew with a process of Reeve, which has seen no channel alive yet', () => {
    const { process, oracle, entry, missing, source } = proofs();
    process(100_000, 'running');
    source(100_000, false);
    oracle.entry(entry({ type: 'run.started' }));
    expect(missing(101_000)).toMatch(/^the source of ch0 failed/);
    oracle.entry(entry({ type: 'reeve.started' }));
    process(101_000, 'exited', { generation: '2' });
    expect(missing(102_000)).toBeUndefined();
  });
});

describe('the proof by the source of a channel', () => {
  it('is ten seconds of looks that are well, two of them since the last death', () => {
    const { source, missing } = proofs();
    source(110_000, false);
    expect(missing(119_999)).toBe('the source of ch0 failed 9999 ms ago');
    expect(missing(120_000)).toBe('the source of ch0 is not well for long');
    source(112_000, true);
    expect(missing(121_999)).toBe('the source of ch0 is not well for long');
    expect(missing(122_000)).toBe('the source of ch0 was well at one look since the last death');
    source(114_000, true);
    expect(missing(122_000)).toBeUndefined();
  });

  it('shortens the wait after the last death to ten seconds', () => {
    const world = proofs();
    world.source(101_000, false);
    died(110_000, world);
    world.source(110_000, true);
    world.source(112_000, true);
    expect(world.missing(119_999)).toMatch(/^the source of ch0 is not well for long/);
    world.source(113_000, true);
    expect(world.missing(120_000)).toBeUndefined();
    died(121_000, world);
    world.source(121_000, true);
    world.source(122_000, true);
    expect(world.missing(130_999)).toBe('the last death is 9999 ms ago, 10000 ms are needed');
    expect(world.missing(131_000)).toBeUndefined();
  });

  it('needs no looks that last, where it had not failed since the trouble began', () => {
    const { source, missing } = proofs();
    source(SINCE, false);
    source(SINCE + 9_000, true);
    source(SINCE + 10_000, true);
    expect(missing(SINCE + 10_000)).toBeUndefined();
  });

  it('is none by looks from before the source failed', () => {
    const { source, missing } = proofs();
    for (const ms of [101_000, 102_000]) source(ms, true);
    source(105_000, false);
    expect(missing(120_000)).toBe('the source of ch0 is not well for long');
  });

  it('is that of every channel of the group', () => {
    const { source, missing } = proofs();
    for (const ms of [101_000, 110_500, 111_000]) source(ms, true);
    expect(missing(112_000)).toBeUndefined();
    source(110_000, false);
    for (const ms of [110_500, 111_000]) source(ms, true);
    source(111_000, false, 'ch1');
    expect(missing(112_000)).toBe('the source of ch0 failed 2000 ms ago');
    expect(missing(112_000, 'other')).toBeUndefined();
  });

  it('is none by looks from before the last death', () => {
    const world = proofs();
    world.source(101_000, true);
    world.source(102_000, true);
    died(110_000, world);
    expect(world.missing(120_000)).toBe('the last death is 10000 ms ago, 30000 ms are needed');
  });
});

describe('the proof by an engine', () => {
  it('is asked for only where it failed since the trouble began', () => {
    const failed = (atMs: number) => {
      const { engine, missing } = proofs();
      engine(atMs, false);
      return missing(atMs + 10_000);
    };
    expect([failed(SINCE - 1), failed(SINCE)]).toEqual([undefined, 'engine e0 is not well for long']);
  });

  it('is ten seconds of looks that are well', () => {
    const { engine, missing } = proofs();
    engine(SINCE + 1, false);
    engine(SINCE + 2_000, true);
    engine(SINCE + 3_000, true);
    expect([missing(SINCE + 11_999), missing(SINCE + 12_000)]).toEqual(['engine e0 is not well for long', undefined]);
  });

  it('is ten seconds of a pool that is not full, where the pool was the trouble', () => {
    const world = proofs();
    const { engine, missing } = world;
    engine(SINCE + 1, true, 0.97);
    engine(SINCE + 2_000, true, 0.9);
    died(SINCE + 3_000, world);
    engine(SINCE + 4_000, true, 0.89);
    engine(SINCE + 5_000, true, 0.89);
    expect([missing(SINCE + 13_999), missing(SINCE + 14_000)]).toEqual(['engine e0 is not well for long', undefined]);
  });

  it('is none by a pool that was never full, nor by one that is not reported', () => {
    for (const poolPressure of [0.89, undefined]) {
      const world = proofs();
      died(SINCE + 3_000, world);
      world.engine(SINCE + 4_000, true, poolPressure);
      world.engine(SINCE + 5_000, true, poolPressure);
      expect(world.missing(SINCE + 14_000)).toMatch(/30000 ms are needed$/);
    }
  });
});

describe('the proof by a channel that came back', () => {
  it('is its output, moving, of a process that began since, ten seconds after the last death', () => {
    const { process, segment, missing } = proofs();
    process(100_000, 'running');
    process(110_000, 'exited');
    process(112_000, 'running', { generation: '2' });
    segment(113_000, 1);
    expect(missing(121_000)).toMatch(/30000 ms are needed$/);
    segment(114_000, 2);
    expect(missing(119_999)).toMatch(/10000 ms are needed$/);
    expect(missing(120_000)).toBeUndefined();
    process(121_000, 'exited', { generation: '2' });
    expect(missing(131_000)).toMatch(/30000 ms are needed$/);
  });

  it('is none by output that stands still or cannot be read, or that moved before', () => {
    const back = (act: (world: ReturnType<typeof proofs>) => void) => {
      const world = proofs();
      world.process(100_000, 'running');
      world.process(110_000, 'exited');
      world.segment(110_500, 1);
      act(world);
      world.process(112_000, 'running', { generation: '2' });
      return world;
    };
    const still = back(() => undefined);
    still.segment(113_000, 1);
    still.segment(114_000, 2, { ok: false });
    still.segment(115_000, undefined);
    const before = back(({ segment }) => segment(111_000, 2));
    expect([still.missing(122_000), before.missing(122_000)].map((one) => one !== undefined)).toEqual([true, true]);
  });
});

describe('the plan of an engine whose groups share an origin', () => {
  /** `ch1` of one group dies; the sources that are looked at are those of another. */
  const withSourceElsewhere = (ok: boolean) => {
    const world = oracleEnvironment();
    const { script } = world.context;
    const channels = script.channels.map((plan, at) => ({ ...plan, group: `g${at % 2}` }));
    const oracle = new Proofs({ ...world.context, script: { ...script, channels } });
    const saw = (kind: string, monoMs: number, with_: object): void => {
      world.at(monoMs);
      oracle.seen({
        kind,
        monoMs,
        engine: 'e0',
        generation: '1',
        stoppedOnPurpose: false,
        ...with_,
      } as unknown as Sample);
    };
    saw('process', 109_000, { channel: 'ch1', state: 'running' });
    saw('process', 110_000, { channel: 'ch1', state: 'exited' });
    for (const ms of [111_000, 113_000, 120_000]) saw('source', ms, { channel: 'ch0', ok });
    return (engine?: string) =>
      oracle.missing('g1', { nowMs: 121_000, sinceMs: SINCE, ...(engine === undefined ? {} : { engine }) });
  };

  it('has any of their sources for a witness, and the plan of one of the groups only its own', () => {
    const missing = withSourceElsewhere(true);
    expect(missing('e0')).toBeUndefined();
    expect(missing()).toMatch(/^the last death is 11000 ms ago, 30000 ms are needed/);
    expect(withSourceElsewhere(false)('e0')).toMatch(/30000 ms are needed/);
  });
});
