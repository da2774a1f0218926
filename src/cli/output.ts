/** Writes results to a terminal: JSON, tables, colours, safe text. */
import { styleText } from 'node:util';
import { spell } from '../core/duration.ts';

/** Where a command writes and how: injected, so that a test can read what a person would. */
export interface Terminal {
  /** The answer, and nothing else. */
  out(text: string): void;
  /** Everything that is not the answer. */
  err(text: string): void;
  readonly stdin: AsyncIterable<Buffer | string>;
  readonly colours: boolean;
  /** A person types there. */
  readonly stdinIsTerminal?: boolean;
}

export type Colour = 'green' | 'red' | 'yellow' | 'gray' | 'bold';

export const paint = (terminal: Terminal, colour: Colour, text: string): string =>
  terminal.colours ? styleText(colour, text, { validateStream: false }) : text;

/** One JSON document. */
export const json = (terminal: Terminal, value: unknown): void => terminal.out(`${JSON.stringify(value)}\n`);

/** One JSON document a line. */
export const ndjson = (terminal: Terminal, values: Iterable<unknown>): void => {
  for (const value of values) json(terminal, value);
};

/** Columns as wide as their widest cell. Cells are plain text; colour is put on whole rows by the caller. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}

/** A list that may be empty: a head without a row would leave it open whether anything was found. */
export const listed = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? 'none' : table(head, rows);

/** `free in 16061 ms` as `free in 16 s`: the daemon's texts are exact, and for people that is too much. */
export const spelled = (text: string): string =>
  text.replace(/\b(\d{4,}) ms\b/g, (_, digits: string) => spell(Number(digits)));

/** Text of others made safe for a terminal: no control characters, no direction overrides. */
export const plain = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '?');
