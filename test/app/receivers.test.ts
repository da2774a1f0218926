import { describe, expect, it, onTestFinished } from 'vitest';
import { receiversOf } from '../../src/app/receivers.ts';
import { systemClock } from '../../src/core/clock.ts';
import { loadText } from '../config/support.ts';
import { CALM, noticeFor } from '../escalate/receivers/support.ts';
import { webServer } from '../escalate/servers.ts';

function receiversIn(yaml: string) {
  const { config } = loadText(`version: 1\nreceivers:\n${yaml}`);
  const building = new AsyncDisposableStack();
  onTestFinished(() => building.disposeAsync());
  return receiversOf(config!, { clock: systemClock, building });
}

describe('the receivers of a configuration', () => {
  it('are built in its order and under its names', () => {
    const receivers = receiversIn(
      '  - { id: b, kind: webhook, url: "http://127.0.0.1:1" }\n  - { id: a, kind: webhook, url: "http://127.0.0.1:2" }\n',
    );
    expect(receivers.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('have a breaker each: one that fails again and again stops no other', async () => {
    const up = await webServer((_, answer) => answer.end());
    const [dead, well] = receiversIn(
      `  - { id: dead, kind: webhook, url: "http://127.0.0.1:1" }\n  - { id: well, kind: webhook, url: "${up.url}" }\n`,
    );
    const failures: unknown[] = [];
    for (let tries = 0; tries < 20; tries += 1)
      await dead!.deliver(noticeFor(), CALM).catch((thrown: { code: string }) => failures.push(thrown.code));
    expect(failures).toHaveLength(20);
    expect(failures.at(-1)).toBe('BREAKER_OPEN');
    await well!.deliver(noticeFor(), CALM);
    expect(up.posts).toHaveLength(1);
  });
});
