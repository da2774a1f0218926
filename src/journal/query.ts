/** Builds the SQL of a journal query. */
import type { JournalQuery } from '../core/journal.ts';

type Range = JournalQuery & { readonly sinceSeq: number; readonly throughSeq: number };

export interface Selection {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/**
 * The statement for one page of a query. Each shape walks one index in the order of `seq` and stops after
 * `rowsMax`, so that a page costs the same wherever in a long journal it lies. A `+` keeps SQLite from
 * choosing an index that would have to be sorted.
 */
export function selectRows(query: Range, rowsMax: number): Selection {
  if (query.incident === undefined && query.channel === undefined && query.types !== undefined)
    return selectTypes(query, query.types, rowsMax);
  const conditions = ['seq >= ?', 'seq <= ?'];
  const values: (string | number)[] = [query.sinceSeq, query.throughSeq];
  const add = (condition: string, value: string | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add('incident = ?', query.incident);
  add(query.incident === undefined ? 'channel = ?' : '+channel = ?', query.channel);
  const types = query.types === undefined ? undefined : JSON.stringify(query.types);
  add('+type IN (SELECT value FROM json_each(?))', types);
  const sql = `SELECT * FROM entry WHERE ${conditions.join(' AND ')} ORDER BY seq ${directionOf(query)} LIMIT ?`;
  return { sql, values: [...values, rowsMax] };
}

/** The first rows of each type, then the first of those. */
function selectTypes(query: Range, types: readonly string[], rowsMax: number): Selection {
  const direction = directionOf(query);
  const one = `SELECT seq FROM (SELECT seq FROM entry WHERE type = ? AND seq >= ? AND seq <= ?
    ORDER BY seq ${direction} LIMIT ?)`;
  const firsts = types.length === 0 ? 'SELECT seq FROM entry WHERE 0' : types.map(() => one).join(' UNION ALL ');
  return {
    sql: `SELECT * FROM entry WHERE seq IN (${firsts}) ORDER BY seq ${direction} LIMIT ?`,
    values: [...types.flatMap((type) => [type, query.sinceSeq, query.throughSeq, rowsMax]), rowsMax],
  };
}

const directionOf = (query: JournalQuery): string => (query.newestFirst === true ? 'DESC' : 'ASC');
