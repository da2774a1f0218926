/**
 * `npm run pairs`: faults two at a time, on real channels under a real supervisord and the real daemon. Every pair of six
 * kinds is played once, in turn on channels that the supervisor starts again itself and on others. Judged from outside:
 * by files on disk, by what reached the supervisor and by what reached the person. Ends with 1 where a pair failed.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../src/core/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../src/core/duration.ts';
import { type Fault, failuresOf, pairsOfFaults, type Played, stageForPairs } from './pair_checks.ts';
import { until } from './process.ts';
import { type Reeve, startReeve } from './reeve.ts';
import { openStage, type Stage } from './stage.ts';
import { DOWN_AFTER_MS } from './truth.ts';

const clock = systemClock;
const { values } = parseArgs({
  options: {
    /** Some pairs alone, by their numbers: 1,7. */
    only: { type: 'string' },
  },
});

/** A page about what a start cannot cure is due by then, and a cure has been verified. */
const WATCH_MS = 60 * SECOND_MS;
/** A group may have two high-risk actions in a minute: what one pair has used is free again for the next. */
const PAIR_MS_MIN = 70 * SECOND_MS;
const RESOLVED_MS_MAX = 60 * SECOND_MS;

/** More starts than a fleet of this size may have in a day: it has the troubles of months in one. */
const MORE = 'limits: { fleet_daily_restart_cap: { value: 100, i_accept_the_risk: true } }';

interface Company {
  readonly stage: Stage;
  readonly reeve: Reeve;
}

const inject: Readonly<Record<Fault['kind'], (stage: Stage, channel: string) => Promise<void>>> = {
  killed: ({ faults }, channel) => faults.killed(channel),
  crashed: ({ faults }, channel) => faults.crashed(channel),
  frozen: ({ faults }, channel) => faults.frozen(channel),
  crash_loop: ({ faults }, channel) => faults.crashLoop(channel),
  bad_setting: ({ faults }, channel) => faults.badSetting(channel),
  refused: ({ faults }, channel) => faults.origin(channel, 'refuse'),
};

async function play({ stage, reeve }: Company, pair: readonly Fault[]): Promise<Played> {
  if (!(await reeve.sawAllPlay())) throw new Error('not every channel plays');
  const [fromMs, pagesBefore, askedBefore] = [clock.monotonicMs(), stage.pages.length, stage.asked.length];
  const pids = new Map((await stage.status()).map(({ channel, pid }) => [channel, pid]));
  for (const { kind, channel } of pair) await inject[kind](stage, channel);
  const playedMs = new Map<string, number>();
  const played = (): Played => ({
    fromMs,
    pages: stage.pages.slice(pagesBefore),
    starts: stage.asked.slice(askedBefore).filter(({ method }) => method === 'startProcess'),
    playedMs,
  });
  const changedMs = new Map<string, number>();
  const isOver = async (): Promise<boolean> => {
    const nowMs = clock.monotonicMs();
    for (const { channel, pid, playing } of await stage.status()) {
      if (pid > 0 && pid !== pids.get(channel)) changedMs.set(channel, nowMs);
      pids.set(channel, pid);
      // The playlist of the process before is fresh for as long.
      const isNew = nowMs - (changedMs.get(channel) ?? nowMs) >= DOWN_AFTER_MS;
      if (isNew && playing && !playedMs.has(channel)) playedMs.set(channel, nowMs - fromMs);
    }
    return failuresOf(pair, played()).length === 0 && nowMs - fromMs >= WATCH_MS / 2;
  };
  await until(isOver, WATCH_MS, { clock, everyMs: 500 });
  return played();
}

/** Every page that was sent about a pair is taken back when all play again. */
async function isTakenBack(stage: Stage, pagesBefore: number): Promise<boolean> {
  const open = (): boolean => {
    const keys = new Set<string>();
    for (const { what, key } of stage.pages.slice(pagesBefore)) {
      if (what === 'trigger') keys.add(key);
      else keys.delete(key);
    }
    return keys.size > 0;
  };
  return until(async () => !open(), RESOLVED_MS_MAX, { clock, everyMs: 500 });
}

async function main(): Promise<number> {
  const wanted = values.only?.split(',').map(Number);
  await using stage = await openStage(stageForPairs);
  // Processes that are young when Reeve first sees them would fill the window of starts (law S2).
  await clock.sleep(MINUTE_MS);
  await using reeve = await startReeve(stage, { upstreamAfter: '15s', more: MORE });
  let failed = 0;
  for (const [at, pair] of pairsOfFaults().entries()) {
    if (wanted !== undefined && !wanted.includes(at + 1)) continue;
    const [begunMs, pagesBefore] = [clock.monotonicMs(), stage.pages.length];
    const failures = [...failuresOf(pair, await play({ stage, reeve }, pair))];
    await stage.faults.clear();
    if (!(await isTakenBack(stage, pagesBefore))) failures.push('a page was not taken back when all played again');
    const name = pair.map(({ kind, channel }) => `${kind} ${channel}`).join(' + ');
    console.log(`${failures.length === 0 ? 'well  ' : 'FAILED'} ${at + 1}. ${name}`);
    for (const failure of failures) console.log(`         ${failure}`);
    if (failures.length > 0) failed += 1;
    await clock.sleep(Math.max(0, PAIR_MS_MIN - (clock.monotonicMs() - begunMs)));
  }
  console.log(failed === 0 ? 'every pair went well' : `${failed} pairs failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
