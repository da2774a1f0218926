// Decides whether a sample can change a finding, so that healthy channels are not classified on every sample.
import { MINUTE_MS } from '../../core/duration.ts';
import type { Sample } from '../../core/sample.ts';
import type { ProcessFacts } from '../../ground/facts/process_facts.ts';
import type { TrackedChannel } from './finding_tracker.ts';

/**
 * Whether a sample says anything that may change a judgement. A channel in no trouble whose process is what it was for
 * long needs none: what time alone changes is seen by the sweep. A machine or engine that is well changes no channel's
 * finding.
 */
export function isRelevant(
  sample: Sample,
  process: ProcessFacts | undefined,
  watched: TrackedChannel | undefined,
): boolean {
  if (sample.kind === 'engine') return !sample.ok;
  if (sample.kind !== 'process' || process === undefined || watched === undefined) return true;
  const { finding } = watched;
  if (finding.trouble || finding.healthy === false || sample.halted === true) return true;
  if (process.state !== sample.state || process.generation !== sample.generation) return true;
  if (finding.healthy === true) return false;
  return process.unreadableSinceMs !== undefined || sample.monoMs - lastTurn(process) < UNSETTLED_MS;
}

/** A new life or state that is not known to be healthy yet is judged with every look, for this long. */
const UNSETTLED_MS = MINUTE_MS;

const lastTurn = ({ seenMs, stateSinceMs }: ProcessFacts): number => Math.max(seenMs, stateSinceMs);
