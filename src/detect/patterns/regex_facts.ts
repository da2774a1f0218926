/** Derives facts from regular expressions: required literals and the cost of matching. */
import type { CodeSet, RegexNode } from './regex.ts';

/** Beyond this many alternatives a literal set is no longer worth keeping exact. */
const EXACT_MAX = 96;
/** A place with at most this many codes counts as a choice of literals. */
const CODES_MAX = 3;

/** Strings of which every match contains at least one; undefined when there is no such set. */
export type Required = readonly string[] | undefined;

interface Literals {
  /** Every string the node can match, when they are few. */
  readonly exact: readonly string[] | undefined;
  readonly required: Required;
}

/**
 * The best required literals of an expression: the longest shortest one, the fewest. Lower case where case is
 * ignored.
 */
export function requiredLiterals(root: RegexNode, ignoreCase: boolean): Required {
  const { exact, required } = literalsOf(root, ignoreCase);
  const best = better(usable(exact), required);
  return best === undefined ? undefined : withoutLonger([...new Set(best)]);
}

/** A string that holds another one of the set adds nothing. */
const withoutLonger = (strings: readonly string[]): readonly string[] =>
  strings.filter((text) => !strings.some((other) => other !== text && text.includes(other)));

const usable = (strings: readonly string[] | undefined): Required =>
  strings !== undefined && strings.length > 0 && strings.every((text) => text.length > 0) ? strings : undefined;

const shortest = (strings: readonly string[]): number => Math.min(...strings.map((text) => text.length));

/** A shorter string would slow the search down for all the others. */
const SHORT = 4;

/** What stands in line after ordinary line: to look for it would be to look at everything. */
const ORDINARY =
  ' "GET /live/ HTTP/1.1" 200 206 304 frame= fps= size= time= bitrate= speed= segment  playlist  stream  manifest ' +
  'token error  load  read  open  loading  opened status code level info channel client  server  connection  request ' +
  ' response  timeout  exit  input  output  ';

/** Past eight bytes more length buys little, so fewer strings win there; rare ones win anywhere. */
function worth(strings: readonly string[]): number {
  const length = shortest(strings);
  const penalty = (length < SHORT ? 600 : 0) + (strings.some((text) => ORDINARY.includes(text)) ? 350 : 0);
  return Math.min(8, length) * 100 - Math.min(300, strings.length * 3) - penalty;
}

function better(left: Required, right: Required): Required {
  if (left === undefined) return right;
  if (right === undefined) return left;
  return worth(right) > worth(left) ? right : left;
}

function literalsOf(node: RegexNode, fold: boolean): Literals {
  switch (node.kind) {
    case 'edge':
      return { exact: [''], required: undefined };
    case 'set':
      return { exact: charsOf(node.codes, fold), required: undefined };
    case 'choice':
      return ofChoice(node.items.map((item) => literalsOf(item, fold)));
    case 'sequence':
      return ofSequence(node.items.map((item) => literalsOf(item, fold)));
    case 'repeat':
      return ofRepeat(literalsOf(node.item, fold), node.min, node.max);
  }
}

/** By the set, as it is and in lower case; null where it holds too many. */
const knownChars = new WeakMap<CodeSet, readonly string[] | null>();
const knownLowerChars = new WeakMap<CodeSet, readonly string[] | null>();

function charsOf(codes: CodeSet, fold: boolean): readonly string[] | undefined {
  const known = fold ? knownLowerChars : knownChars;
  let chars = known.get(codes);
  if (chars === undefined) {
    chars = collectChars(codes, fold) ?? null;
    known.set(codes, chars);
  }
  return chars ?? undefined;
}

function collectChars(codes: CodeSet, fold: boolean): readonly string[] | undefined {
  const chars = new Set<string>();
  for (let code = codes.indexOf(1); code >= 0; code = codes.indexOf(1, code + 1)) {
    const char = String.fromCharCode(code);
    chars.add(fold ? char.toLowerCase() : char);
    if (chars.size > CODES_MAX) return undefined;
  }
  return [...chars];
}

function ofChoice(parts: readonly Literals[]): Literals {
  const all = parts.flatMap((part) => part.exact ?? []);
  const exact = parts.every((part) => part.exact !== undefined) && all.length <= EXACT_MAX ? all : undefined;
  const sets = parts.map((part) => better(usable(part.exact), part.required));
  const required = sets.every((set) => set !== undefined) ? sets.flatMap((set) => set!) : undefined;
  return { exact, required };
}

/** Walks along, growing a run of exact strings; where it breaks, the run is a candidate. */
function ofSequence(parts: readonly Literals[]): Literals {
  let run: readonly string[] = [''];
  let required: Required;
  let exact = true;
  for (const part of parts) {
    const grown = part.exact === undefined ? undefined : product(run, part.exact);
    if (grown !== undefined) {
      run = grown;
      continue;
    }
    exact = false;
    required = better(better(required, usable(run)), part.required);
    run = part.exact ?? [''];
  }
  return exact ? { exact: run, required: undefined } : { exact: undefined, required: better(required, usable(run)) };
}

function product(left: readonly string[], right: readonly string[]): readonly string[] | undefined {
  if (left.length * right.length > EXACT_MAX) return undefined;
  return [...new Set(left.flatMap((head) => right.map((tail) => head + tail)))];
}

function ofRepeat(part: Literals, min: number, max: number): Literals {
  if (min === 1 && max === 1) return part;
  if (min === 0 && max === 1 && part.exact !== undefined) return { exact: ['', ...part.exact], required: undefined };
  const required = min === 0 ? undefined : better(usable(part.exact), part.required);
  return { exact: undefined, required };
}
