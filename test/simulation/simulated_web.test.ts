import { describe, expect, it } from 'vitest';
import { createHlsProbe } from '../../src/collect/probes/hls.ts';
import { probeSource } from '../../src/collect/probes/source.ts';
import { ReeveError } from '../../src/core/errors.ts';
import type { ProbeMode } from '../../src/simulation/simulated_probes.ts';
import { playlistUrl, SEGMENT_BYTES, SimulatedWeb, sourceUrl } from '../../src/simulation/simulated_web.ts';
import { refuseCredentials } from '../../src/simulation/treatments.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { plansOf, plant } from './plant.ts';

/** Long enough for any look. */
const LOOK_MS = 5_000;

function web() {
  const world = plant(plansOf(1));
  const { clock, advance } = fakeClock();
  const state = { mode: 'well' as ProbeMode, stirred: 0 };
  const simulated = new SimulatedWeb({
    ...{ seed: 1, clock, service: world.service, probe: () => state.mode },
    stir: () => {
      state.stirred += 1;
    },
  });
  const look = createHlsProbe({ url: playlistUrl('ch0'), ask: simulated.ask, timeoutMs: 3_000, clock });
  /** Its answer, or undefined when there was none within five seconds. */
  const ended = async <T>(begun: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> => {
    const limit = new AbortController();
    clock.after(LOOK_MS - 1, () => limit.abort(new ReeveError('TIMED_OUT', 'late')));
    let answer: T | undefined;
    void begun(limit.signal).then((one) => (answer = one));
    await advance(LOOK_MS);
    return answer;
  };
  return {
    ...{ ...world, clock, state },
    playlist: () => ended((signal) => look(signal)),
    source: () =>
      ended((signal) =>
        probeSource(
          { url: sourceUrl(plansOf(1)[0]!), expect: 'mpegts', clock, isCalm: false, open: simulated.open },
          signal,
        ),
      ),
  };
}

describe('a playlist of the simulated web', () => {
  it('lists what the channel has written, and goes on while it plays', async () => {
    const { playlist, until, service, state } = web();
    until(60_000);
    const written = service.segments(service.at('ch0'));
    const first = await playlist();
    expect(first).toMatchObject({ ok: true, status: 200, targetDurationMs: 2_000, newestSegmentBytes: SEGMENT_BYTES });
    expect(first?.mediaSequence).toBe(Math.max(0, written - 5));
    expect(await playlist()).toMatchObject({ status: 304, revision: first?.revision });
    until(64_000);
    const later = await playlist();
    expect(later).toMatchObject({ ok: true, status: 200, mediaSequence: first!.mediaSequence! + 2 });
    expect(state.stirred).toBeGreaterThanOrEqual(3);
  });

  it('stands still once the channel has died', async () => {
    const { playlist, until, service } = web();
    until(60_000);
    service.crash('ch0', { exitSignal: 9 });
    const first = await playlist();
    until(90_000);
    expect((await playlist())?.revision).toBe(first?.revision);
  });

  it.each<[ProbeMode, boolean]>([
    ['says_still', false],
    ['says_moving', true],
  ])('may lie: %s', async (mode, moves) => {
    const { playlist, state, service } = web();
    if (moves) service.crash('ch0', { exitSignal: 9 });
    state.mode = mode;
    const [one, other] = [await playlist(), await playlist()];
    expect(one?.revision !== other?.revision).toBe(moves);
  });

  it('is lost now and then, and then no answer comes in time', async () => {
    const { playlist, state } = web();
    state.mode = 'noise';
    const looks = [];
    for (let count = 0; count < 40; count += 1) looks.push(await playlist());
    const lost = looks.filter((look) => look?.ok === false);
    expect(lost.length).toBeGreaterThan(2);
    expect(lost.length).toBeLessThan(30);
    expect(new Set(lost.map((look) => look?.failure))).toEqual(new Set(['timeout']));
  });
});

describe('a source of the simulated web', () => {
  it('sends a whole transport stream', async () => {
    const { source } = web();
    expect(await source()).toMatchObject({ ok: true, status: 200, host: 'origin-g0:443' });
  });

  it('refuses, is out, and is lost as the service says', async () => {
    const { source, service, state } = web();
    refuseCredentials(service, 'g0', 60_000);
    expect(await source()).toMatchObject({ ok: false, failure: 'http_status', status: 401 });
    service.heal();
    service.outage('g0', 60_000);
    expect(await source()).toMatchObject({ ok: false, failure: 'refused' });
    service.heal();
    state.mode = 'noise';
    const looks = [];
    for (let count = 0; count < 30; count += 1) looks.push(await source());
    const failures = looks.flatMap((look) => (look?.ok === false ? [look.failure] : []));
    expect(failures.length).toBeGreaterThan(2);
    expect(new Set(failures)).toEqual(new Set(['timeout']));
  });
});
