import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { Rig, until } from '../support/rig.ts';
import { notifySocket } from '../support/service_manager.ts';

it('the real daemon gives signs of life to systemd, and one that hangs gives none', { timeout: 120_000 }, async () => {
  const { socket, messages } = await notifySocket();
  await using rig = await Rig.open({ channels: ['news'], phase: 1 });
  const daemon = await rig.run(['env', `NOTIFY_SOCKET=${socket}`, 'WATCHDOG_USEC=2000000']);
  await until('it is up and alive', () => messages().length >= 3);
  expect([messages()[0], new Set(messages().slice(1))]).toEqual(['READY=1', new Set(['WATCHDOG=1'])]);
  daemon.child.kill('SIGSTOP');
  // One may be on its way.
  await systemClock.sleep(1_000);
  const before = messages().length;
  await systemClock.sleep(2_000);
  expect(messages()).toHaveLength(before);
  daemon.child.kill('SIGCONT');
  await until('it is alive again', () => messages().length > before);
  expect(rig.log()).not.toContain('systemd is not notified');
});
