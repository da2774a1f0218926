// Decides whether a sample can change a finding, so that healthy channels are not classified on every sample.
import { MINUTE_MS } from '../../core/duration.ts';
import type { ProcessSample, Sample } from '../../core/sample.ts';
import type { ChannelFacts } from '../../ground/facts/facts.ts';
import type { ProcessFacts } from '../../ground/facts/process_facts.ts';
import { goesOn } from '../../ground/rules/goes_on.ts';
import type { TrackedChannel } from './tracked_channel.ts';

/**
 * Whether a sample says anything that may change a judgement; `before` and `after` are what was known of its channel
 * without it and with it. A channel in no trouble whose process is what it was for long needs none, nor does a healthy
 * one that goes on: what time alone changes is seen by the sweep. A machine or engine that is well changes no channel's
 * finding.
 */
export function isRelevant(
  sample: Sample,
  before: ChannelFacts | undefined,
  after: ChannelFacts | undefined,
  watched: TrackedChannel | undefined,
): boolean {
  if (sample.kind === 'engine') return !sample.ok;
  if (watched === undefined || before === undefined || after === undefined) return true;
  const { finding } = watched;
  if (finding.trouble || finding.healthy === false) return true;
  if (sample.kind === 'process') return isProcessNews(sample, before.process, finding.healthy === true);
  const isLook = sample.kind !== 'viewers' && sample.kind !== 'host' && sample.kind !== 'credential';
  return !isLook || finding.healthy !== true || !goesOn(before, after, sample.monoMs);
}

function isProcessNews(sample: ProcessSample, process: ProcessFacts | undefined, isHealthy: boolean): boolean {
  if (process === undefined || sample.halted === true) return true;
  if (process.state !== sample.state || process.generation !== sample.generation) return true;
  if (isHealthy) return false;
  return process.unreadableSinceMs !== undefined || sample.monoMs - lastTurn(process) < UNSETTLED_MS;
}

/** A new process or state that is not known to be healthy yet is judged with every look, for this long. */
const UNSETTLED_MS = MINUTE_MS;

const lastTurn = ({ seenMs, stateSinceMs }: ProcessFacts): number => Math.max(seenMs, stateSinceMs);
