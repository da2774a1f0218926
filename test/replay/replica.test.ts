import { describe, expect, it, onTestFinished } from 'vitest';
import { settingsOf } from '../../src/app/settings.ts';
import type { Configuration } from '../../src/config/load.ts';
import { ALL_CAPABILITIES } from '../../src/replay/recording_engine.ts';
import { Replica, REPLAY_FROM_MS } from '../../src/replay/replica.ts';
import { loadText } from '../config/support.ts';
import { aPersona, aSymptom } from '../support/a.ts';

const AT = Date.UTC(2026, 0, 1);

/** The decision path of one channel over a recording. */
function aReplica() {
  const { config } = loadText('version: 1\nphase: 1\nengines: [{ id: local, kind: supervisor, socket: /s }]\n');
  const personas = [aPersona({ id: config!.persona })];
  const configuration = { config: config!, personas, rules: [], patterns: [] } as unknown as Configuration;
  const channel = {
    ...{ id: 'news', group: 'local', engine: 'local', expected: 'always' as const, hasSource: false },
    ...{ hasOutputProbe: false, stallAfterMs: 6_000, outputEveryMs: 2_000, sourceEveryMs: 2_000 },
  };
  const engine = { id: 'local', pollMs: 1_000, autorestartGraceMs: 0, hostEveryMs: undefined };
  const replica = new Replica({
    ...{ settings: settingsOf(configuration), channels: [channel], at: AT },
    engines: [{ ...engine, capabilities: ALL_CAPABILITIES }],
  });
  onTestFinished(() => replica[Symbol.dispose]());
  replica.pipeline.start();
  const types = () => replica.entries.map(({ fact }) => fact.type);
  const crash = () => {
    const moment = { at: replica.clock.now(), monoMs: replica.clock.monotonicMs() };
    for (const [kind, origin] of [
      ['process_crash', 'process'],
      ['stalled_output', 'probe'],
    ] as const)
      replica.pipeline.symptom(aSymptom(moment, { kind, origin }));
  };
  return { replica, types, crash };
}

describe('a replay', () => {
  it('begins at the moment of the recording, with the start in its journal', () => {
    const { replica, types } = aReplica();
    expect([replica.clock.now(), replica.clock.monotonicMs()]).toEqual([AT, REPLAY_FROM_MS]);
    expect(types()[0]).toBe('reeve.started');
    expect([...replica.engines.keys()]).toEqual(['local']);
  });

  it('advances time as far as it is asked, and runs what is due in it', async () => {
    const { replica } = aReplica();
    const ticks: number[] = [];
    replica.clock.every(10_000, () => ticks.push(replica.clock.now() - AT));
    await replica.runUntil(REPLAY_FROM_MS + 25_000);
    expect([replica.clock.now() - AT, ticks]).toEqual([25_000, [10_000, 20_000]]);
  });

  it('is busy after something was written down, until it has settled', async () => {
    const { replica } = aReplica();
    await replica.settle();
    expect(replica.busy).toBe(false);
    replica.append([{ fact: { type: 'clock.jumped', byMs: 1 } }]);
    expect(replica.busy).toBe(true);
    await replica.settle();
    expect(replica.busy).toBe(false);
  });

  it('decides about a symptom by the code of the daemon, and fails at nothing', async () => {
    const { replica, types, crash } = aReplica();
    crash();
    await replica.runUntil(REPLAY_FROM_MS + 60_000);
    expect(types()).toContain('symptom.raised');
    expect(types()).toContain('incident.opened');
    expect(replica.failures).toEqual([]);
  });

  it('waits for the end of a run, and no longer', async () => {
    const { replica, types, crash } = aReplica();
    const from = replica.entries.length;
    crash();
    await replica.untilRunEnds(from, REPLAY_FROM_MS + 3_600_000);
    expect(types().filter((type) => type === 'run.ended')).toHaveLength(1);
    expect(replica.clock.monotonicMs()).toBeLessThan(REPLAY_FROM_MS + 3_600_000);
  });

  it('waits as long as it was asked where no run begins', async () => {
    const { replica } = aReplica();
    await replica.untilRunEnds(0, REPLAY_FROM_MS + 5_000);
    expect(replica.clock.monotonicMs()).toBe(REPLAY_FROM_MS + 5_000);
  });

  it('keeps what a reader of its journal throws as a failure', () => {
    const { replica } = aReplica();
    replica.ledger.subscribe(() => {
      throw new Error('cannot read this');
    });
    replica.append([{ fact: { type: 'clock.jumped', byMs: 1 } }]);
    expect(replica.failures).toEqual(['Error: cannot read this']);
  });
});
