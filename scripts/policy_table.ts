/** The tables and the chart of `npm run policies`, from what each world came to: pure text, nothing is run. */
import type { SimulationReport } from '../src/simulation/simulate.ts';
import { type Pair, ratioInterval, ratioOf, spreadOf } from '../src/simulation/statistics.ts';

/** Every policy that is compared, Reeve last. */
export const POLICIES = ['none', 'naive', 'health_tasks', 'monit', 'reeve'] as const;
export type PolicyName = (typeof POLICIES)[number];

/** What one world came to under every policy. */
export interface World {
  readonly seed: number;
  readonly reports: Readonly<Record<PolicyName, SimulationReport>>;
}

/** One policy over all worlds. Times in seconds, downtime in viewer-hours. */
export interface Row {
  readonly policy: PolicyName;
  readonly p50: number;
  readonly p95: number;
  readonly restarts: number;
  readonly needless: number;
  readonly storms: number;
  readonly worstMinute: number;
  readonly dark: number;
  readonly pages: number;
  readonly missed: number;
}

const hoursIn = ({ darkViewerSeconds }: SimulationReport): number => darkViewerSeconds / 3_600;
const BOOTSTRAP_SEED = 1;

export function rowOf(policy: PolicyName, worlds: readonly World[]): Row {
  const all = worlds.map(({ reports }) => reports[policy]);
  const sum = (of: (report: SimulationReport) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    policy,
    p50: sum(({ mttrS }) => mttrS.p50) / all.length,
    p95: sum(({ mttrS }) => mttrS.p95) / all.length,
    restarts: sum((one) => one.restarts),
    needless: sum((one) => one.unnecessaryRestarts),
    storms: sum((one) => one.storms),
    worstMinute: Math.max(0, ...all.map(({ startsInWorstMinute }) => startsInWorstMinute)),
    dark: sum(hoursIn),
    pages: sum((one) => one.escalations),
    missed: sum((one) => one.missedEscalations),
  };
}

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const rule = (cells: readonly unknown[]): string => `|${'---|'.repeat(cells.length)}`;
const tableOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [line(head), rule(head), ...rows.map(line)].join('\n');
const whole = (value: number): string => Math.round(value).toLocaleString('en');

const SUMS = ['policy', 'recovery p50 / p95', 'restarts', 'needless', 'storms', 'starts in the worst minute'];

/** What all worlds together came to. */
export const sumsTable = (rows: readonly Row[]): string =>
  tableOf(
    [...SUMS, 'dark viewer-hours', 'pages', 'missed'],
    rows.map(({ policy, p50, p95, restarts, needless, storms, worstMinute, dark, pages, missed }) => [
      policy,
      `${p50.toFixed(0)} s / ${p95.toFixed(0)} s`,
      ...[restarts, needless, storms, worstMinute, dark, pages, missed].map(whole),
    ]),
  );

const SPREAD = ['policy', 'dark viewer-hours of a world: median (quartiles)', 'worst world'];

/** How the worlds lie, and Reeve against each policy. */
export function spreadTable(worlds: readonly World[]): string {
  const rows = POLICIES.map((policy) => {
    const { q1, median, q3, worst } = spreadOf(worlds.map(({ reports }) => hoursIn(reports[policy])));
    return [policy, `${whole(median)} (${whole(q1)} to ${whole(q3)})`, whole(worst), ...againstReeve(policy, worlds)];
  });
  return tableOf([...SPREAD, 'Reeve : it, with 95 % interval', 'worst ratio', 'Reeve less in'], rows);
}

function againstReeve(policy: PolicyName, worlds: readonly World[]): readonly string[] {
  if (policy === 'reeve') return ['–', '–', '–'];
  const pairs = worlds.map(({ reports }): Pair => ({ ours: hoursIn(reports.reeve), theirs: hoursIn(reports[policy]) }));
  const { ratio, low, high } = ratioInterval(pairs, { seed: BOOTSTRAP_SEED });
  const ratios = pairs.map(ratioOf);
  const worst = Math.max(...ratios);
  const less = ratios.filter((one) => one < 1).length;
  return [
    `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
    `${worst.toFixed(2)} (seed ${worlds[ratios.indexOf(worst)]!.seed})`,
    `${less} of ${pairs.length}`,
  ];
}

/** Puts a text between the two marks of a page that carry this name. Throws where the marks are not there. */
export function replaceBetween(page: string, name: string, text: string): string {
  const [from, to] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [start, end] = [page.indexOf(from), page.indexOf(to)];
  if (start < 0 || end < start) throw new Error(`the page has no pair of marks <!-- ${name} --> and <!-- /${name} -->`);
  return `${page.slice(0, start + from.length)}\n${text}\n\n${page.slice(end)}`;
}

const WIDTH = 760;
const BAR = 18;
const PANELS = [
  { title: 'needless restarts', of: (row: Row) => row.needless },
  { title: 'storms (more than 10 unverified starts in 60 s)', of: (row: Row) => row.storms },
  { title: 'dark viewer-hours', of: (row: Row) => row.dark },
  { title: 'channels dark for 10 min of which nobody was told', of: (row: Row) => row.missed },
] as const;

/** Bars that can be read without colour: each carries its name and its number. */
export function chartOf(rows: readonly Row[], caption: string): string {
  const panel = 34 + rows.length * (BAR + 6);
  const parts = PANELS.map(({ title, of }, at) => {
    const top = 40 + at * panel;
    const max = Math.max(1, ...rows.map(of));
    const bars = rows.map((row, index) => {
      const y = top + 24 + index * (BAR + 6);
      const width = Math.round((of(row) / max) * (WIDTH - 260));
      const fill = row.policy === 'reeve' ? '#1f6f54' : '#8a94a0';
      return (
        `<text x="110" y="${y + 13}" text-anchor="end">${row.policy}</text>` +
        `<rect x="120" y="${y}" width="${Math.max(1, width)}" height="${BAR}" fill="${fill}"/>` +
        `<text x="${128 + width}" y="${y + 13}">${whole(of(row))}</text>`
      );
    });
    return `<text x="120" y="${top + 14}" font-weight="bold">${title}</text>${bars.join('')}`;
  });
  const height = 56 + PANELS.length * panel;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13"`,
    ` role="img" aria-label="${caption}"><rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="120" y="24">${caption}</text>${parts.join('')}</svg>\n`,
  ].join('');
}
