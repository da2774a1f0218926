import { describe, expect, it } from 'vitest';
import type { Sample } from '../../../src/core/sample.ts';
import { FactStore } from '../../../src/ground/facts/facts.ts';
import { lookOf } from '../looks.ts';
import { setupOf } from '../scene.ts';

const ENGINE = { id: 'local', pollMs: 1_000, autorestartGraceMs: 1_000, hostEveryMs: undefined };
const from = { at: 0, source: 's' } as const;
const OF: Readonly<Record<Sample['kind'], (monoMs: number, ok: boolean) => Sample>> = {
  playlist: (monoMs, ok) => ({ ...from, kind: 'playlist', channel: 'news', monoMs, ok, revision: `r${monoMs}` }),
  process: (monoMs, ok) => lookOf(`${monoMs} ${ok ? 'running' : 'exited'} a`),
  source: (monoMs, ok) => ({ ...from, kind: 'source', channel: 'news', host: 'h', monoMs, ok }),
  reach: (monoMs, ok) => ({ ...from, kind: 'reach', channel: 'news', monoMs, ok }),
  progress: (monoMs, ok) =>
    ({ ...from, kind: 'progress', channel: 'news', monoMs, outTimeMs: ok ? monoMs : 0 }) as never,
  viewers: (monoMs, ok) => ({ ...from, kind: 'viewers', channel: 'news', monoMs, viewers: ok ? 1 : 0 }),
  engine: (monoMs, ok) => ({
    ...from,
    kind: 'engine',
    engine: 'local',
    monoMs,
    ok,
    poolPressure: 0,
    reportsPool: true,
  }),
  host: (monoMs, ok) =>
    ({ ...from, kind: 'host', engine: 'local', monoMs, disks: [], oomKills: ok ? 0 : 1, cpuPressure: 0 }) as never,
  credential: (monoMs, ok) => ({ ...from, kind: 'credential', engine: 'local', monoMs, ok }) as never,
};

describe('a sample that comes after one that was taken later', () => {
  const store = () => new FactStore({ channels: [setupOf('news')], engines: [ENGINE] }, () => undefined);
  const seen = (facts: FactStore) =>
    JSON.stringify([facts.view('news'), facts.engineFacts('local'), facts.hostFacts('local')]);

  const kinds = Object.keys(OF) as Sample['kind'][];
  const ANSWERS: readonly Sample['kind'][] = ['source', 'reach', 'engine'];

  it.each(kinds.filter((kind) => !ANSWERS.includes(kind)))(
    'tells nothing of a %s, unless it is of the same moment',
    (kind) => {
      const facts = store();
      facts.observe(OF[kind](5_000, true));
      const before = seen(facts);
      facts.observe(OF[kind](4_999, false));
      expect(seen(facts)).toBe(before);
      facts.observe(OF[kind](5_000, false));
      expect(seen(facts)).not.toBe(before);
    },
  );

  it.each(ANSWERS)('tells of a %s that an answer was missing, and not that one came (S8)', (kind) => {
    const facts = store();
    facts.observe(OF[kind](5_000, false));
    const failed = seen(facts);
    facts.observe(OF[kind](4_999, true));
    expect(seen(facts)).toBe(failed);
    facts.observe(OF[kind](6_000, true));
    const well = seen(facts);
    facts.observe(OF[kind](5_999, false));
    expect(seen(facts)).not.toBe(well);
  });

  it('of a process that is there no more is no start, and of an old picture no move', () => {
    const starts: string[] = [];
    const facts = new FactStore({ channels: [setupOf('news')], engines: [ENGINE] }, (...start) =>
      starts.push(start.join(' ')),
    );
    for (const look of ['1000 running a', '3000 running b', '2000 running a', '4000 running b'])
      facts.observe(lookOf(look));
    expect(starts).toEqual(['news b local']);
    for (const monoMs of [1_000, 3_000, 2_000]) facts.observe(OF.playlist(monoMs, true));
    expect(facts.view('news')?.output?.changedMs).toBe(3_000);
  });

  it('says nothing of another kind, and nothing before the first of its kind', () => {
    const facts = store();
    facts.observe(OF.playlist(5_000, true));
    facts.observe(OF.source(1_000, true));
    facts.observe(lookOf('1000 running a'));
    expect(facts.view('news')).toMatchObject({ source: { okStreak: 1 }, process: { lastMs: 1_000 } });
  });

  it('of a process is late, too, after a look that could not read its state', () => {
    const facts = store();
    facts.observe(lookOf('1000 running a'));
    facts.observe(lookOf('3000 unknown'));
    facts.observe(lookOf('2000 running a'));
    expect(facts.view('news')?.process?.unreadableSinceMs).toBe(3_000);
    facts.observe(lookOf('3001 running a'));
    expect(facts.view('news')?.process?.unreadableSinceMs).toBe(undefined);
  });
});
