/** Renders the entries of an incident as one line a fact. */
import type { JournalFact } from '../core/journal.ts';
import { fromWire } from '../core/wire.ts';
import { lineOf } from '../journal/telling.ts';
import { type Colour, plain } from './output.ts';

/** A journal entry of an incident as the API returns it. */
export interface WireEntry {
  readonly seq: number;
  readonly at: number;
  readonly after_ms: number;
  readonly incident?: string | null;
  readonly run?: string | null;
  readonly fact: { readonly type: string } & Readonly<Record<string, unknown>>;
}

type Paint = (colour: Colour, text: string) => string;
/** What the API tells of an incident; of a long one not the middle. A daemon of an earlier version does not say so. */
export interface WireStory {
  readonly entries: readonly WireEntry[];
  readonly left_out?: number;
  readonly left_out_after?: number | null;
}

/** The story of an incident, one line a fact, with the time since it began. */
export function storyOf(story: WireStory, paint: Paint): string {
  return story.entries
    .flatMap(({ seq, after_ms, fact }) => {
      const line = lineOf(fromWire<JournalFact>(fact));
      const gap = seq === story.left_out_after ? [`${' '.repeat(12)}${paint('gray', leftOutText(story))}`] : [];
      if (line === undefined) return gap;
      const text = plain(line);
      const time = `+${(after_ms / 1000).toFixed(1)} s`.padStart(10);
      return [`${paint('gray', time)}  ${colourOf(fact.type, text, paint)}`, ...gap];
    })
    .join('\n');
}

export const leftOutText = ({ left_out: leftOut = 0 }: WireStory): string =>
  `… ${leftOut} records are left out here (reeve audit export has all) …`;

function colourOf(type: string, text: string, paint: Paint): string {
  if (/NOT |refuses|UNKNOWN|failed/.test(text)) return paint('red', text);
  if (type === 'attempt.verified' || type === 'incident.closed') return paint('green', text);
  return type === 'escalation.raised' ? paint('yellow', text) : text;
}
