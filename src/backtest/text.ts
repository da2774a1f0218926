/** The report of a backtest for a terminal. */
import type { Course } from './run.ts';
import type { Backtest } from './run.ts';
import type { Diff, IncidentDiff } from './diff.ts';
import type { IncidentStory } from './decisions.ts';
import { timeText } from './report.ts';

const LINES_PER_INCIDENT_MAX = 40;
const INCIDENTS_MAX = 200;

/** The report for a terminal. */
export function textOf(result: Backtest): string {
  const { base, against, diff, sources, undated, failures } = result;
  const lines = sources.reduce((sum, one) => sum + one.lines, 0);
  const head = [
    `${timeText(result.from)} to ${timeText(result.to)}: ${lines} lines of ${sources.length} logs, ` +
      `${result.samples} samples, ${result.channels.length} channels; phase ${result.phase}`,
    ...undated.map((source) => `${source} has no times: its lines were placed 10 to a second`),
    ...failures.map((text) => `Reeve itself failed: ${text}`),
    '',
    ...summaryOf(base),
  ];
  const story = base.incidents.slice(0, INCIDENTS_MAX).flatMap(incidentLines);
  const more = base.incidents.length - INCIDENTS_MAX;
  const rest = more > 0 ? [`and ${more} incidents more: --json has them all`] : [];
  const other = diff === undefined || against === undefined ? [] : ['', ...diffLines(diff, against)];
  return [...head, '', ...story, ...rest, ...other].join('\n');
}

export function summaryOf(course: Course): readonly string[] {
  const { policy, incidents, wouldAct, refusedByCode, pages, storms, startsSeen, viewerSeconds, sha256 } = course;
  const refused = refusedByCode.map(({ code, count }) => `${code} ${count}`).join(', ');
  const helped = wouldAct.filter((one) => one.helped === true).length;
  const viewers =
    viewerSeconds === undefined
      ? 'not known'
      : `${viewerSeconds.inTrouble} in trouble, ${viewerSeconds.spent} spent on changes`;
  return [
    policy,
    `  incidents       ${incidents.length}`,
    `  would act       ${wouldAct.length}, of which the record shows help after ${helped}`,
    `  refused         ${refused || 'nothing'}`,
    `  pages           ${pages.length}`,
    `  storms          ${storms} (${startsSeen} starts seen)`,
    `  viewer-seconds  ${viewers}`,
    `  decisions       ${sha256}`,
  ];
}

function incidentLines(story: IncidentStory): readonly string[] {
  const { scope, classifications, openedAt, closedAt, ending, decisions, symptoms } = story;
  const until = closedAt === undefined ? 'open at the end' : `${ending} at ${timeText(closedAt)}`;
  const shown = decisions.slice(0, LINES_PER_INCIDENT_MAX).map(({ at, step, because }) => {
    const after = `+${((at - openedAt) / 1_000).toFixed(1)} s`.padStart(10);
    return `${after}  ${step}${because === '' ? '' : `: ${because}`}`;
  });
  const more = decisions.length - LINES_PER_INCIDENT_MAX;
  return [
    `${timeText(openedAt)}  ${scope}  ${classifications.join(' → ')}  (${until})`,
    ...(symptoms.length === 0 ? [] : [`            said: ${symptoms.join(', ')}`]),
    ...shown,
    ...(more > 0 ? [`            and ${more} lines more`] : []),
    '',
  ];
}

const MARKS: Readonly<Record<IncidentDiff['verdict'], string>> = {
  same: 'same',
  other: 'OTHER',
  only_base: 'ONLY HERE',
  only_against: 'ONLY THERE',
};

/** One incident after another: what both decide is printed once, what differs with - and +. */
function diffLines(diff: Diff, against: Course): readonly string[] {
  return [
    `against ${against.policy}: ${countsOf(diff)}`,
    '',
    ...summaryOf(against),
    '',
    ...diff.incidents.flatMap((one) => [
      `${MARKS[one.verdict].padEnd(10)} ${timeText(one.openedAt)}  ${one.scope}  ` +
        `${one.classification}${laterText(one)}`,
      ...(one.verdict === 'same' ? [] : changedLines(one.base, one.against).map((line) => `             ${line}`)),
    ]),
  ];
}

/** `3 the same, 1 other, …`. */
export const countsOf = ({ same, other, onlyBase, onlyAgainst }: Diff): string =>
  `${same} the same, ${other} other, ${onlyBase} only here, ${onlyAgainst} only there`;

/** `, acts 14.0 s later`, where the second waits longer or less. */
export function laterText({ actsLaterMs = 0 }: IncidentDiff): string {
  if (actsLaterMs === 0) return '';
  return `, acts ${(Math.abs(actsLaterMs) / 1_000).toFixed(1)} s ${actsLaterMs > 0 ? 'later' : 'sooner'}`;
}

/** `  ` both, `- ` only the first, `+ ` only the second: by the longest common run of steps. */
export function changedLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const lengths = commonLengths(before, after);
  const lines: string[] = [];
  let [a, b] = [0, 0];
  while (a < before.length || b < after.length) {
    const [left, right] = [before[a], after[b]];
    if (left !== undefined && left === right) {
      lines.push(`  ${left}`);
      a += 1;
      b += 1;
    } else if (right === undefined || (left !== undefined && lengths[a + 1]![b]! >= lengths[a]![b + 1]!)) {
      lines.push(`- ${left}`);
      a += 1;
    } else {
      lines.push(`+ ${right}`);
      b += 1;
    }
  }
  return lines;
}

/** How many steps the tails that begin at (a, b) have in common, in order. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let a = before.length - 1; a >= 0; a -= 1) {
    for (let b = after.length - 1; b >= 0; b -= 1) {
      const longer = Math.max(table[a + 1]![b]!, table[a]![b + 1]!);
      table[a]![b] = before[a] === after[b] ? table[a + 1]![b + 1]! + 1 : longer;
    }
  }
  return table;
}
