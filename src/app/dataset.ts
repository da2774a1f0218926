/** `reeve dataset export`: reads the journal and the memory, redacts, splits, checks by replay. */
import { join } from 'node:path';
import { openMemoryFile } from '../memory/memory_file.ts';
import { redact } from '../collect/redact.ts';
import type { Rule } from '../core/rule.ts';
import { entryOf } from '../journal/entry.ts';
import { SqliteStore } from '../journal/sqlite.ts';
import {
  type ChainRow,
  chainOf,
  choicesOf,
  dialoguesOf,
  insightRow,
  type Row,
  redacted,
  type Split,
  splitBounds,
  splitOf,
} from '../memory/dataset.ts';
import { type Replayed, replayed } from '../memory/dataset_replay.ts';
import { createRulebook } from '../rulebook/rulebook.ts';

export type DatasetRow = Row & { readonly split: Split };

export interface Dataset {
  readonly rows: readonly DatasetRow[];
  readonly replay: Replayed;
  /** Texts that redaction changed once more on the way out. */
  readonly redactions: number;
  /** The journal that it was made from ends with this entry. */
  readonly throughSeq: number;
}

const DIALOGUE_TYPES = ['question.asked', 'search_plan.made', 'task.reported', 'question.answered'];

/** Throws JOURNAL_BROKEN where there is no journal. `rules`: those in force, for the replay. */
export function datasetOf(state: string, rules: readonly Rule[], tell: (text: string) => void): Dataset {
  const journal = SqliteStore.openForReading(join(state, 'journal.db'));
  try {
    const chains = chainsIn(journal);
    const dialogues = dialoguesOf([...journal.read({ types: DIALOGUE_TYPES })].map(entryOf));
    using memory = openMemoryFile(state, tell);
    const insights = memory.reads.insights.list({ state: 1, limit: 100_000 }).map(insightRow);
    const book = createRulebook(rules);
    const known = new Set(rules.map(({ id }) => id));
    const replay = replayed(chains, book.decide.bind(book), (rule) => known.has(rule));
    const { rows, redactions } = outgoing([...chains, ...dialogues, ...insights]);
    return { rows, replay, redactions, throughSeq: journal.last()?.seq ?? 0 };
  } finally {
    journal.close();
  }
}

function chainsIn(journal: SqliteStore): readonly ChainRow[] {
  const rows: ChainRow[] = [];
  for (const { incident } of journal.read({ types: ['incident.closed'] })) {
    if (incident === undefined) continue;
    const row = chainOf([...journal.read({ incident })].map(entryOf), choicesOf);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function outgoing(rows: readonly Row[]): Pick<Dataset, 'rows' | 'redactions'> {
  const bounds = splitBounds(rows.map(({ at }) => at));
  let redactions = 0;
  const cut = (text: string): string => {
    const clean = redact(text);
    if (clean !== text) redactions += 1;
    return clean;
  };
  const all = rows.map((row): DatasetRow => ({ ...redacted(row, cut), split: splitOf(row.at, bounds) }));
  return { rows: all.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)), redactions };
}
