// What the last lines of a log say as a whole, against what each of them says.
import { CURABLE_BY, type FailureClass } from '../../core/classification.ts';
import { evidenceKindOf } from '../../core/symptom.ts';
import type { ChannelFacts } from '../facts/facts.ts';
import { diedBySignal } from './classify_input.ts';
import type { SymptomFacts } from '../facts/symptom_facts.ts';

const NONE: readonly SymptomFacts[] = [];

/** The facts without readings; the same facts where nothing was read. */
export const byLines = (facts: ChannelFacts): ChannelFacts =>
  facts.symptoms.some(({ whole }) => whole === true)
    ? { ...facts, symptoms: facts.symptoms.filter(({ whole }) => whole !== true) }
    : facts;

/**
 * The facts as the newest reading has them: of the lines that it was made of, those that name something else are
 * consequences or chance. What came after it counts as it is. Undefined where nothing was read, and of a process that
 * was killed by a signal: its last lines explain nothing.
 */
export function byReading(facts: ChannelFacts): ChannelFacts | undefined {
  const reading = facts.symptoms.findLast(({ whole }) => whole === true);
  if (reading === undefined) return undefined;
  if (facts.process !== undefined && facts.process.state !== 'running' && diedBySignal(facts.process)) return undefined;
  const isOutranked = (one: SymptomFacts): boolean =>
    evidenceKindOf(one) === 'forgeable' &&
    one.pushed !== true &&
    one.kind !== reading.kind &&
    one.lastMs <= reading.lastMs;
  const lines = facts.symptoms.filter((one) => one.whole !== true && !isOutranked(one));
  const isReported = lines.some((one) => one.origin === 'log' && one.kind === reading.kind && one.pushed !== true);
  return { ...facts, symptoms: [...lines, ...(isReported ? NONE : [reading])] };
}

interface Named {
  readonly trouble: boolean;
  readonly classification: FailureClass | undefined;
}

/**
 * A reading gives a trouble another name, and only one that no restart cures: it opens nothing on a channel that is
 * well, takes no death away, and makes no restart possible that the lines by themselves would not (law S10).
 */
export function better<Found extends Named>(lines: Found, reading: Found): Found {
  const { trouble, classification } = reading;
  if (!lines.trouble || !trouble || classification === undefined || classification === lines.classification)
    return lines;
  if (classification === 'unknown' || CURABLE_BY.start.includes(classification)) return lines;
  return reading;
}
