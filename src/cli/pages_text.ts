/** Writes open pages: as a table, and in the status those that nobody has taken. */
import { spell } from '../core/duration.ts';
import { plain, table } from './output.ts';

export interface WirePage {
  readonly key: string;
  readonly severity: string;
  readonly scope: string;
  readonly summary: string;
  readonly open_ms: number;
  readonly acked: { readonly who: string; readonly ago_ms: number } | null;
  readonly delivered_to: readonly string[];
}

/** The status stays readable in a mass outage; `reeve pages` has them all. */
const IN_STATUS_MAX = 8;

export const pageTable = (pages: readonly WirePage[]): string =>
  [
    table(
      ['page', 'severity', 'open for', 'taken by', 'delivered to', 'what'],
      pages.map(({ key, severity, open_ms: openMs, acked, delivered_to: deliveredTo, summary }) => [
        plain(key),
        severity,
        spell(openMs),
        acked === null ? '-' : `${plain(acked.who)}, ${spell(acked.ago_ms)} ago`,
        deliveredTo.length === 0 ? 'nobody yet' : deliveredTo.map(plain).join(', '),
        plain(summary),
      ]),
    ),
    'say that you have one with reeve ack KEY: it is not repeated while it lasts',
  ].join('\n');

/** One line for each page that nobody has acknowledged. */
export function pageLines(pages: readonly WirePage[]): readonly string[] {
  const waiting = pages.filter(({ acked }) => acked === null);
  const lines = waiting
    .slice(0, IN_STATUS_MAX)
    .map(({ key, summary, severity }) => `page (${severity}): ${plain(summary)} — reeve ack ${plain(key)}`);
  const left = waiting.length - lines.length;
  return left === 0 ? lines : [...lines, `and ${left} more open pages: reeve pages`];
}
