import { writeSync } from 'node:fs';

/** One line of the table that `npm run bench` prints at its end. */
export interface Row {
  readonly part: string;
  readonly measure: string;
  readonly figure: string;
  readonly goal: string;
  readonly met: boolean | undefined;
}

const NAMES = ['part', 'measure', 'figure', 'goal', 'met'];
/** Where `main.ts` listens for rows. A part that runs alone has nobody there and says them at once. */
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
 * In pieces, of which the median counts: whether a single long loop is optimised while it runs is a matter of luck.
 */
export function yardstickMs(): number {
  const piece = (): number => {
    const startedMs = performance.now();
    let sum = 0;
    for (let value = 0; value < 5_000_000; value += 1) sum = (sum + value) | 0;
    return sum === 0 ? Number.NaN : performance.now() - startedMs;
  };
  const pieces = Array.from({ length: 40 }, piece).slice(10);
  return (
    20 *
    quantile(
      pieces.sort((a, b) => a - b),
      0.5,
    )
  );
}

/** The value below which `share` of the sorted values lie. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
