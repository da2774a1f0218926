/** Writes the questions that wait for a person: as a table, and one line each in the status. */
import { spell } from '../core/duration.ts';
import { plain, table } from './output.ts';

export interface WireQuestion {
  readonly id: string;
  readonly what: string;
  readonly incident: string;
  readonly classification: string | null;
  readonly yes_needed: number;
  readonly yes_by: readonly string[];
  readonly expires_in_ms: number;
  /** Why the guard would refuse it all the same. A daemon of an earlier version does not say. */
  readonly refused?: { readonly code: string; readonly because: string } | null;
}

export function questionTable(questions: readonly WireQuestion[]): string {
  const rows = questions.map((one) => [
    one.id,
    plain(one.what),
    one.classification ?? '-',
    one.incident,
    `${one.yes_by.length} of ${one.yes_needed}`,
    spell(one.expires_in_ms),
  ]);
  const refused = questions.flatMap((one) => (one.refused ? [`${one.id}: ${refusedText(one.refused)}`] : []));
  return [
    table(['question', 'what', 'because of', 'incident', 'yes', 'left'], rows),
    ...refused,
    'answer with reeve approve ID --because "…" or reeve deny ID --because "…"',
  ].join('\n');
}

/** Who is told to say yes must see that nothing comes of it for now. What speaks against it may pass in time. */
export const questionLine = ({ id, what, refused }: Pick<WireQuestion, 'id' | 'what' | 'refused'>): string =>
  `waits for a yes: ${plain(what)} — reeve approve ${id}${refused ? `; ${refusedText(refused)}` : ''}`;

const refusedText = ({ code, because }: NonNullable<WireQuestion['refused']>): string =>
  `the guard would refuse it now: ${plain(because)} (${code})`;
