/** Renders a backtest as one HTML file. */
import type { DecisionLine, IncidentStory } from './decisions.ts';
import type { Backtest, Course } from './run.ts';
import { changedLines, countsOf, laterText, summaryOf } from './text.ts';
import { timeText } from './report.ts';
import { escaped } from './html_text.ts';
import { timelineOf } from './timeline.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --bad: #c33; --good: #2a7; --page: #b80; --act: #36c; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p.sub { margin-top: .2rem; opacity: .75; } table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem .25rem 0; text-align: left; vertical-align: top; }
th { font-weight: 600; } td.n { font-variant-numeric: tabular-nums; }
details { border-bottom: 1px solid var(--line); padding: .35rem 0; } summary { cursor: pointer; }
code, pre { font: 13px/1.5 ui-monospace, monospace; } pre { margin: .4rem 0 .6rem 1.2rem; white-space: pre-wrap; }
.no { color: var(--bad); } .yes { color: var(--good); } .page { color: var(--page); } .act { color: var(--act); }
.tag { background: var(--soft); border-radius: .3rem; padding: 0 .4rem; font-size: .85em; }
.scroll { overflow-x: auto; } svg { display: block; font: 11px system-ui, sans-serif; } svg text { fill: currentColor; }
`;

/** The report as one file: no script, nothing is fetched, and everything that was recorded is escaped. */
export function htmlOf(result: Backtest): string {
  const { base, against, diff } = result;
  const policies = against === undefined ? base.policy : `${base.policy} against ${against.policy}`;
  const body = [
    '<h1>Backtest</h1>',
    `<p class="sub">${escaped(policies)}, phase ${result.phase}. ${timeText(result.from)} to ${timeText(result.to)}.`,
    'Nothing was touched: changes are written down, and the world goes on as it was recorded.</p>',
    summaryTable([base, ...(against === undefined ? [] : [against])]),
    `<h2>Timeline</h2><div class="scroll">${timelineOf(result)}</div>`,
    diff === undefined ? '' : diffSection(result),
    `<h2>Incidents</h2>${base.incidents.map(incidentSection).join('') || '<p>None.</p>'}`,
    sourcesSection(result),
  ];
  return page(body);
}

/** A document of its own: nothing in it can run or be fetched. */
export function page(body: readonly string[]): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>Reeve backtest</title>',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<style>${STYLE}</style></head><body>`,
    ...body,
    '</body></html>\n',
  ].join('\n');
}

function summaryTable(courses: readonly Course[]): string {
  const columns = courses.map((course) =>
    summaryOf(course)
      .slice(1)
      .map((line) => [line.slice(2, 18).trim(), line.slice(18)]),
  );
  const [first = []] = columns;
  const rows = first.map(([name], row) => {
    const cells = columns.map((column) => `<td class="n">${escaped(column[row]?.[1] ?? '')}</td>`);
    return `<tr><th>${escaped(name ?? '')}</th>${cells.join('')}</tr>`;
  });
  const head = courses.map(({ policy }) => `<th>${escaped(policy)}</th>`).join('');
  return `<h2>Summary</h2><table><tr><th></th>${head}</tr>${rows.join('')}</table>`;
}

const VERDICT_LABELS = { same: 'same', other: 'other', only_base: 'only here', only_against: 'only there' } as const;

function diffSection({ diff, against }: Backtest): string {
  if (diff === undefined || against === undefined) return '';
  const rows = diff.incidents.map((one) => {
    const lines = changedLines(one.base, one.against).map((line) => {
      const kind = line.startsWith('-') ? 'no' : line.startsWith('+') ? 'yes' : '';
      return `<span class="${kind}">${escaped(line)}</span>`;
    });
    const what = `<b>${escaped(one.scope)}</b> ${escaped(`${one.classification}${laterText(one)}`)}`;
    const head = `<span class="tag">${VERDICT_LABELS[one.verdict]}</span> ${timeText(one.openedAt)} ${what}`;
    const open = one.verdict === 'same' ? '' : ' open';
    return `<details${open}><summary>${head}</summary><pre>${lines.join('\n')}</pre></details>`;
  });
  const counts = countsOf(diff);
  const legend = '<span class="no">-</span> only the first decides it, <span class="yes">+</span> only the second.';
  return `<h2>Against ${escaped(against.policy)}</h2><p>${counts}. ${legend}</p>${rows.join('')}`;
}

const CLASSES: Readonly<Record<DecisionLine['kind'], string>> = {
  plan: '',
  guard: '',
  act: 'act',
  verified: 'yes',
  outcome: '',
  page: 'page',
};

function incidentSection(story: IncidentStory): string {
  const { scope, classifications, openedAt, closedAt, ending, symptoms, decisions, channels } = story;
  const lines = decisions.map(({ at, kind, step, because, no }) => {
    const after = `+${((at - openedAt) / 1_000).toFixed(1)} s`.padStart(10);
    const text = `${step}${because === '' ? '' : `: ${because}`}`;
    return `${after}  <span class="${no ? 'no' : CLASSES[kind]}">${escaped(text)}</span>`;
  });
  const symptomLine = symptoms.length === 0 ? '' : `said: ${escaped(symptoms.join(', '))}\n`;
  const about = channels.length === 0 ? '' : `channels: ${escaped(channels.join(', '))}\n`;
  const until = closedAt === undefined ? 'open at the end' : `${ending} at ${timeText(closedAt)}`;
  const what = `<b>${escaped(scope)}</b> ${escaped(classifications.join(' → '))}`;
  const head = `${timeText(openedAt)} ${what} <span class="tag">${escaped(until)}</span>`;
  const body = `<pre>${symptomLine}${about}${lines.join('\n')}</pre>`;
  return `<details id="${escaped(story.id)}"><summary>${head}</summary>${body}</details>`;
}

function sourcesSection({ sources, undated }: Backtest): string {
  const rows = sources.map(
    ({ source, lines, undated: without, backwards, tooLong }) =>
      `<tr><td>${escaped(source)}${undated.includes(source) ? ' <span class="tag">no times</span>' : ''}</td>` +
      [lines, without, backwards, tooLong].map((count) => `<td class="n">${count}</td>`).join('') +
      '</tr>',
  );
  const head = '<tr><th>source</th><th>lines</th><th>without a time</th><th>out of order</th><th>too long</th></tr>';
  return `<h2>What was read</h2><table>${head}${rows.join('')}</table>`;
}
