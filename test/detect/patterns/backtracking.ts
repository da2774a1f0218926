// Counts the steps that a backtracking engine makes, by the book: a judge of what is proven about expressions.
import type { RegexNode } from '../../../src/detect/patterns/regex.ts';

type Then = (at: number) => boolean;

/** Its search went on for longer than it was allowed to. */
export class StepsSpent extends Error {}

/** Steps of a search through the text from every start; throws `StepsSpent` past `stepsMax`. Edges always hold. */
export function stepsOf(root: RegexNode, text: string, order: { isAtEnd: boolean; stepsMax: number }): number {
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (steps > order.stepsMax) throw new StepsSpent();
  };
  const run = (node: RegexNode, at: number, then: Then): boolean => {
    step();
    if (node.kind === 'edge') return then(at);
    if (node.kind === 'set') return at < text.length && node.codes[text.charCodeAt(at)] === 1 && then(at + 1);
    if (node.kind === 'choice') return node.items.some((item) => run(item, at, then));
    if (node.kind === 'sequence') return inLine(node.items, at, then);
    return again(node, { at, count: 0 }, then);
  };
  const inLine = (items: readonly RegexNode[], at: number, then: Then): boolean =>
    items.length === 0 ? then(at) : run(items[0]!, at, (next) => inLine(items.slice(1), next, then));
  const again = (
    repeat: Extract<RegexNode, { kind: 'repeat' }>,
    { at, count }: { at: number; count: number },
    then: Then,
  ): boolean => {
    const isEnough = count >= repeat.min;
    const more = (next: number): boolean =>
      next === at && isEnough ? false : again(repeat, { at: next, count: count + 1 }, then);
    return (count < repeat.max && run(repeat.item, at, more)) || (isEnough && then(at));
  };
  const isOver: Then = (at) => !order.isAtEnd || at === text.length;
  for (let start = 0; start <= text.length; start += 1) if (run(root, start, isOver)) break;
  return steps;
}

/** Nodes, those of a fixed repetition as often as it has them. */
export function sizeOf(node: RegexNode): number {
  if (node.kind === 'repeat')
    return 1 + sizeOf(node.item) * Math.max(1, Number.isFinite(node.max) ? node.max : node.min);
  if (node.kind === 'sequence' || node.kind === 'choice')
    return 1 + node.items.reduce((sum, item) => sum + sizeOf(item), 0);
  return 1;
}
