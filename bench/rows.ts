/** Prints the table at the end of a bench. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** One line of the table that `npm run bench` prints at its end. */
export interface Row {
  readonly part: string;
  readonly measure: string;
  readonly figure: string;
  readonly goal: string;
  readonly met: boolean | undefined;
}

const NAMES = ['part', 'measure', 'figure', 'goal', 'met'];
/** Where `main.ts` listens for rows. A part that runs alone has no listener and prints them at once. */
const ROWS_FD = Number(process.env.REEVE_BENCH_ROWS ?? 0);

export function sayRow(row: Row): void {
  if (ROWS_FD > 0) writeSync(ROWS_FD, `${JSON.stringify(row)}\n`);
  else process.stdout.write(`${cellsOf(row)}\n`);
}

export function tableOf(rows: readonly Row[]): string {
  return [`| ${NAMES.join(' | ')} |`, `|${'---|'.repeat(NAMES.length)}`, ...rows.map(cellsOf)].join('\n');
}

const cellsOf = ({ part, measure, figure, goal, met }: Row): string =>
  `| ${[part, measure, figure, goal, met === undefined ? '–' : met ? 'yes' : 'NO'].map(inCell).join(' | ')} |`;

/** Names of pipelines hold what divides cells. */
export const inCell = (text: string): string => text.replaceAll('|', '\\|');

/**
 * How long this machine takes now for the same sum of a hundred million numbers, in milliseconds. A rented core gives
 * its time away to others and shows it nowhere else: figures beside a yardstick of three times the usual mean little.
 * In a process of its own: in one that has done much else, the sum is not always optimised again.
 */
export const yardstickMs = (): number =>
  Number(execFileSync(process.execPath, [join(import.meta.dirname, 'yardstick.ts')], { encoding: 'utf8' }));

/**
 * Seconds of all cores that the host has given to others since this machine started (`steal` in proc_stat(5)): what ran
 * here waited for them. 0 where that is not reported.
 */
export function stolenSeconds(): number {
  try {
    return Number(readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]?.split(/ +/)[8] ?? 0) / 100;
  } catch {
    return 0;
  }
}

/** The value below which `share` of the sorted values lie. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
