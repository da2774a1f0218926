import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { auditJournal } from '../../src/journal/audit.ts';
import { toWire } from '../../src/core/wire.ts';
import { entryOf } from '../../src/journal/entry.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { findProgram } from '../../demo/process.ts';
import { type Daemon, type Exported, type Rig, until } from '../support/rig.ts';
import { type Evidence, problemsOf, unknownOf } from './invariants.ts';
import { openScenario, play, type Progress, quiet, statusOf } from './scenario.ts';

export const CALLS = ['fsync', 'pwrite64'] as const;
export const FAULTS = ['KILL', 'EIO', 'ENOSPC'] as const;

/** The `nth` call of this kind by the daemon's main thread is where it happens. Counts from 1. */
export interface Point {
  readonly call: (typeof CALLS)[number];
  readonly fault: (typeof FAULTS)[number];
  readonly nth: number;
}

export const nameOf = ({ call, fault, nth }: Point): string => `${fault} at ${call} ${nth}`;

/** What came of one point. */
export interface Trial {
  readonly point: Point;
  /** False: the scenario ended before the daemon made so many calls. */
  readonly hit: boolean;
  /** Invariants that did not hold, as text. Empty: survived. */
  readonly problems: readonly string[];
  /** Starts whose end no process wrote down. */
  readonly unknown: number;
}

const STRACE = findProgram('strace');
const TRACED = 'trace=fsync,fdatasync,pwrite64';

/** strace beside the daemon, which stays our own child. */
const traced = (rig: Rig, ...more: readonly string[]): readonly string[] => [
  ...[STRACE!, '-D', '-f', '-q', '-o', rig.at('strace.log'), '-e', TRACED],
  ...more,
];

/** Only the calls that are traced cost anything; a signal cannot be injected that way. */
const CHEAP = '--seccomp-bpf';

const injected = (rig: Rig, { call, fault, nth }: Point): readonly string[] =>
  fault === 'KILL'
    ? traced(rig, '-e', `inject=${call}:signal=KILL:when=${nth}`)
    : traced(rig, CHEAP, '-e', `inject=${call}:error=${fault}:when=${nth}`);

/** Why crash points cannot be tried here; undefined when they can. */
export const impossible = (): string | undefined =>
  STRACE === undefined ? 'needs strace: apt-get install strace' : undefined;

/** How many calls of each kind the scenario makes without a fault: the points there are. */
export async function countPoints(): Promise<Readonly<Record<Point['call'], number>>> {
  await using rig = await openScenario();
  const daemon = await rig.run(traced(rig, CHEAP));
  const end = await play(rig, { daemon, isOver: () => !daemon.isRunning }, { died: false });
  if (end !== 'done') throw new Error(`the scenario does not end well without a fault:\n${rig.log()}`);
  await daemon.kill('SIGTERM');
  await until('strace has written its log', () => straceLog(rig).includes('+++ exited'));
  const own = straceLog(rig)
    .split('\n')
    .filter((line) => line.startsWith(`${daemon.child.pid} `));
  const count = (call: string) => own.filter((line) => line.includes(` ${call}(`)).length;
  return { fsync: count('fsync'), pwrite64: count('pwrite64') };
}

const straceLog = (rig: Rig): string =>
  existsSync(rig.at('strace.log')) ? readFileSync(rig.at('strace.log'), 'utf8') : '';

/** Plays the scenario into the fault, starts Reeve again without one, lets it finish, and holds the end to the laws. */
export async function tryPoint(point: Point): Promise<Trial> {
  await using rig = await openScenario();
  const progress: Progress = { died: false };
  try {
    const first = await firstLife(rig, point, progress);
    if (!first.hit) return { point, hit: false, problems: first.problems, unknown: 0 };
    const evidence = await secondProcess(rig, progress);
    const problems = [...first.problems, ...problemsOf(evidence)];
    return { point, hit: true, problems, unknown: unknownOf(evidence).length };
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : String(thrown);
    return { point, hit: true, problems: [`${because}\n${rig.log().slice(-4_000)}`], unknown: 0 };
  }
}

interface FirstLife {
  readonly hit: boolean;
  readonly problems: readonly string[];
}

async function firstLife(rig: Rig, point: Point, progress: Progress): Promise<FirstLife> {
  const daemon = rig.start(injected(rig, point));
  const isHit = () => straceLog(rig).includes('(INJECTED)') || straceLog(rig).includes('+++ killed by SIGKILL');
  const isOver = () => !daemon.isRunning || isHit();
  await until('the daemon is up, or was hit', async () => isOver() || (await fetch(`${daemon.url}/healthz`)).ok, UP_MS);
  const end = isOver() ? 'gone' : await play(rig, { daemon, isOver }, progress);
  if (point.fault === 'KILL') {
    // Stopping makes calls too.
    const code = end === 'done' ? await daemon.kill('SIGTERM') : await daemon.ended;
    const lost = code === 137 || end === 'done' ? [] : [`it ended with ${code}:\n${rig.log().slice(-2_000)}`];
    return { hit: code === 137, problems: lost };
  }
  const problems = end === 'done' ? [] : await afterError(rig, daemon);
  const code = await stop(daemon);
  if (!isHit()) {
    const lost = end === 'done' ? [] : [`it ended with ${code} before the fault:\n${rig.log().slice(-2_000)}`];
    return { hit: false, problems: [...problems, ...lost] };
  }
  const ending = isOrderly(code, daemon) ? [] : [`it ended with ${code}:\n${rig.log().slice(-2_000)}`];
  return { hit: true, problems: [...problems, ...ending] };
}

/** 74: it could not even begin. */
const isOrderly = (code: number, { wasReady }: Daemon): boolean => (wasReady ? code === 0 : code === 0 || code === 74);

async function stop(daemon: Daemon): Promise<number> {
  const beganMs = systemClock.monotonicMs();
  const code = await daemon.kill('SIGTERM');
  const tookMs = systemClock.monotonicMs() - beganMs;
  if (tookMs > STOP_MS_MAX) throw new Error(`stopping took ${tookMs} ms`);
  return code;
}

const STOP_MS_MAX = 12_000;
/** A start is a second; under strace, on a busy machine, it may be many. */
const UP_MS = 60_000;
const CALM_MS = 2_500;

/**
 * A journal that cannot be written is paged at once. That nothing new is begun from then on shows in the end: every
 * invocation needs a start that was written down.
 */
async function afterError(rig: Rig, daemon: Daemon): Promise<readonly string[]> {
  await until('it is up, or gave up', async () => !daemon.isRunning || (await fetch(`${daemon.url}/healthz`)).ok);
  await Promise.race([systemClock.sleep(CALM_MS), daemon.ended]);
  if (!daemon.isRunning) return daemon.wasReady ? [`it ended by itself with ${await daemon.ended}`] : [];
  const journalFailed = /JOURNAL_UNWRITABLE: cannot write [^"]*journal\.db/.test(rig.log());
  const isPaged = rig.delivered.some(({ key }) => key.includes('reeve/internal'));
  return journalFailed && !isPaged ? ['L1: the journal cannot be written, and no page was sent'] : [];
}

async function secondProcess(rig: Rig, progress: Progress): Promise<Evidence> {
  const daemon = await rig.run();
  const { channels } = await statusOf(daemon);
  const end = await play(rig, { daemon, isOver: () => !daemon.isRunning }, progress);
  if (end !== 'done') throw new Error('the second process ended by itself');
  await quiet({ daemon, isOver: () => !daemon.isRunning });
  const whyNot = await daemon.get<Evidence['whyNot']>('/api/v1/why-not/news/restart_channel');
  const code = await stop(daemon);
  const journal = join(rig.state, 'journal.db');
  return {
    ...{ whyNot, code },
    entries: entriesIn(journal),
    delivered: rig.delivered,
    invocations: rig.channels.map((channel) => ({ channel, count: rig.invocations(channel) })),
    unknownShown: channels.filter(({ unknown_outcome }) => unknown_outcome).map(({ id }) => id),
    chain: auditJournal(journal),
  };
}

function entriesIn(journal: string): readonly Exported[] {
  const store = SqliteStore.openForReading(journal);
  try {
    return [...store.read({})].map((row) => toWire(entryOf(row)) as unknown as Exported);
  } finally {
    store.close();
  }
}
