import { describe, expect, it } from 'vitest';
import { Refusals, sourceOf } from '../../../src/http/auth/refusals.ts';
import { fakeClock } from '../../support/fake_clock.ts';

function aDoor() {
  const hand = fakeClock();
  const lines: string[] = [];
  const refusals = new Refusals({ clock: hand.clock, report: (text) => lines.push(text) });
  /** Resolves to the milliseconds that the answer waited. */
  const refuse = async (from = '192.0.2.1') => {
    const beganMs = hand.clock.monotonicMs();
    let waitedMs: number | undefined;
    const noted = refusals.note(from, 'unknown_token').then(({ cut }) => {
      waitedMs = hand.clock.monotonicMs() - beganMs;
      return cut;
    });
    for (let step = 0; step < 40 && waitedMs === undefined; step += 1) await hand.advance(100);
    return { cut: await noted, waitedMs };
  };
  return { ...hand, lines, refusals, refuse };
}

describe('requests that are refused', () => {
  it('are counted by reason, from zero', async () => {
    const { refusals } = aDoor();
    expect(refusals.totals().map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 0]);
    await refusals.note('a', 'foreign');
    await refusals.note('b', 'foreign');
    expect(refusals.totals()).toContainEqual({ reason: 'foreign', count: 2 });
  });

  it('are logged once per source and minute, with how many were not', async () => {
    const { refusals, lines, advance } = aDoor();
    for (let count = 0; count < 5; count += 1) await refusals.note('192.0.2.1', 'no_token');
    await refusals.note('192.0.2.2', 'scope');
    expect(lines).toEqual([
      'a request from 192.0.2.1 was refused (no_token)',
      'a request from 192.0.2.2 was refused (scope)',
    ]);
    await advance(60_000);
    await refusals.note('192.0.2.1', 'no_token');
    expect(lines.at(-1)).toBe('a request from 192.0.2.1 was refused (no_token); 4 more since the last line about it');
  });

  it('fill no log, however many sources there are', async () => {
    const { refusals, lines, advance } = aDoor();
    for (let source = 0; source < 5_000; source += 1) await refusals.note(`s${source}`, 'no_token');
    expect(lines).toHaveLength(30);
    await advance(60_000);
    await refusals.note('another', 'no_token');
    expect(lines.at(-1)).toContain('4970 other sources were not named');
  });

  it('are answered at once ten times a minute, then ever more slowly, at most after three seconds', async () => {
    const { refuse } = aDoor();
    const waits: (number | undefined)[] = [];
    for (let count = 0; count < 18; count += 1) waits.push((await refuse()).waitedMs);
    expect(waits.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(waits.slice(10)).toEqual([100, 200, 400, 800, 1_600, 3_000, 3_000, 3_000]);
  });

  it('are not slowed when it was only the body that was refused: its sender has shown a good token', async () => {
    const { refusals } = aDoor();
    for (let count = 0; count < 100; count += 1) await refusals.note('192.0.2.1', 'body_invalid');
    expect(refusals.totals()).toContainEqual({ reason: 'body_invalid', count: 100 });
  });

  it('slow down no other client', async () => {
    const { refuse } = aDoor();
    for (let count = 0; count < 14; count += 1) await refuse('192.0.2.1');
    expect((await refuse('192.0.2.2')).waitedMs).toBe(0);
  });

  it('wait in a bounded number: what is beyond is cut off at once', async () => {
    const { refusals, advance } = aDoor();
    const all = Array.from({ length: 100 }, () => refusals.note('192.0.2.1', 'unknown_token'));
    await advance(5_000);
    const cut = (await Promise.all(all)).filter((one) => one.cut);
    expect(cut).toHaveLength(100 - 10 - 64);
  });
});

describe('a source', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'local socket'],
  ])('%s is %s', (address, source) => expect(sourceOf(address)).toBe(source));
});
