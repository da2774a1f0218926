import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Rig, until } from '../support/rig.ts';

interface Status {
  readonly channels: readonly { readonly id: string; readonly healthy: boolean | null }[];
  readonly receivers: readonly { readonly id: string; readonly error: string | null }[];
}

describe('a receiver that is down while pages are raised', () => {
  let rig: Rig;
  let daemon: Daemon;
  beforeAll(async () => {
    rig = await Rig.open({ channels: ['film', 'news'], phase: 1, more: { film: 'group: a', news: 'group: b' } });
    rig.receiverStatus = undefined;
    daemon = await rig.run();
    await until('both play', async () => (await status()).channels.every(({ healthy }) => healthy === true));
    rig.die('film');
    rig.die('news');
    await until('both pages are raised', async () => (await raised()).length === 2);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const status = () => daemon.get<Status>('/api/v1/status');
  const raised = async () =>
    (await rig.journal()).filter(({ fact }) => fact.type === 'escalation.raised').map(({ fact }) => fact);

  it('is named in status with what is wrong', async () => {
    await until('it is named', async () => typeof (await status()).receivers[0]?.error === 'string');
    expect(rig.delivered).toEqual([]);
  });

  it('gets every page when it is back, over a kill of the daemon, and each resolve after its trigger', async () => {
    rig.stop('film');
    await until('the page of film is resolved', async () =>
      (await rig.journal()).some(({ fact }) => fact.type === 'escalation.resolved'),
    );
    await daemon.kill('SIGKILL');
    daemon = await rig.run();
    rig.receiverStatus = 204;
    await until('both pages arrive', () => new Set(rig.delivered.map(({ scope }) => scope)).size === 2, 10_000);
    for (const key of new Set(rig.delivered.map((one) => one.key)))
      expect(rig.deliveredUnder(key)[0]).toMatchObject({ what: 'trigger' });
    const keys = (await raised()).map(({ escalation }) => escalation?.key);
    expect(new Set(rig.delivered.map(({ key }) => key))).toEqual(new Set(keys));
  });

  it('is no longer named in status, which shows how long ago the last delivery was', async () => {
    const { receivers } = await status();
    expect(receivers).toMatchObject([{ id: 'hook' }]);
    expect(receivers[0]?.error ?? null).toBeNull();
    expect((await rig.reeve('status')).stdout).toMatch(/last page delivered: \d+ (ms|s) ago/);
  });

  it('that refuses a message is offered it again until it takes it', async () => {
    rig.receiverStatus = 400;
    const { code, stdout, stderr } = await rig.reeve('page', '--test');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('hook did not take it: answered 400');
    rig.receiverStatus = 204;
    expect((await rig.reeve('page', '--test', '--json')).code).toBe(0);
  });
});
