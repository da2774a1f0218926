/** How a node of the memory looks on a terminal. */
import type { Neighbour, NodeView } from '../memory/reads.ts';
import { type Colour, paint, plain, type Terminal } from './output.ts';

/** `2026-01-01 12:00:00`, in UTC; empty for what has no time. */
export const whenOf = (at: number | undefined): string =>
  at === undefined ? '' : new Date(at).toISOString().slice(0, 19).replace('T', ' ');

const COLOURS: Readonly<Record<string, Colour>> = {
  incident: 'bold',
  symptom: 'yellow',
  action: 'green',
  verification: 'green',
  page: 'red',
  insight: 'green',
  concept: 'gray',
};

/** Its type in the colour of its kind. */
export const typeText = (terminal: Terminal, type: string): string => {
  const colour = COLOURS[type];
  return colour === undefined ? type : paint(terminal, colour, type);
};

const arrow = ({ edge, direction }: Neighbour): string => (direction === 'out' ? `${edge} →` : `← ${edge}`);

/** One numbered line for each step; `first` is the number of the first. */
export const stepLines = (terminal: Terminal, steps: readonly Neighbour[], first = 1): readonly string[] =>
  steps.map(
    (step, index) =>
      `${String(first + index).padStart(4)}  ${arrow(step).padEnd(20)} ${typeText(terminal, step.type)} ` +
      `${step.id}  ${plain(step.label)}`,
  );

export function nodeText(terminal: Terminal, node: NodeView & { readonly steps: readonly Neighbour[] }): string {
  const attributes = Object.entries(node.attributes).map(([name, value]) => `${name}=${plain(String(value))}`);
  return [
    `${typeText(terminal, node.type)} ${paint(terminal, 'bold', node.id)}  ${whenOf(node.at)}`,
    `      ${plain(node.label)}`,
    ...(attributes.length === 0 ? [] : [`      ${attributes.join('  ')}`]),
    ...stepLines(terminal, node.steps),
  ].join('\n');
}
