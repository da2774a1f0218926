/** Table and chart of a learning run, by week. */
import type { LearningReport, Week } from './run.ts';

/** The same seeds lived through in three ways. */
export interface Compared {
  readonly seed: number;
  readonly recall: LearningReport;
  readonly forgetful: LearningReport;
  readonly untaught: LearningReport;
}

const ratio = ({ incidents, asked }: Week): number => (incidents === 0 ? 0 : asked / incidents);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Sums over seeds, week by week. */
export function weeksOf(reports: readonly LearningReport[]): readonly Week[] {
  const count = Math.min(...reports.map(({ weeks }) => weeks.length));
  return Array.from({ length: count }, (_, at) =>
    reports.reduce(
      (sum, { weeks }) => ({
        incidents: sum.incidents + weeks[at]!.incidents,
        asked: sum.asked + weeks[at]!.asked,
        viewerHours: sum.viewerHours + weeks[at]!.viewerHours,
      }),
      { incidents: 0, asked: 0, viewerHours: 0 },
    ),
  );
}

export function tableOf(all: readonly Compared[]): string {
  const [on, off, none] = [
    weeksOf(all.map(({ recall }) => recall)),
    weeksOf(all.map(({ forgetful }) => forgetful)),
    weeksOf(all.map(({ untaught }) => untaught)),
  ];
  const head = [
    '| week | incidents | a model was needed | the same without recall | dark viewer-hours | without recall | without a model |',
    '|---|---|---|---|---|---|---|',
  ];
  const lines = on.map((week, at) => {
    const hours = [week, off[at]!, none[at]!].map(({ viewerHours }) => viewerHours.toFixed(0));
    return `| ${at + 1} | ${week.incidents} | ${percent(ratio(week))} | ${percent(ratio(off[at]!))} | ${hours.join(' | ')} |`;
  });
  return [...head, ...lines].join('\n');
}

/**
 * Each seed against the same world without learning. Weeks differ by what happens in them, so a week is compared with
 * itself: below 1 it was less dark with what was learned.
 */
export function pairsOf(all: readonly Compared[]): string {
  const head = [
    '| seed | a model was needed, first and last week | dark viewer-hours, first and last | without a model, first and last | learning against without, by week |',
    '|---|---|---|---|---|',
  ];
  const lines = all.map(({ seed, recall, untaught }) => {
    const [learning, without] = [weeksOf([recall]), weeksOf([untaught])];
    const ends = (weeks: readonly Week[], show: (week: Week) => string): string =>
      `${show(weeks[0]!)} → ${show(weeks.at(-1)!)}`;
    const hours = ({ viewerHours }: Week): string => viewerHours.toFixed(0);
    const ratios = learning.map((week, at) => (week.viewerHours / without[at]!.viewerHours).toFixed(2));
    const needed = ends(learning, (week) => percent(ratio(week)));
    return `| ${seed} | ${needed} | ${ends(learning, hours)} | ${ends(without, hours)} | ${ratios.join(', ')} |`;
  });
  return [...head, ...lines].join('\n');
}

/** What became of everything that was learned or planted, by seed. */
export function fatesOf(all: readonly Compared[]): string {
  const head = [
    '| seed | rule or pattern | state | n | better than nothing by (mean; lower end of 90 %) | why |',
    '|---|---|---|---|---|---|',
  ];
  const lines = all.flatMap(({ seed, recall: { rules, patterns, refused } }) => [
    ...[...rules, ...patterns]
      .filter(({ state }) => state !== 'shipped')
      .map(({ id, state, n, denied = 0, uplift, low, because }) => {
        const calls = denied > 0 ? `${n}, and ${denied} refused by the guard` : `${n}`;
        const better = n === 0 ? '-' : `${percent(uplift)}; ${percent(low)}`;
        return `| ${seed} | \`${id}\` | ${state} | ${calls} | ${better} | ${because} |`;
      }),
    ...refused.map(
      ({ id, because }) => `| ${seed} | \`${id}\` | not let in | 0 | - | ${because.replace('CONFIG_INVALID: ', '')} |`,
    ),
  ]);
  return [...head, ...lines].join('\n');
}

const WIDTH = 760;
const HEIGHT = 220;
const LEFT = 110;

/** Two panels of lines that can be read without colour: each line ends with its name. */
export function chartOf(all: readonly Compared[], caption: string): string {
  const on = weeksOf(all.map(({ recall }) => recall));
  const off = weeksOf(all.map(({ forgetful }) => forgetful));
  const none = weeksOf(all.map(({ untaught }) => untaught));
  const needed = panel('incidents in which a model was needed', 40, percent, [
    { name: 'with recall', values: on.map(ratio) },
    { name: 'without recall', values: off.map(ratio) },
  ]);
  const hours = panel('dark viewer-hours', 40 + HEIGHT + 30, (value) => value.toFixed(0), [
    { name: 'with recall', values: on.map(({ viewerHours }) => viewerHours) },
    { name: 'without recall', values: off.map(({ viewerHours }) => viewerHours) },
    { name: 'without a model', values: none.map(({ viewerHours }) => viewerHours) },
  ]);
  const height = 60 + 2 * (HEIGHT + 30);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13"`,
    ` role="img" aria-label="${caption}"><rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="24">${caption}</text>${needed}${hours}</svg>\n`,
  ].join('');
}

interface Line {
  readonly name: string;
  readonly values: readonly number[];
}

const STROKES = ['#1f6f54', '#b0602a', '#8a94a0'] as const;
const DASHES = ['', '6 3', '2 3'] as const;

function panel(title: string, top: number, show: (value: number) => string, lines: readonly Line[]): string {
  const max = Math.max(...lines.flatMap(({ values }) => values), Number.EPSILON);
  const weeks = lines[0]?.values.length ?? 1;
  const bottom = top + HEIGHT - 24;
  const x = (at: number): number => LEFT + (at * (WIDTH - LEFT - 150)) / Math.max(1, weeks - 1);
  const y = (value: number): number => bottom - (value / max) * (HEIGHT - 60);
  const drawn = lines.map(({ name, values }, at) => {
    const points = values.map((value, week) => `${x(week).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    const dash = DASHES[at % DASHES.length]!;
    const end = y(values.at(-1) ?? 0) + 4 + (at === 1 ? -9 : at === 0 ? 7 : 0);
    return (
      `<polyline points="${points}" fill="none" stroke="${STROKES[at % STROKES.length]}" stroke-width="2"` +
      `${dash === '' ? '' : ` stroke-dasharray="${dash}"`}/>` +
      `<text x="${x(weeks - 1) + 8}" y="${end.toFixed(1)}">${name}</text>`
    );
  });
  const ticks = Array.from(
    { length: weeks },
    (_, at) => `<text x="${x(at)}" y="${bottom + 18}" text-anchor="middle">${at + 1}</text>`,
  );
  return [
    `<text x="${LEFT}" y="${top + 14}" font-weight="bold">${title}</text>`,
    `<text x="${LEFT - 8}" y="${y(max) + 4}" text-anchor="end">${show(max)}</text>`,
    `<text x="${LEFT - 8}" y="${bottom + 4}" text-anchor="end">${show(0)}</text>`,
    `<line x1="${LEFT}" y1="${bottom}" x2="${WIDTH - 150}" y2="${bottom}" stroke="#c8cdd2"/>`,
    `<text x="${LEFT - 8}" y="${bottom + 18}" text-anchor="end">week</text>`,
    ...ticks,
    ...drawn,
  ].join('');
}
