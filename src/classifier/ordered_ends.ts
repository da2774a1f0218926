/** Tells an end that was ordered from one that came before the order. */
import { asNoise, type Evidence } from './course.ts';
import type { ExcerptLine } from './lines.ts';

/** How one supervisor says that something shall end, and that it has ended: by its number or its name. */
interface SupervisorMessages {
  readonly order: RegExp;
  readonly end: RegExp;
  /** From here on the order is spent. Numbers of processes end once. */
  readonly start?: RegExp;
}

const SUPERVISORS: readonly SupervisorMessages[] = [
  { order: /\bterminating child (\d+)\b/, end: /\b(?:process|child) (\d+) exited\b/ },
  {
    order: /\bStopping (\S{1,200}?)\.service\b/,
    end: /(?:^|\s)(\S{1,200}?)\.service: (?:Main process exited|Failed with result)\b/,
    start: /\bStart(?:ed|ing) (\S{1,200}?)\.service\b/,
  },
  {
    order: /\bContainer (\S{1,200}) {1,4}Stopping\b/,
    end: /(?:^|\s)(\S{1,200}) exited with code \d/,
    start: /\bContainer (\S{1,200}) {1,4}Start(?:ed|ing)\b/,
  },
  {
    order: /\bcontainer kill ([0-9a-f]{6,64}) .{0,400}\bsignal=(?:2|15)\b/,
    end: /\bcontainer die ([0-9a-f]{6,64})\b/,
    start: /\bcontainer start ([0-9a-f]{6,64})\b/,
  },
];

/** What was ordered to end has not failed, whatever its exit code. What ended before that did so by itself. */
export function orderedEnds(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  if (!evidence.some(isExit)) return evidence;
  const wasOrdered = new Set(SUPERVISORS.flatMap((messages) => orderedIn(lines, messages)));
  return evidence.map((one) => (isExit(one) && wasOrdered.has(one.at) ? asNoise(one) : one));
}

const isExit = ({ symptom }: Evidence): boolean => symptom === 'process_exit_nonzero';

/** The lines that tell an end which was ordered. */
function orderedIn(lines: readonly ExcerptLine[], { order, end, start }: SupervisorMessages): readonly number[] {
  const ordered = new Set<string>();
  const ended = new Set<string>();
  const found: number[] = [];
  for (const { at, text } of lines) {
    const name = order.exec(text)?.[1];
    const over = end.exec(text)?.[1];
    const begun = start?.exec(text)?.[1];
    if (begun !== undefined) ordered.delete(begun);
    // What has ended by itself, and has no successor of the same name, cannot be ended any more.
    if (name !== undefined && (start !== undefined || !ended.has(name))) ordered.add(name);
    if (over === undefined) continue;
    ended.add(over);
    if (ordered.has(over)) found.push(at);
  }
  return found;
}
