import { describe, expect, it } from 'vitest';
import { figuresOf, type PolicyPage, type PolicyStart } from '../../src/simulation/figures.ts';
import { plansOf, plant } from './plant.ts';

const MINUTE = 60_000;
const start = (atMs: number, status = 'curable', channel = 'ch0'): PolicyStart => ({
  ...{ channel, atMs, status, process: undefined },
});

/** The figures at minute 30 of a world in which `ch0` dies at minute 1 and is started `downMs` later. */
function figures({
  downMs = 0,
  pages = [],
  starts = [],
}: {
  downMs?: number;
  pages?: PolicyPage[];
  starts?: PolicyStart[];
}) {
  const { service, until } = plant(plansOf(2));
  if (downMs > 0) {
    until(MINUTE);
    service.crash('ch0', { exitSignal: 9 });
    until(MINUTE + downMs);
    if (downMs < 29 * MINUTE) service.restart('ch0', 'policy');
  }
  until(30 * MINUTE);
  return { service, ...figuresOf({ service, starts, pages, nowMs: 30 * MINUTE }) };
}
/** It plays again this long after its start. */
const startUpMs = () => figures({ downMs: MINUTE }).service.at('ch0').playsFromMs - 2 * MINUTE;

describe('the time to repair', () => {
  it('goes from the moment at which a restart would have helped to output', () => {
    const { mttrS } = figures({ downMs: MINUTE });
    expect(mttrS).toEqual({ p50: (MINUTE + startUpMs()) / 1_000, p95: (MINUTE + startUpMs()) / 1_000 });
  });

  it('leaves out what is still down, and is 0 where nothing was', () => {
    expect(figures({ downMs: 29 * MINUTE }).mttrS).toEqual({ p50: 0, p95: 0 });
    expect(figures({}).mttrS).toEqual({ p50: 0, p95: 0 });
  });
});

describe('the starts of a policy', () => {
  it('are counted, and those that no restart could help', () => {
    const starts = [start(0), start(1, 'playing'), start(2, 'incurable'), start(3, 'young')];
    expect(figures({ starts })).toMatchObject({ restarts: 4, unnecessaryRestarts: 3 });
  });

  it('are the most of any minute, and a storm where more than ten of them were not proved', () => {
    const within = (count: number, everyMs: number) =>
      figures({ starts: Array.from({ length: count }, (_, at) => start(at * everyMs)) });
    expect(within(10, 1_000)).toMatchObject({ startsInWorstMinute: 10, storms: 0 });
    expect(within(11, 1_000)).toMatchObject({ startsInWorstMinute: 11, storms: 1 });
    expect(within(11, 6_000)).toMatchObject({ startsInWorstMinute: 10, storms: 0 });
  });

  it('are no storm once their first segments came', () => {
    const process = {
      channel: 'ch0',
      generation: '1',
      bornMs: 0,
      by: 'policy',
      playedMs: 1_000,
      endedMs: undefined,
    } as const;
    const starts = Array.from({ length: 11 }, (_, at) => ({
      ...start(at * 5_000),
      process: { ...process, playedMs: at * 5_000 + 1_000 },
    }));
    expect(figures({ starts })).toMatchObject({ startsInWorstMinute: 11, storms: 0 });
  });
});

describe('people', () => {
  it('who wait for a channel are counted with their seconds', () => {
    const { darkViewerSeconds, service } = figures({ downMs: MINUTE });
    const { viewers } = service.at('ch0');
    expect(darkViewerSeconds).toBe(Math.round((viewers * (MINUTE + startUpMs())) / 1_000));
    expect(figures({}).darkViewerSeconds).toBe(0);
    expect(figures({ downMs: 29 * MINUTE }).darkViewerSeconds).toBe(viewers * 29 * 60);
  });

  it('must be notified of a channel that is down for more than ten minutes', () => {
    const exactly = 10 * MINUTE - startUpMs();
    expect(figures({ downMs: exactly }).missedEscalations).toBe(0);
    expect(figures({ downMs: exactly + 1 }).missedEscalations).toBe(1);
    expect(figures({ downMs: 29 * MINUTE }).missedEscalations).toBe(1);
  });

  it.each([
    ['channel:ch0', 0],
    ['group:g0', 0],
    ['engine:e0', 0],
    ['fleet', 0],
    ['channel:ch1', 1],
    ['group:g1', 1],
  ])('are notified of it by a page of %s, or not', (scope, missed) => {
    const pages = [{ scope, atMs: 5 * MINUTE }];
    expect(figures({ downMs: 20 * MINUTE, pages })).toMatchObject({ missedEscalations: missed, escalations: 1 });
  });

  it('are notified of it from a minute before until it plays', () => {
    const endsMs = MINUTE + 20 * MINUTE + startUpMs();
    const missed = (atMs: number) =>
      figures({ downMs: 20 * MINUTE, pages: [{ scope: 'fleet', atMs }] }).missedEscalations;
    expect([missed(-1), missed(0), missed(endsMs), missed(endsMs + 1)]).toEqual([1, 0, 0, 1]);
    expect(figures({ downMs: 29 * MINUTE, pages: [{ scope: 'fleet', atMs: 30 * MINUTE }] }).missedEscalations).toBe(0);
  });

  it('are notified of it by an older page only when that stays open until it plays', () => {
    const endsMs = MINUTE + 20 * MINUTE + startUpMs();
    const missed = (untilMs: number) =>
      figures({ downMs: 20 * MINUTE, pages: [{ scope: 'channel:ch0', atMs: -1, untilMs }] }).missedEscalations;
    expect([missed(endsMs - 1), missed(endsMs)]).toEqual([1, 0]);
  });
});
