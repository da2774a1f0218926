// Tells whether what was newly seen of a healthy channel is only that it goes on.
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelFacts } from '../facts/facts.ts';
import { isOfProcess, isUnplayable, standstillOf } from '../facts/health.ts';
import type { ProgressFacts } from '../facts/output_facts.ts';
import { isSlow } from '../facts/speed.ts';

type Looked = Pick<ChannelFacts, 'output' | 'reach' | 'source' | 'progress'>;

/**
 * Of a channel that was judged healthy on `before`: looks and reports since then have shown only that its output moves,
 * its source answers and its encoder keeps up, so that another judgement would come to the same. What a channel in
 * trouble shows is always news.
 */
export const goesOn = (before: ChannelFacts, after: ChannelFacts, nowMs: MonoMs): boolean =>
  outputMoves(before, after, nowMs) &&
  stillAnswers(before.reach, after.reach) &&
  stillAnswers(before.source, after.source) &&
  (before.source?.last.host ?? '') === (after.source?.last.host ?? '') &&
  keepsUp(before.progress, after, nowMs);

function outputMoves({ output: before }: Looked, facts: ChannelFacts, nowMs: MonoMs): boolean {
  const { output: after } = facts;
  if (before === after) return true;
  if (before === undefined || after === undefined) return false;
  const isRead = before.failStreak === 0 && after.failStreak === 0 && !isUnplayable(facts, nowMs);
  const isOpen = before.everChanged && after.revisions.at(-1)?.ended !== true;
  if (!isRead || !isOpen || before.targetDurationMs !== after.targetDurationMs) return false;
  return standstillOf(facts, nowMs) === undefined;
}

/** The same failure lies behind it, and it has answered since. */
const stillAnswers = (before: Looked['reach'] | Looked['source'], after: Looked['reach'] | Looked['source']): boolean =>
  before === after ||
  (before !== undefined &&
    after !== undefined &&
    before.failStreak === 0 &&
    after.failStreak === 0 &&
    before.lastFailMs === after.lastFailMs);

function keepsUp(before: ProgressFacts | undefined, facts: ChannelFacts, nowMs: MonoMs): boolean {
  const { progress: after } = facts;
  if (before === after) return true;
  if (before === undefined || after === undefined || after.outTimeMs <= before.outTimeMs) return false;
  // The first report of this process is what it is well by, where the last one was of another.
  if (isOfProcess(before, facts.process) !== isOfProcess(after, facts.process)) return false;
  // Speeds come of reports that lie apart: between two of them nothing new is known of them.
  return after.resumedMs === before.resumedMs && (after.spaced === before.spaced || !isSlow(facts, nowMs));
}
