import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type Daemon, type Exported, type ExportedFact, Rig, until } from '../support/rig.ts';

const isRestart = ({ permit }: ExportedFact) => permit?.call.tool === 'restart_channel';

interface Status {
  readonly channels: readonly {
    readonly id: string;
    readonly healthy: boolean | null;
    readonly unknown_outcome: boolean;
    readonly restart_count: number;
  }[];
}

describe('a daemon that is killed in the middle of a restart, and started again', () => {
  let rig: Rig;
  let second: Daemon;
  let status: Status;
  let journal: readonly Exported[];
  beforeAll(async () => {
    rig = await Rig.open();
    rig.mode('news', 'hang');
    const first = await rig.run();
    await until('news plays', async () => (await first.get<Status>('/api/v1/status')).channels[0]?.healthy === true);
    rig.die('news');
    await until('the restart is under way', () => existsSync(rig.at('hanging')));
    await first.kill('SIGKILL');
    second = await rig.run();
    status = JSON.parse((await rig.reeve('status', '--json')).stdout);
    await until('a page went out', () => rig.delivered.length > 0);
    journal = await rig.journal();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const facts = (type: string) => journal.filter(({ fact }) => fact.type === type).map(({ fact }) => fact);

  it('shows the channel as UNKNOWN in status', () => {
    expect(status.channels).toMatchObject([{ id: 'news', unknown_outcome: true }]);
  });

  it('has paged it as unknown, with what to do', () => {
    expect(rig.delivered).toMatchObject([
      { what: 'trigger', reason: 'outcome_unknown', severity: 'critical', scope: 'channel:news' },
    ]);
    expect(rig.delivered[0]?.details).toContain('reeve reset channel:news');
  });

  it('counts the start in the budget and in the window', async () => {
    expect(status.channels[0]?.restart_count).toBe(1);
    const { checks } = await second.get<{ checks: { id: number; value: string }[] }>(
      '/api/v1/why-not/news/restart_channel',
    );
    const value = (id: number) => checks.find((check) => check.id === id)?.value;
    expect([value(10), value(14)]).toEqual([
      expect.stringContaining('1 in 24 h'),
      expect.stringMatching(/^1 starts, 1 of local/),
    ]);
  });

  it('has ended the permit as UNKNOWN and the run as escalated, in the order of the laws', () => {
    const [started] = facts('tool.started');
    expect(facts('tool.unknown')).toMatchObject([{ permit: { id: started?.permit?.id } }]);
    expect(facts('run.ended')).toMatchObject([{ outcome: { kind: 'escalated' } }]);
    const types = journal.map(({ fact }) => fact.type);
    expect(types.indexOf('tool.unknown')).toBeLessThan(types.lastIndexOf('reeve.started'));
  });

  it('never starts it again, though it stays down', async () => {
    await systemClock.sleep(4_000);
    expect(rig.isPlaying('news')).toBe(false);
    expect(rig.invocations('news')).toBe(1);
    const restarts = (await rig.journal()).filter(({ fact }) => fact.type === 'tool.started' && isRestart(fact));
    expect(restarts).toHaveLength(1);
  });

  it('lets a person release it with a reason', async () => {
    const { code } = await rig.reeve('reset', 'news', '--because', 'looked at it by hand');
    expect(code).toBe(0);
    expect((await second.get<Status>('/api/v1/status')).channels).toMatchObject([{ unknown_outcome: false }]);
  });
});
