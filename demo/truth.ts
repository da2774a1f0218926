/** Reads from files and the supervisor, not from Reeve, whether a channel plays. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../src/core/clock.ts';
import type { StageChannel, StagePaths } from './channels.ts';
import { playlistOf, SEGMENT_S } from './channels.ts';
import type { Supervisor } from './supervisor.ts';

/** What is so about a channel, seen from outside Reeve: the files on disk and the supervisor's own state. */
export interface ChannelTruth {
  readonly channel: string;
  /** By the supervisor's own names: RUNNING, FATAL, EXITED … */
  readonly state: string;
  readonly pid: number;
  /** It runs, and new segments that hold something are still coming. */
  readonly playing: boolean;
  readonly playlistAgeMs: number | undefined;
  readonly newestSegmentBytes: number | undefined;
}

/** Four segments' time without a new one is down, whatever the process says. */
export const DOWN_AFTER_MS = 4 * SEGMENT_S * 1_000;

export async function truthOf(
  channels: readonly StageChannel[],
  { paths, supervisor, clock }: { paths: StagePaths; supervisor: Supervisor; clock: Clock },
): Promise<readonly ChannelTruth[]> {
  const states = await supervisor.states();
  return Promise.all(
    channels.map(async ({ id }) => {
      const program = states.find((state) => state.name === id);
      const output = await outputOf(playlistOf(paths, id), clock.now());
      const { playlistAgeMs = Number.POSITIVE_INFINITY, newestSegmentBytes = 0 } = output;
      const { state = 'UNKNOWN', pid = 0 } = program ?? {};
      // An ffmpeg that ends in order writes its playlist once more: a fresh file alone proves nothing.
      const runs = state === 'RUNNING' || state === 'STARTING';
      const playing = runs && playlistAgeMs < DOWN_AFTER_MS && newestSegmentBytes > 0;
      return { channel: id, state, pid, playing, ...output };
    }),
  );
}

async function outputOf(
  playlist: string,
  nowMs: number,
): Promise<Pick<ChannelTruth, 'playlistAgeMs' | 'newestSegmentBytes'>> {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(playlist), readFile(playlist, 'utf8')]);
    const newest = text.split('\n').findLast((line) => line !== '' && !line.startsWith('#'));
    const segment = newest
      ? await stat(join(dirname(playlist), newest.split('/').at(-1)!)).catch(() => undefined)
      : undefined;
    return { playlistAgeMs: nowMs - mtimeMs, newestSegmentBytes: segment?.size };
  } catch {
    return { playlistAgeMs: undefined, newestSegmentBytes: undefined };
  }
}

/** A place in the supervisor's log: what was counted from here on happened after it. */
export type LogMark = number;

/** Counts real process starts: each is one `spawned:` line of the supervisor itself, whoever asked for it. */
export function startsIn(log: string, from: LogMark, channel: string): number {
  return log.slice(from).split(`INFO spawned: '${channel}' with pid `).length - 1;
}
