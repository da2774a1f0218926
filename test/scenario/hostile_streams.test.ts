import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aHostileStream, HOSTILE_INPUTS, type HostileStream, TOKENS } from '../support/hostile_streams.ts';
import { aSetting, playHostile, type Setting } from '../support/hostile_environment.ts';

/** A hundred in every run; `npm run hostile` plays a thousand. The same seed gives the same streams. */
const STREAMS = Number(process.env.HOSTILE_STREAMS ?? 100);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);

type Played = Awaited<ReturnType<typeof playHostile>>;
const unattacked = new Map<string, Promise<Played>>();

/** The same environment without an attacker: what a person is paged about the dead channel then. */
function truthOf(setting: Setting): Promise<Played> {
  const key = JSON.stringify(setting);
  const known = unattacked.get(key) ?? playHostile(setting, { writers: [] });
  unattacked.set(key, known);
  return known;
}

const heard = { streams: 0, symptoms: 0, progress: 0, taken: 0, refused: 0, latestMs: 0 };

async function judge(setting: Setting, stream: HostileStream): Promise<void> {
  const truth = await truthOf(setting);
  const played = await playHostile(setting, stream);
  heard.streams += 1;
  for (const what of ['symptoms', 'progress', 'taken', 'refused'] as const) heard[what] += played.heard[what];
  expect(played.failures).toEqual([]);
  expect(played.changesOfPlaying).toEqual([]);
  expect(played.restartsOfPlaying).toBe(0);
  expect(played.restartsBeforeDeath).toBe(0);
  // Where nothing but log text can report the death, there is no page that could be suppressed.
  if (truth.pagedAfterMs === undefined) return;
  expect(played.pagedAfterMs).toBeDefined();
  expect(played.takenBack).toEqual([]);
  heard.latestMs = Math.max(heard.latestMs, played.pagedAfterMs! - truth.pagedAfterMs);
}

describe('hostile streams of log lines and alerts, by every way in and with every token', () => {
  it('restart no channel that plays, and suppress and take back no page about one that is dead', {
    timeout: 1_800_000,
  }, async () => {
    const drawn = fc.sample(aHostileStream, { seed: SEED, numRuns: 100 });
    const alone = drawn.flatMap(({ writers }) => (new Set(writers.map(({ door }) => door)).size === 1 ? writers : []));
    expect(new Set(alone.map(({ door }) => door))).toEqual(new Set(HOSTILE_INPUTS));
    expect(new Set(drawn.flatMap(({ writers }) => writers.map(({ token }) => token)))).toEqual(new Set(TOKENS));

    const property = fc.asyncProperty(aSetting, aHostileStream, judge);
    await fc.assert(property, { seed: SEED, numRuns: STREAMS, endOnFailure: true });
    expect(heard.streams).toBe(STREAMS);
    // They are not only written: what they say is recognised, and what has no leave is refused.
    expect(heard.symptoms).toBeGreaterThan(50 * STREAMS);
    expect(heard.progress).toBeGreaterThan(STREAMS);
    expect(heard.taken).toBeGreaterThan(20 * STREAMS);
    expect(heard.refused).toBeGreaterThan(STREAMS);
    console.info(JSON.stringify(heard));
  });
});
