/** Draws the incidents of a backtest as a timeline. */
import type { EpochMs } from '../core/clock.ts';
import { escaped } from './html_text.ts';
import { timeText } from './report.ts';
import type { Backtest, Course } from './run.ts';

const LEFT = 190;
const WIDTH = 900;
const ROW = 22;
const TOP = 26;
const TICKS = 6;
const ROWS_MAX = 200;

interface Scale {
  readonly x: (at: EpochMs) => number;
  readonly y: (scope: string) => number;
}

/** Incidents as bars, with what would have been done, refused and paged; one row a channel or group. */
export function timelineOf(result: Backtest): string {
  const { base, against, from, to } = result;
  const courses = against === undefined ? [base] : [base, against];
  const all = [
    ...new Set(
      courses.flatMap(({ incidents, containments }) => [...incidents, ...containments]).map(({ scope }) => scope),
    ),
  ];
  const scopes = all.sort().slice(0, ROWS_MAX);
  if (scopes.length === 0) return '<p>No incidents.</p>';
  const spanMs = Math.max(1, to - from);
  const rowOf = new Map(scopes.map((scope, index) => [scope, index]));
  const perScope = courses.length * ROW;
  const height = TOP + scopes.length * perScope + 8;
  const x = (at: EpochMs): number => LEFT + WIDTH * Math.min(1, Math.max(0, (at - from) / spanMs));
  const parts = [
    ...ticks(from, spanMs, { x, height }),
    ...scopes.map((scope, index) => label(scope, TOP + index * perScope)),
    ...courses.flatMap((course, index) => {
      const y = (scope: string): number => TOP + (rowOf.get(scope) ?? 0) * perScope + index * ROW;
      return courseParts(course, { x, y }, { to, known: rowOf });
    }),
  ];
  const size = `width="${LEFT + WIDTH + 20}" height="${height}"`;
  return `<svg ${size} role="img" aria-label="timeline of incidents">${parts.join('')}</svg>${legend(courses)}`;
}

function ticks(from: EpochMs, spanMs: number, { x, height }: { x: Scale['x']; height: number }): readonly string[] {
  return Array.from({ length: TICKS + 1 }, (_, index) => {
    const at = from + (spanMs * index) / TICKS;
    const px = x(at).toFixed(1);
    const anchor = index === TICKS ? 'end' : 'middle';
    const line = `<line x1="${px}" y1="18" x2="${px}" y2="${height}" stroke="#8884"/>`;
    const text = timeText(at).slice(5, 19).replace('T', ' ');
    return `${line}<text x="${px}" y="12" text-anchor="${anchor}">${text}</text>`;
  });
}

const label = (scope: string, y: number): string =>
  `<text x="4" y="${y + 15}">${escaped(scope.length > 30 ? `${scope.slice(0, 29)}…` : scope)}</text>`;

function courseParts(
  { incidents, wouldAct, pages, containments }: Course,
  { x, y }: Scale,
  { to, known }: { readonly to: EpochMs; readonly known: ReadonlyMap<string, number> },
): readonly string[] {
  const shown = <T extends { readonly scope: string }>(all: readonly T[]): readonly T[] =>
    all.filter(({ scope }) => known.has(scope));
  const scopeOf = new Map(incidents.map(({ id, scope }) => [id, scope]));
  const mark = (at: EpochMs, scope: string, about: { sign: string; colour: string; title: string }): string =>
    known.has(scope)
      ? `<text x="${x(at).toFixed(1)}" y="${y(scope) + 15}" text-anchor="middle" style="fill:${about.colour}">` +
        `${about.sign}<title>${escaped(`${timeText(at)} ${about.title}`)}</title></text>`
      : '';
  return [
    ...shown(containments).map(({ scope, reason, detail, from, to: until }) =>
      bar(x(from), x(until ?? to), {
        y: y(scope) + 17,
        height: 3,
        fill: '#c339',
        title: `contained (${reason}): ${detail}`,
      }),
    ),
    ...shown(incidents).map(({ scope, classification, openedAt, closedAt, ending }) => {
      const title = `${classification}, ${ending}, ${timeText(openedAt)}`;
      return bar(x(openedAt), x(closedAt ?? to), { y: y(scope) + 4, height: 12, fill: '#8886', title });
    }),
    ...incidents.flatMap(({ scope, decisions }) =>
      decisions
        .filter(({ kind, no }) => kind === 'guard' && no)
        .map(({ at, step }) => mark(at, scope, { sign: '×', colour: '#c33', title: step })),
    ),
    ...wouldAct.map(({ at, incident, tool, target }) =>
      mark(at, scopeOf.get(incident) ?? target, {
        sign: '▲',
        colour: '#36c',
        title: `would do ${tool} on ${target}`,
      }),
    ),
    ...pages.map(({ at, scope, reason, summary }) =>
      mark(at, scope, { sign: '●', colour: '#b80', title: `page (${reason}): ${summary}` }),
    ),
  ];
}

function bar(
  from: number,
  to: number,
  look: { readonly y: number; readonly height: number; readonly fill: string; readonly title: string },
): string {
  const { y, height, fill, title } = look;
  const width = Math.max(2, to - from).toFixed(1);
  const place = `x="${from.toFixed(1)}" y="${y}" width="${width}" height="${height}"`;
  return `<rect ${place} rx="2" fill="${fill}"><title>${escaped(title)}</title></rect>`;
}

function legend(courses: readonly Course[]): string {
  const [first, second] = courses.map(({ policy }) => escaped(policy));
  const rows = second === undefined ? '' : ` Upper row: ${first}; lower row: ${second}.`;
  return `<p class="sub">▲ would act, × refused, ● page, red line: contained.${rows}</p>`;
}
