import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { Rig, type RigOptions, until } from '../support/rig.ts';

async function aRig(options: RigOptions = {}): Promise<Rig> {
  const rig = await Rig.open(options);
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}

async function timed<T>(work: Promise<T>): Promise<{ readonly end: T; readonly tookMs: number }> {
  const beganMs = systemClock.monotonicMs();
  const end = await work;
  return { end, tookMs: systemClock.monotonicMs() - beganMs };
}

/** A restart that does not come back is under way. */
async function hanging(rig: Rig) {
  rig.mode('news', 'hang');
  const daemon = await rig.run();
  await until('news plays', async () => {
    const { channels } = await daemon.get<{ channels: { healthy: boolean | null }[] }>('/api/v1/status');
    return channels[0]?.healthy === true;
  });
  rig.die('news');
  await until('the restart is under way', () => existsSync(rig.at('hanging')));
  return daemon;
}

describe('SIGTERM', () => {
  it('ends an idle daemon at once with 0, and the journal says that it was asked to', async () => {
    const rig = await aRig();
    const daemon = await rig.run();
    const { end, tookMs } = await timed(daemon.kill('SIGTERM'));
    expect(end).toBe(0);
    expect(tookMs).toBeLessThan(3_000);
    expect((await rig.journal()).at(-1)).toMatchObject({ fact: { type: 'reeve.stopped' } });
  });

  it('gives a restart that hangs a few seconds, ends within 10 s with 0, and forgets nothing', async () => {
    const rig = await aRig();
    const daemon = await hanging(rig);
    const { end, tookMs } = await timed(daemon.kill('SIGTERM'));
    expect(end).toBe(0);
    expect(tookMs).toBeLessThan(10_500);
    const types = (await rig.journal()).map(({ fact }) => fact.type);
    expect(types).toEqual(expect.arrayContaining(['tool.finished', 'run.ended', 'escalation.raised', 'delivery.done']));
    expect(rig.delivered).toMatchObject([{ what: 'trigger', scope: 'channel:news' }]);
  });

  it('a second time ends it at once with 143', async () => {
    const rig = await aRig();
    const daemon = await hanging(rig);
    daemon.child.kill('SIGTERM');
    await until('it is stopping', () => rig.log().includes('stopping'));
    const { end, tookMs } = await timed(daemon.kill('SIGTERM'));
    expect(end).toBe(143);
    expect(tookMs).toBeLessThan(1_500);
  });
});

describe('SIGINT', () => {
  it('ends it in order too, and a second time at once with 130', async () => {
    const rig = await aRig();
    expect(await (await rig.run()).kill('SIGINT')).toBe(0);
    const daemon = await hanging(rig);
    daemon.child.kill('SIGINT');
    await until('it is stopping', () => rig.log().split('stopping').length > 2);
    expect(await daemon.kill('SIGINT')).toBe(130);
  });
});
