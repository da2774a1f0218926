/**
 * `npm run reactions`: how quickly the real daemon puts several faults at once right, on real channels under a real
 * supervisord. Three encoders are killed at once; a storm ends; a channel is frozen beside one that crashes again and
 * again. Each figure is printed beside its limit; exit 1 where one is missed.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../src/core/clock.ts';
import { MINUTE_MS } from '../src/core/duration.ts';
import type { JournalEntry } from '../src/core/journal.ts';
import { until } from './process.ts';
import { type Reeve, startReeve } from './reeve.ts';
import { openStage, type Stage } from './stage.ts';

const clock = systemClock;
const { values } = parseArgs({
  options: {
    /** Some acts alone: three, storm, flapping. */
    only: { type: 'string' },
    /** What the journal says meanwhile. */
    trace: { type: 'boolean', default: false },
  },
});

const PULLED = 8;
/** The supervisor itself starts it again, whatever it does. */
const FLAPPING = 'gen4';
const PULLS = Array.from({ length: PULLED }, (_, at) => `pull${at + 1}`);

/** One figure, and what it may be at most. */
interface Figure {
  readonly what: string;
  readonly value: number;
  readonly max: number;
  readonly unit: string;
}

interface Company {
  readonly stage: Stage;
  readonly reeve: Reeve;
}

const seconds = (what: string, ms: number, maxS: number): Figure => ({
  ...{ what, value: Math.round(ms / 100) / 10, max: maxS, unit: 's' },
});

const isOf = (type: JournalEntry['fact']['type'], channels: readonly string[]) => (entry: JournalEntry) =>
  entry.fact.type === type && entry.channel !== undefined && channels.includes(entry.channel);

/** The newest entries since then that a test of them picks, once there are as many as wanted; waits for them. */
async function entriesOf(
  { reeve }: Company,
  since: number,
  wanted: { readonly picks: (entry: JournalEntry) => boolean; readonly count: number; readonly withinMs: number },
): Promise<readonly JournalEntry[]> {
  const found = () => reeve.entries.filter((entry) => entry.at >= since && wanted.picks(entry));
  const enough = async (): Promise<boolean> => {
    await reeve.catchUp();
    return new Set(found().map(({ channel }) => channel)).size >= wanted.count;
  };
  await until(enough, wanted.withinMs, { clock, everyMs: 250 });
  return found();
}

const lastMs = (entries: readonly JournalEntry[], count: number): number =>
  entries.length < count ? Number.POSITIVE_INFINITY : Math.max(...entries.map(({ at }) => at));

/** Three deaths at once are one cause: nothing begins while more may die, then one first and the others after it. */
async function threeKilled(company: Company): Promise<readonly Figure[]> {
  const { stage } = company;
  const three = ['gen1', 'gen2', 'gen3'];
  const from = clock.now();
  await Promise.all(three.map((id) => stage.faults.killed(id)));
  const diedMs = clock.now();
  const picks = isOf('attempt.verified', three);
  const verified = await entriesOf(company, from, { picks, count: three.length, withinMs: 120_000 });
  const started = company.reeve.entries.filter((entry) => entry.at >= from && isOf('tool.started', three)(entry));
  const provedMs = Math.min(...verified.map(({ at }) => at));
  const wave = started.filter(({ at }) => at < provedMs).length;
  return [
    seconds('three killed: all verified after the last death', lastMs(verified, three.length) - diedMs, 25),
    { what: 'three killed: starts in the first wave', value: wave, max: 2, unit: '' },
  ];
}

/** Every source refuses for half a minute; what stays down is started when they answer. */
async function stormEnds(company: Company): Promise<readonly Figure[]> {
  const { stage, reeve } = company;
  const from = clock.now();
  await stage.faults.storm();
  await clock.sleep(30_000);
  await stage.faults.lift();
  const answeredMs = clock.now();
  const playing = async (): Promise<boolean> => {
    const truths = await stage.status();
    return truths.every(({ playing, playlistAgeMs = Number.POSITIVE_INFINITY }) => playing && playlistAgeMs < 4_000);
  };
  const isBack = await until(playing, 180_000, { clock, everyMs: 250 });
  const playingMs = clock.now();
  await entriesOf(company, from, { picks: isOf('attempt.verified', PULLS), count: PULLED / 2, withinMs: 60_000 });
  const started = reeve.entries.filter((entry) => entry.at >= from && isOf('tool.started', PULLS)(entry));
  const verified = reeve.entries.filter((entry) => entry.at >= from && isOf('attempt.verified', PULLS)(entry));
  const firstMs = Math.min(...started.map(({ at }) => at));
  const provedMs = Math.max(isBack ? playingMs : Number.POSITIVE_INFINITY, lastMs(verified, 1));
  return [
    seconds('storm: first start after the sources answer', firstMs - answeredMs, 15),
    seconds(`storm: all ${PULLED} play, those that were started verified`, provedMs - answeredMs, 45),
    { what: 'storm: starts before the sources answer', value: countBefore(started, answeredMs), max: 0, unit: '' },
  ];
}

const countBefore = (entries: readonly JournalEntry[], ms: number): number =>
  entries.filter(({ at }) => at < ms).length;

/** One channel that the supervisor starts every two seconds takes nothing from another in its group. */
async function besideFlapping(company: Company): Promise<readonly Figure[]> {
  const { stage } = company;
  const frozen = PULLS[1]!;
  await stage.faults.crashLoop(FLAPPING);
  await clock.sleep(40_000);
  const from = clock.now();
  await stage.faults.frozen(frozen);
  const frozenMs = clock.now();
  const opened = await entriesOf(company, from, {
    picks: isOf('incident.opened', [frozen]),
    count: 1,
    withinMs: 60_000,
  });
  const picks = isOf('attempt.verified', [frozen]);
  const verified = await entriesOf(company, from, { picks, count: 1, withinMs: 120_000 });
  return [
    seconds('beside a flapping one: frozen channel found', lastMs(opened, 1) - frozenMs, 10),
    seconds('beside a flapping one: started and verified', lastMs(verified, 1) - frozenMs, 20),
  ];
}

const ACTS = { three: threeKilled, storm: stormEnds, flapping: besideFlapping } as const;
type ActName = keyof typeof ACTS;

const SHOWN: ReadonlySet<string> = new Set([
  'incident.opened',
  'incident.closed',
  'guard.decided',
  'tool.started',
  'attempt.verified',
  'containment.raised',
  'containment.cleared',
  'run.ended',
  'escalation.raised',
]);

function showStory({ entries }: Reeve, sinceMs: number): void {
  for (const { at, channel = '', fact } of entries) {
    if (at < sinceMs || !SHOWN.has(fact.type)) continue;
    console.log(
      `  ${((at - sinceMs) / 1_000).toFixed(1)} ${fact.type} ${channel} ${JSON.stringify(fact).slice(0, 300)}`,
    );
  }
}

async function main(): Promise<number> {
  const names = (values.only?.split(',') ?? Object.keys(ACTS)) as readonly ActName[];
  await using stage = await openStage({ generated: 4, pulled: PULLED, autorestart: [FLAPPING] });
  // Twelve processes that are young when Reeve first sees them would fill the window of starts (law S2).
  await clock.sleep(MINUTE_MS);
  await using reeve = await startReeve(stage, { upstreamAfter: '15s' });
  let missed = 0;
  for (const name of names) {
    const begunMs = clock.now();
    if (!(await reeve.sawAllPlay())) throw new Error(`before ${name} not every channel played`);
    for (const { what, value, max, unit } of await ACTS[name]({ stage, reeve })) {
      const isMet = value <= max;
      if (!isMet) missed += 1;
      console.log(`${isMet ? 'met   ' : 'MISSED'} ${what}: ${value}${unit && ` ${unit}`} (at most ${max})`);
    }
    if (values.trace) showStory(reeve, begunMs);
    await stage.faults.clear();
  }
  return missed === 0 ? 0 : 1;
}

process.exitCode = await main();
