import { setTimeout as realMs } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHeartbeat, unfitness } from '../../src/escalate/heartbeat.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { webServer } from './servers.ts';

type Answer = Parameters<Parameters<typeof webServer>[0]>[1];

async function beating(answered: (answer: Answer) => void, everyMs = 60_000) {
  const { clock, advance } = fakeClock();
  const asked: string[] = [];
  const server = await webServer(({ method, path }, answer) => {
    asked.push(`${method} ${path}`);
    answered(answer);
  });
  const said: string[] = [];
  const world: { unfit: string | undefined } = { unfit: undefined };
  const say = (_: object, text: string): void => void said.push(text);
  const heartbeat = startHeartbeat(
    { everyMs, url: { reveal: () => `${server.url}/ping/s3cret` } },
    { clock, log: { info: say, warn: say, error: say }, unfit: () => world.unfit },
  );
  onTestFinished(() => heartbeat[Symbol.dispose]());
  /** The answer to so many questions has been read: what the clock shows then is when it was taken. */
  const taken = async (count: number): Promise<void> => {
    await expect.poll(() => asked.length).toBe(count);
    await realMs(50);
  };
  return { heartbeat, advance, asked, said, world, taken };
}

const ok = (answer: Answer): void => void answer.end('OK');
const gone = (answer: Answer): void => void answer.writeHead(404).end();

describe('the heartbeat', () => {
  it('is sent at once and on its schedule, with GET, and says since when none was taken', async () => {
    const { heartbeat, advance, asked, said, taken } = await beating(ok);
    await taken(1);
    expect(heartbeat.secondsSinceTaken()).toBe(0);
    await advance(59_999);
    expect(asked).toEqual(['GET /ping/s3cret']);
    expect(heartbeat.secondsSinceTaken()).toBeCloseTo(59.999);
    await advance(1);
    await taken(2);
    expect(heartbeat.secondsSinceTaken()).toBe(0);
    expect(heartbeat.trouble()).toBeUndefined();
    expect(said).toEqual([]);
  });

  it('is tried three times before it counts as not taken, which is said once, and so is its end', async () => {
    let answered = gone;
    const { heartbeat, advance, asked, said } = await beating((answer) => answered(answer));
    for (const tries of [1, 2]) {
      await expect.poll(() => asked.length).toBe(tries);
      await expect.poll(() => advance(3_000).then(() => asked.length)).toBe(tries + 1);
    }
    await expect.poll(() => heartbeat.trouble()).toMatch(/^the heartbeat is not taken: .*404/);
    expect(heartbeat.trouble()).not.toContain('s3cret');
    // Never in this life: then since its start, so that a wrong address is found, too.
    expect(heartbeat.secondsSinceTaken()).toBeGreaterThanOrEqual(6);
    await expect.poll(() => advance(10_000).then(() => asked.length), { timeout: 20_000 }).toBeGreaterThanOrEqual(6);
    expect(said).toEqual([heartbeat.trouble()]);
    answered = ok;
    await expect.poll(() => advance(60_000).then(() => heartbeat.trouble())).toBeUndefined();
    expect(said.slice(1)).toEqual(['the heartbeat is taken again']);
  });

  it('is withheld while Reeve cannot do its work, so that somebody else pages', async () => {
    const { heartbeat, advance, asked, said, world, taken } = await beating(ok);
    await taken(1);
    world.unfit = 'no receiver takes pages';
    await advance(180_000);
    expect(asked).toHaveLength(1);
    const withheld = 'the heartbeat is withheld, so that somebody else pages: no receiver takes pages';
    expect(heartbeat.trouble()).toBe(withheld);
    world.unfit = undefined;
    await advance(60_000);
    await expect.poll(() => asked.length).toBe(2);
    await expect.poll(() => said).toEqual([withheld, 'the heartbeat is taken again']);
  });

  it('is silent once it is stopped, also in the middle of its tries', async () => {
    const { heartbeat, advance, asked, said } = await beating(gone);
    await expect.poll(() => asked.length).toBe(1);
    heartbeat[Symbol.dispose]();
    await advance(300_000);
    expect(asked).toHaveLength(1);
    expect(said).toEqual([]);
  });

  it('does not pile up at a service that does not answer', async () => {
    const { heartbeat, advance, asked } = await beating(() => undefined, 10_000);
    await expect.poll(() => asked.length).toBe(1);
    await advance(9_000);
    expect(asked).toHaveLength(1);
    await expect.poll(() => advance(10_000).then(() => heartbeat.trouble() ?? '')).toContain('not taken');
    expect(asked.length).toBeLessThanOrEqual(3);
  });
});

describe('whether Reeve can do its work', () => {
  const AT_WORK = { keptUpMs: 0, nowMs: 0, unheard: [] };
  const MAIL_FAILS = { receiver: 'mail', failingForMs: 120_001, isOwed: true };
  const PAGER_FAILS = { ...MAIL_FAILS, receiver: 'pager' };
  const NOTHING_OWED = { ...MAIL_FAILS, isOwed: false };
  const CHAT_TAKES = { receiver: 'chat', failingForMs: undefined, isOwed: false };
  const NOBODY_HAS = 'a critical page waits that nobody has, and no receiver that is to have it takes it';

  it.each([
    ['the first round is still to come', { ...AT_WORK, keptUpMs: undefined, nowMs: 90_000, receivers: [] }, undefined],
    ['the last round was 30 s ago', { ...AT_WORK, nowMs: 30_000, receivers: [] }, undefined],
    [
      'the last round was longer ago',
      { ...AT_WORK, nowMs: 30_001, receivers: [] },
      'nothing has been decided for 30 s',
    ],
    [
      'the only receiver has failed for two minutes',
      { ...AT_WORK, receivers: [{ ...MAIL_FAILS, failingForMs: 120_000 }], unheard: [['mail']] },
      undefined,
    ],
    ['it has failed for longer', { ...AT_WORK, receivers: [MAIL_FAILS] }, 'no receiver takes pages'],
    ['another takes pages', { ...AT_WORK, receivers: [MAIL_FAILS, { ...CHAT_TAKES, isOwed: true }] }, undefined],
    [
      'another takes pages, but not the one that nobody has',
      { ...AT_WORK, receivers: [PAGER_FAILS, CHAT_TAKES], unheard: [['pager']] },
      NOBODY_HAS,
    ],
    [
      'another is to have it, too, and has not failed for so long',
      { ...AT_WORK, receivers: [PAGER_FAILS, CHAT_TAKES], unheard: [['pager', 'chat']] },
      undefined,
    ],
    [
      'that other is to have another page only',
      { ...AT_WORK, receivers: [PAGER_FAILS, CHAT_TAKES], unheard: [['chat'], ['pager']] },
      NOBODY_HAS,
    ],
    ['a page leads nowhere', { ...AT_WORK, receivers: [PAGER_FAILS, CHAT_TAKES], unheard: [[]] }, undefined],
    ['it failed at the last message and nothing waits for it', { ...AT_WORK, receivers: [NOTHING_OWED] }, undefined],
    ['all have failed for longer', { ...AT_WORK, receivers: [MAIL_FAILS, PAGER_FAILS] }, 'no receiver takes pages'],
  ] as const)('is clear when %s', (_, fitness, because) => {
    expect(unfitness(fitness)).toBe(because);
  });
});
