// Decides from samples taken after a restart whether it worked.
import type { MonoMs } from '../core/clock.ts';
import type { ChannelFacts } from './facts/facts.ts';
import { healthOf, processKnown } from './facts/health.ts';
import type { ProcessFacts } from './facts/process_facts.ts';

/** What fresh samples say of a restart so far. */
export interface FreshVerdict {
  readonly state: 'cured' | 'not_yet' | 'failed';
  readonly because: string;
}

const notYet = (because: string): FreshVerdict => ({ state: 'not_yet', because });
const failed = (because: string): FreshVerdict => ({ state: 'failed', because });

/** The start that an action leads to may still be refused and tried again by the engine for this long. */
const DEAD_AGAIN_MS = 5_000;

/**
 * Judges a restart on samples taken after it only: a process generation other than the one before, running, and output
 * that this generation wrote. A closing playlist of the old process and one that merely lies on the disk do not count.
 */
export function verifyFresh(
  facts: ChannelFacts,
  action: { readonly sinceMs: MonoMs; readonly previousGeneration: string | undefined },
  nowMs: MonoMs,
): FreshVerdict {
  const { process } = facts;
  if (process === undefined) return playlistAfter(facts, action.sinceMs, action.sinceMs);
  if (process.lastMs < action.sinceMs || !processKnown(process, nowMs)) return notYet('no fresh process sample');
  if (process.generation === undefined || process.generation === action.previousGeneration) {
    return notYet('no new process yet');
  }
  // A look that began before the action may end after it, and be the first to show what came of it.
  const isNewlyKnown = action.previousGeneration !== undefined;
  if (!isNewlyKnown && process.seenMs < action.sinceMs) return notYet('the process is older than the action');
  // Its engine may wait for minutes before it calls it running: that it plays is proven by its output.
  const playsAlready = process.state === 'starting' && healthOf(facts, nowMs).healthy === true;
  if (process.state !== 'running' && !playsAlready) return afterDeath(process, nowMs);
  return outputAfter(facts, process, Math.max(process.seenMs, action.sinceMs));
}

function afterDeath(process: ProcessFacts, nowMs: MonoMs): FreshVerdict {
  if (process.state === 'fatal') return failed('the new process failed at once, and the engine gave it up');
  // A new process that is only ever seen dead has not changed the state of the one before.
  const deadMs = nowMs - Math.max(process.stateSinceMs, process.seenMs);
  if (process.state === 'exited' && deadMs >= DEAD_AGAIN_MS) return failed('it died again');
  return notYet(`the new process is ${process.state}`);
}

/** `bornMs`: output from then on is that of the new process. */
function outputAfter(facts: ChannelFacts, process: ProcessFacts, bornMs: MonoMs): FreshVerdict {
  const { reach, progress } = facts;
  const quietMs = Math.min(process.lastEnd?.monoMs ?? bornMs, bornMs);
  if (facts.output !== undefined) return playlistAfter(facts, quietMs, bornMs);
  if (reach !== undefined) {
    const answers = reach.okStreak > 0 && reach.last.monoMs > bornMs;
    return answers ? { state: 'cured', because: 'a new process runs and its output answers' } : notYet('no answer yet');
  }
  if (facts.setup.hasOutputProbe) return notYet('its output was not looked at since');
  const advances = progress !== undefined && progress.reports >= 2 && progress.advancedMs > bornMs;
  const writes = process.bytes !== undefined && process.bytes.movedMs > bornMs;
  if (advances || writes) {
    return { state: 'cured', because: `a new process runs and ${advances ? 'makes progress' : 'writes'}` };
  }
  return notYet('nothing reports new output');
}

/**
 * Output of the new process: a content that was first seen after `bornMs`, replacing one that was still there after
 * `quietMs`, when no process wrote. So neither a late look at old output nor the old process's last segment counts.
 */
function playlistAfter(facts: ChannelFacts, quietMs: MonoMs, bornMs: MonoMs): FreshVerdict {
  const revisions = facts.output?.revisions ?? [];
  const fresh = revisions.filter(
    (one, index) =>
      one.firstMs > bornMs &&
      !one.ended &&
      one.bytes !== 0 &&
      (revisions[index - 1]?.lastMs ?? Number.NEGATIVE_INFINITY) >= quietMs,
  );
  if (fresh.length > 0) return { state: 'cured', because: 'a new process runs and has written new segments' };
  if (revisions.at(-1)?.bytes === 0) return notYet('its newest segment is empty');
  return notYet('its playlist has not moved since');
}
