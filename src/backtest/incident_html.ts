/** Renders the replay of one incident as one HTML file. */
import { keyOfScope } from '../core/scope.ts';
import { page } from './html.ts';
import { escaped } from './html_text.ts';
import type { IncidentReplay } from './incident_replay.ts';
import { timeText } from './report.ts';

/** The replay of one incident as one file: a row an envelope, a column a policy. */
export function replayHtml({ file, policies, steps, same, other }: IncidentReplay): string {
  const { incident } = file;
  const head = ['', ...policies].map((policy) => `<th>${escaped(policy)}</th>`).join('');
  const rows = steps.map((step) => {
    const what = `${timeText(step.at)}<br>${escaped(step.classification ?? 'no failure')}, ${step.confidence}`;
    const [first] = step.columns;
    const cells = step.columns.map(({ steps: lines }) => {
      const isOther = lines.join() !== first?.steps.join();
      return `<td${isOther ? ' class="no"' : ''}>${lines.map(escaped).join('<br>') || 'not asked any more'}</td>`;
    });
    return `<tr><td class="n">${what}</td>${cells.join('')}</tr>`;
  });
  const where = escaped(`${incident.id} on ${keyOfScope(incident.scope)}, ${incident.classification}`);
  return page([
    `<h1>Incident replayed</h1><p class="sub">${where}. ${same} decided the same, ${other} otherwise.</p>`,
    `<table><tr>${head}</tr>${rows.join('')}</table>`,
  ]);
}
