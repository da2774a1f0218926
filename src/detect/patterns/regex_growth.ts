// Bounds what a backtracking engine may do with an expression. What is not proven here goes to the linear engine.
import type { CodeSet, RegexNode } from './regex.ts';
import { areApart, areDisjoint, headOf, periodOf } from './regex_head.ts';

/** What one node may cost. Both are bounds: they may be too careful, never too bold. */
interface Work {
  /** Repetitions whose beginning does not follow from their end: each may end at any place. */
  readonly degree: number;
  /** Ways through the node, apart from those: what follows is tried once for each. */
  readonly paths: number;
  /** How often any place inside is come to for one beginning, apart from those. */
  readonly visits: number;
  /** In it is a repetition whose work is counted over all beginnings together: fewer of them make it no less. */
  readonly isShared: boolean;
}

/**
 * A bound on the steps of a backtracking engine on a text of n characters: `visits` times n to the power of
 * `degree` + 1, times the length of the expression. Infinite where nothing is proven.
 */
export type Growth = Pick<Work, 'degree' | 'visits'>;

/** Of several alternatives the one counts that is worst on a text of this length. */
const TYPICAL_CHARS = 1_024;

const NONE: Work = { degree: 0, paths: 1, visits: 1, isShared: false };
const UNBOUNDED: Work = { ...NONE, degree: Number.POSITIVE_INFINITY };

/**
 * How far a backtracking engine may go with an expression.
 *
 * Two things make work. A repetition may end at many places: an unbounded one counts as a power, a bounded one as that
 * many paths, unless what must stand before it cannot be part of it; then its beginning follows from its end, but for
 * the places between the two, and no other start runs over it. And where two ways may both go on (alternatives that
 * overlap, an optional part that looks like what follows), what follows is tried for each; inside an unbounded
 * repetition nothing is proven any more.
 */
export function growthOf(root: RegexNode): Growth {
  const alternatives = root.kind === 'choice' ? root.items : [root];
  return alternatives.map(ofAlternative).reduce((worst, one) => (stepsOf(one) > stepsOf(worst) ? one : worst));
}

const stepsOf = ({ degree, visits }: Growth): number => visits * TYPICAL_CHARS ** degree;

/**
 * What costs more than its length comes behind a beginning that the text must show first. Where beginnings cannot
 * overlap, only every so many characters is a place to go on from.
 */
function ofAlternative(node: RegexNode): Growth {
  const { degree, visits, isShared } = workOf(node, []);
  if (isShared || (degree === 0 && visits === 1)) return { degree, visits };
  const items = flat([node]);
  const costly = items.findIndex((item, at) => !isCalm(workOf(item, items.slice(at + 1))));
  return { degree, visits: Math.max(1, visits / periodOf(headOf(items.slice(0, Math.max(0, costly))))) };
}

const isCalm = ({ degree, paths, visits }: Work): boolean => degree === 0 && paths === 1 && visits === 1;

/** `follow`: what must come after the node, as far as it is known. */
function workOf(node: RegexNode, follow: readonly RegexNode[]): Work {
  switch (node.kind) {
    case 'set':
    case 'edge':
      return NONE;
    case 'choice':
      return ofChoice(node.items, follow);
    case 'repeat':
    case 'sequence':
      return ofSequence(flat([node]), follow);
  }
}

/** Groups that are not repeated only bracket what stands in line. */
const flat = (items: readonly RegexNode[]): readonly RegexNode[] =>
  items.some(({ kind }) => kind === 'sequence')
    ? items.flatMap((item) => (item.kind === 'sequence' ? flat(item.items) : item))
    : items;

/** Of the alternatives only those that the text does not distinguish are all gone through to the end. */
function ofChoice(items: readonly RegexNode[], follow: readonly RegexNode[]): Work {
  const works = items.map((item) => workOf(item, follow));
  const heads = items.map((item) => headOf([item, ...follow]));
  const paths = heads.map((head, at) =>
    works.reduce((sum, work, other) => (other === at || !areApart(head, heads[other]!) ? sum + work.paths : sum), 0),
  );
  return {
    degree: Math.max(...works.map(({ degree }) => degree)),
    paths: Math.max(...paths),
    visits: Math.max(...works.map(({ visits }) => visits)),
    isShared: works.some(({ isShared }) => isShared),
  };
}

/** What stands in line. The places after an item are come to once for each way through it. */
function ofSequence(items: readonly RegexNode[], follow: readonly RegexNode[]): Work {
  let [degree, paths, visits, isShared] = [0, 1, 1, false];
  /** What stands in line since the last place whose length is not bounded by how it is written. */
  let before: RegexNode[] = [];
  // By index: an expression is read once, by an interpreter, where iterators and pairs cost the most.
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at]!;
    if (item.kind === 'set') before.push(item);
    if (item.kind === 'set' || item.kind === 'edge') continue;
    const rest = [...items.slice(at + 1), ...follow];
    const work = item.kind === 'repeat' ? ofRepeat(item, before, rest) : workOf(item, rest);
    degree += work.degree;
    visits = Math.max(visits, paths * work.visits);
    paths *= work.paths;
    isShared ||= work.isShared;
    if (isBrief(item)) before.push(item);
    else before = isRun(item) ? [item.item] : [];
  }
  const last = items.at(-1)?.kind;
  if (last === 'set' || last === 'edge') visits = Math.max(visits, paths);
  return { degree, paths, visits, isShared };
}

type Repeat = Extract<RegexNode, { kind: 'repeat' }>;

function ofRepeat({ item, min, max }: Repeat, before: readonly RegexNode[], rest: readonly RegexNode[]): Work {
  if (max === 0) return NONE;
  if (max === 1) return ofOptional(item, min, rest);
  if (isVariable(item) || isNullable(item)) return UNBOUNDED;
  const { degree, paths } = workOf(item, []);
  const beginnings = item.kind === 'set' && min < max ? beginningsOf(before, item.codes) : Number.POSITIVE_INFINITY;
  if (max === Number.POSITIVE_INFINITY) {
    if (paths > 1) return UNBOUNDED;
    if (beginnings === Number.POSITIVE_INFINITY) return { ...NONE, degree: 1 };
    return { degree, paths: beginnings, visits: beginnings, isShared: true };
  }
  const isShared = beginnings <= max - min;
  const ways = paths ** max * (isShared ? beginnings : max - min + 1);
  return { degree, paths: ways, visits: ways, isShared };
}

/** With or without: both ways are gone only where what follows may begin as the part does. */
function ofOptional(item: RegexNode, min: number, rest: readonly RegexNode[]): Work {
  const work = workOf(item, rest);
  if (min === 1) return work;
  const isEither = areApart(headOf([item, ...rest]), headOf(rest));
  return isEither ? work : { ...work, paths: work.paths + 1 };
}

/**
 * At how many places a repetition of these codes with one and the same end may begin: something before it is no part of
 * it, and so the next such place lies between that and the repetition. Infinite where nothing before it is apart.
 */
function beginningsOf(before: readonly RegexNode[], codes: CodeSet): number {
  const counts = before.map((node, at) => {
    if (node.kind !== 'set' || !areDisjoint(node.codes, codes)) return Number.POSITIVE_INFINITY;
    const between = before.slice(at);
    const period = between.every(({ kind }) => kind === 'set') ? periodOf(headOf(between)) : 1;
    return Math.ceil(between.reduce((sum, one) => sum + longestOf(one), 0) / period);
  });
  return Math.min(...counts, Number.POSITIVE_INFINITY);
}

/** Characters of what has no repetition of varying length in it. */
function longestOf(node: RegexNode): number {
  if (node.kind === 'set') return 1;
  if (node.kind === 'edge') return 0;
  if (node.kind === 'repeat') return node.max * longestOf(node.item);
  const each = node.items.map(longestOf);
  return node.kind === 'choice' ? Math.max(...each) : each.reduce((sum, one) => sum + one, 0);
}

/** No longer than it is written, with or without: what stood before it is still near. */
const isBrief = (node: RegexNode): boolean =>
  node.kind === 'repeat' && node.max === 1 ? !isVariable(node.item) : !isVariable(node);

/** At least one of a set of characters, over and over. */
const isRun = (node: RegexNode): node is Repeat & { item: { kind: 'set' } } =>
  node.kind === 'repeat' && node.min > 0 && node.item.kind === 'set';

/** A repetition in it has no fixed length. */
function isVariable(node: RegexNode): boolean {
  if (node.kind === 'repeat') return node.max !== node.min || isVariable(node.item);
  return (node.kind === 'sequence' || node.kind === 'choice') && node.items.some(isVariable);
}

/** May match nothing at all: then a repetition may go round without getting on. */
function isNullable(node: RegexNode): boolean {
  if (node.kind === 'set') return false;
  if (node.kind === 'edge') return true;
  if (node.kind === 'sequence') return node.items.every(isNullable);
  if (node.kind === 'choice') return node.items.some(isNullable);
  return node.min === 0 || isNullable(node.item);
}
