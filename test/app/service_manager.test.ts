import { describe, expect, it, onTestFinished } from 'vitest';
import { notifyServiceManager, serviceManagerOf } from '../../src/app/service_manager.ts';
import { systemClock } from '../../src/core/clock.ts';
import { until } from '../escalate/servers.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { notifySocket } from '../support/service_manager.ts';

describe('the environment of a service', () => {
  it.each([
    ['nobody waits', {}, undefined],
    ['nobody waits', { NOTIFY_SOCKET: '', WATCHDOG_USEC: '1000000' }, undefined],
    ['it may notify', { NOTIFY_SOCKET: '/run/n' }, undefined],
    ['it must notify', { NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: '180000000' }, 180_000],
    ['it must notify', { NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: '180000000', WATCHDOG_PID: '7' }, 180_000],
    ['another process must', { NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: '180000000', WATCHDOG_PID: '8' }, undefined],
    ['it says nothing that makes sense', { NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: 'soon' }, undefined],
    ['the watchdog is off', { NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: '0' }, undefined],
  ])('says that %s: %j', (_, env, watchdogMs) => {
    const { NOTIFY_SOCKET: socket = '' }: { NOTIFY_SOCKET?: string } = env;
    expect(serviceManagerOf(env, 7)).toEqual(socket === '' ? undefined : { socket, watchdogMs });
  });
});

/** Notifies the manager behind `socket`, ten times a second where it expects signs; `log` holds what was logged. */
function notifying(socket: string, watchdogMs: number | undefined = 400) {
  const log: string[] = [];
  const note = (fields: object, text: string) => void log.push(`${text} ${JSON.stringify(fields)}`);
  const notifier = notifyServiceManager(
    { socket, watchdogMs },
    { clock: systemClock, log: { info: note, warn: note, error: note, debug: note } as never },
  );
  onTestFinished(() => notifier[Symbol.dispose]());
  return { log, notifier };
}

describe('systemd (its own systemd-notify, and a socket like its own)', () => {
  it('hears that Reeve is up, and then a sign of life again and again', async () => {
    const { socket, messages } = await notifySocket();
    const { notifier, log } = notifying(socket);
    await until(() => messages().length >= 4);
    expect([messages()[0], new Set(messages().slice(1))]).toEqual(['READY=1', new Set(['WATCHDOG=1'])]);
    notifier[Symbol.dispose]();
    expect(log).toEqual([]);
  });

  it('is told nothing more where it expects no sign of life', async () => {
    const { socket, messages } = await notifySocket();
    const { clock, advance } = fakeClock();
    const notifier = notifyServiceManager({ socket, watchdogMs: undefined }, { clock, log: {} as never });
    await until(() => messages().length === 1);
    notifier[Symbol.dispose]();
    await advance(600_000);
    expect(messages()).toEqual(['READY=1']);
  });

  it('that expects no sign of life starts nothing anew where it cannot be told', async () => {
    const log: string[] = [];
    const error = (_: object, text: string) => void log.push(text);
    const socket = '/nowhere/notify';
    notifyServiceManager({ socket, watchdogMs: undefined }, { clock: systemClock, log: { error } as never });
    await until(() => log.length === 1);
    expect(log).toEqual(['systemd is not notified']);
  });

  it('that is not there is an error in the log, once', async () => {
    const { log } = notifying('/nowhere/notify');
    await until(() => log.length === 1);
    expect(log[0]).toMatch(/systemd is not notified, and will start Reeve anew.*No such file/);
    await systemClock.sleep(500);
    expect(log).toHaveLength(1);
  });
});
