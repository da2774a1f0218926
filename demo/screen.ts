/** Writes the story of the demo to a terminal. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { type Beat, type StoryLine, tell } from './chronicle.ts';
import type { Act } from './act.ts';
import type { JournalEntry } from '../src/core/journal.ts';
import type { Performance } from './perform.ts';

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<Beat, Style>> = {
  saw: 'dim',
  concluded: 'cyan',
  planned: 'dim',
  refused: 'magenta',
  did: 'bold',
  verified: 'green',
  contained: 'magenta',
  paged: 'yellow',
  closed: 'green',
};
const LINE_MAX = 150;

/** Writes the story to a terminal: colours only where the stream is one, and never with NO_COLOR. */
export function openScreen(stream: NodeJS.WriteStream) {
  const write = (text: string): void => void stream.write(`${text}\n`);
  const paint = (style: Style, text: string): string => styleText(style, text, { stream });
  let shown = new Set<string>();
  let beganMs = 0;

  const line = (nowMs: number, label: string, text: string): string => {
    const after = `+${((nowMs - beganMs) / 1_000).toFixed(1)} s`.padStart(9);
    return `${after}  ${label.padEnd(10)}${clip(plain(text), LINE_MAX)}`;
  };
  return {
    write,
    title(text: string): void {
      write(`\n${paint('bold', text)}`);
    },
    /** Begins an act: times count from here, and what was printed before may be printed again. */
    begin(act: Act, number: string, nowMs: number): void {
      shown = new Set();
      beganMs = nowMs;
      write(`\n${paint(['bold', 'inverse'], ` ${number} `)} ${paint('bold', act.title)}`);
      write(paint('dim', `           right: ${act.right}`));
    },
    /** What a person types, and what comes back. */
    person: (text: string): void =>
      write(`           ${text.startsWith('$') ? paint('bold', text) : clip(plain(text), LINE_MAX)}`),
    stage: (text: string, nowMs: number): void => write(paint('blue', line(nowMs, 'stage', text))),
    story(entries: readonly JournalEntry[], nowMs: number): void {
      for (const entry of entries) {
        const next: StoryLine | undefined = tell(entry);
        if (!next || shown.has(next.once)) continue;
        shown.add(next.once);
        write(paint(STYLES[next.beat], line(nowMs, next.beat, next.text)));
      }
    },
    verdict(performance: Performance, atLast: boolean): void {
      for (const { ok, says } of performance.checks(atLast))
        write(`           ${ok ? paint('green', '✓') : paint('red', '✗')} ${says}`);
    },
  };
}

export type Screen = ReturnType<typeof openScreen>;

/** Log text is somebody else's: nothing in it may steer the terminal. */
const plain = (text: string): string => stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ');
const clip = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

const HEADS = ['fault', 'classification', 'what Reeve did', 'time', 'verified how', 'right?'];
const WIDTHS_MAX = [44, 30, 44, 22, 60, 8];

/** One row for each act: fault → classification → what Reeve did → time to recover or page → verified how. */
export function tableOf(performances: readonly Performance[], skipped: readonly (readonly [Act, string])[]): string {
  const rows = [
    HEADS,
    ...performances.map(rowOf),
    ...skipped.map(([act, because]) => [act.title, '–', `not played: ${because}`, '–', '–', 'skipped']),
  ].map((row) => row.map((cell, column) => clip(plain(cell), WIDTHS_MAX[column]!)));
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  return [lines[0], widths.map((width) => '─'.repeat(width)).join('  '), ...lines.slice(1)].join('\n');
}

function rowOf(performance: Performance): string[] {
  const { act } = performance;
  const seen = performance.seen();
  const account = performance.account();
  const starts = seen.startsDuring + seen.startsAfter;
  const parts = [
    ...(starts > 0 ? [`${starts}× restart_channel${seen.startsDuring === 0 ? ' after it' : ''}`] : ['no change']),
    ...(seen.pagedAfterMs === undefined ? [] : ['paged']),
    ...account.refusals.map((code) => `refused: ${code}`),
  ];
  const times = [
    ...(seen.pagedAfterMs === undefined ? [] : [`page ${seconds(seen.pagedAfterMs)}`]),
    ...(act.ending === 'repair' && seen.playingAfterMs !== undefined ? [`plays ${seconds(seen.playingAfterMs)}`] : []),
  ];
  return [
    act.title,
    account.classifications.join(', ') || 'none',
    parts.join('; '),
    times.join(', ') || '–',
    account.verified ?? '–',
    performance.checks(true).every(({ ok }) => ok) ? 'yes' : 'NO',
  ];
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
