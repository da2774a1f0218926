/** Classifies an excerpt of log lines as a whole. */
import type { SymptomKind } from '../core/symptom.ts';
import { type Catalogue, firstFit, type Pattern } from '../detect/patterns/catalogue.ts';
import { type ExcerptLine, readExcerpt, withoutNone } from './lines.ts';
import { belowCause } from './consequences.ts';
import { courseOf, type Evidence, ROUTINE_SEVERITY, withoutOutlived } from './course.ts';
import { ofConnections } from './connections.ts';
import { ofRelays } from './relays.ts';
import { ofSessions } from './sessions.ts';
import { withoutHarmless } from './harmless.ts';
import { signedAway } from './signed.ts';
import type { Remedy } from '../detect/patterns/pattern.ts';

/** What an excerpt says as a whole. `unknown` where it does not allow a confident class. */
export interface Verdict {
  readonly symptom: SymptomKind;
  /** 0 to 1. */
  readonly confidence: number;
  /** The pattern or the rule about the lines' course that decided; undefined where nothing fitted. */
  readonly pattern: string | undefined;
  readonly remedy: Remedy;
  /** The line that decided, counted from 0; undefined where none did. */
  readonly at: number | undefined;
}

/** Repeating a claim makes it a little weightier, never weightier than a cause of another rank. */
const REPEAT_BONUS_MAX = 1;
/** From so many deaths on, one more start would die too. */
const CRASH_LOOP_MIN = 3;

/** What a line at a low level says in words that any program may use ranks below what a complaint says. */
const HINT_SEVERITY = 44;

/** The files of what every program says, or the libraries in it. */
const GENERAL: ReadonlySet<string> = new Set(['system', 'transport', 'plain']);

/** The symptom of a line by itself. Cheaper than an excerpt, and blind to what happens around it. */
export function classifyLine(line: string, catalogue: Catalogue): Verdict {
  return classifyExcerpt([line], catalogue);
}

/**
 * Weighs what every line says: the likeliest cause wins over its consequences wherever it stands, harmless noise is
 * named as such, and text that outsiders wrote counts for nothing.
 */
export function classifyExcerpt(lines: readonly string[], catalogue: Catalogue): Verdict {
  const read = readExcerpt(lines);
  const connectionEvidence = ofConnections(
    read,
    read.flatMap((line) => evidenceOf(line, catalogue)),
  );
  const found = [...ofRelays(read, ofSessions(read, connectionEvidence)), ...courseOf(read)];
  const evidence = belowCause(signedAway(read, withoutOutlived(read, withoutHarmless(read, found))));
  const best = heaviest(evidence);
  if (best !== undefined && (best.severity > ROUTINE_SEVERITY || !hasUnexplained(read, evidence))) {
    return verdictOf(best, evidence, read);
  }
  if (hasUnexplained(read, evidence))
    return { symptom: 'unknown', confidence: 0.3, pattern: undefined, remedy: 'escalate', at: undefined };
  return { symptom: 'benign_noise', confidence: 0.6, pattern: undefined, remedy: 'none', at: undefined };
}

function evidenceOf(line: ExcerptLine, catalogue: Catalogue): readonly Evidence[] {
  if (line.whole === '') return [];
  const text = withoutNone(line.whole);
  const pattern = firstFit(text, catalogue);
  if (pattern === undefined) return [];
  if (!pattern.consequence) return [evidenceBy(pattern, line)];
  // Such a line often says in the words of a library what it came of.
  const cause = firstFit(text, catalogue, ({ consequence, harmless }) => !consequence && !harmless);
  // The same thing in other words is not what it came of.
  const told = cause?.symptom === pattern.symptom ? undefined : cause;
  return [pattern, told].flatMap((one) => (one === undefined ? [] : [evidenceBy(one, line)]));
}

function evidenceBy(pattern: Pattern, line: ExcerptLine): Evidence {
  const { symptom, confidence, remedy, id, ends, notice, software, consequence } = pattern;
  const general = GENERAL.has(software);
  const most = ends.length > 0 ? ROUTINE_SEVERITY : general && line.tone === 'quiet' ? HINT_SEVERITY : 100;
  const severity = Math.min(pattern.severity, most);
  const restarts = notice === 'started';
  return { at: line.at, symptom, severity, confidence, remedy, pattern: id, general, ends, restarts, consequence };
}

function heaviest(evidence: readonly Evidence[]): Evidence | undefined {
  const repeats = new Map<string, number>();
  for (const { symptom } of evidence) repeats.set(symptom, (repeats.get(symptom) ?? 0) + 1);
  const weight = ({ symptom, severity }: Evidence): number =>
    severity + Math.min(REPEAT_BONUS_MAX, Math.log2(repeats.get(symptom)!));
  let best: Evidence | undefined;
  for (const candidate of evidence) {
    if (best === undefined || weight(candidate) > weight(best)) best = candidate;
  }
  // What failed for no stated reason is not made harmless by ordinary lines of the same rank.
  const vague = evidence.find(({ symptom, severity }) => symptom === 'unknown' && severity >= (best?.severity ?? 0));
  if (best?.symptom === 'benign_noise' && vague !== undefined) return vague;
  return best;
}

function hasUnexplained(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): boolean {
  const explained = new Set(evidence.map(({ at }) => at));
  return lines.some(({ at, tone }) => tone === 'complaint' && !explained.has(at));
}

function verdictOf(best: Evidence, evidence: readonly Evidence[], lines: readonly ExcerptLine[]): Verdict {
  const { symptom, confidence, pattern, at } = best;
  return { symptom, confidence, pattern, remedy: remedyOf(best, evidence, lines), at };
}

const STARTED_AGAIN =
  /\b(?:re-?started|re-?spawned|re-?launched|spawned|started again|back (?:up|online|on air)|(?:is|now) running|running again|entered RUNNING)\b/i;
/** Then it is a plan, a try that failed, or somebody else's start. */
const NOT_STARTED =
  /\b(?:not|never|will|would|to be|fail\w*|cannot|can't|couldn't|unable|schedul\w*|trying|attempt\w*|pending|needs?|should|must|too (?:many|quickly|often)|when|if|until|once|before|limit\w*|give|gave|viewer|client)\b/i;

/** It has been done already, by the log's own text. */
function isStartedAgain(lines: readonly ExcerptLine[], diedAt: number): boolean {
  return lines.some(
    ({ at, text, tone }) => at > diedAt && tone !== 'complaint' && STARTED_AGAIN.test(text) && !NOT_STARTED.test(text),
  );
}

/** A restart is asked for only where nothing else in the excerpt says that it would fail again. */
function remedyOf(best: Evidence, evidence: readonly Evidence[], lines: readonly ExcerptLine[]): Remedy {
  if (best.remedy !== 'restart_channel') return best.remedy;
  const diedAt = evidence.findLast(({ remedy }) => remedy === 'restart_channel')?.at ?? best.at;
  if (evidence.some(({ at, restarts }) => restarts && at > best.at) || isStartedAgain(lines, diedAt)) return 'none';
  const deaths = evidence.filter(({ remedy }) => remedy === 'restart_channel').length;
  const otherTrouble = evidence.some(
    ({ symptom, severity, remedy }) => symptom !== best.symptom && remedy === 'escalate' && severity >= 40,
  );
  const loop = best.symptom.startsWith('process_') && deaths >= CRASH_LOOP_MIN;
  return otherTrouble || loop ? 'escalate' : 'restart_channel';
}
