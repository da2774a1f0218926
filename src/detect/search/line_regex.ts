import { RE2JS } from 're2js';
import type { ParsedRegex } from '../patterns/regex.ts';
import { growthOf } from '../patterns/regex_facts.ts';

/** Where an expression fits a text, and what its named groups caught. */
export interface Found {
  readonly index: number;
  readonly end: number;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** An expression that is matched in time linear in the text, or bounded as if it were. */
export interface LineRegex {
  find(text: string): Found | undefined;
  /** The most work that a text of so many characters can make, in units of one character for the automaton. */
  cost(chars: number): number;
  /** Gives the automaton back, where there is one: the next use compiles it anew. */
  rest(): void;
}

/** A quadratic expression on so short a text costs under a millisecond at worst. */
const QUADRATIC_CHARS_MAX = 1024;

/** The platform's engine takes so many characters in the time of one for the automaton (measured: about 50 to 1). */
const NATIVE_CHARS_PER_UNIT = 50;
/** A quadratic expression on `QUADRATIC_CHARS_MAX` characters takes 1 ms at worst: 1,333 units of 0.75 microseconds. */
const QUADRATIC_PER_UNIT = 786;

const NO_GROUPS: Found['groups'] = {};

/** The platform's RegExp where its backtracking is provably bounded, else RE2's automaton. */
export function compileLineRegex(source: string, parsed: ParsedRegex): LineRegex {
  const growth = growthOf(parsed.root);
  const quick = native(parsed);
  if (growth <= 1) return quick;
  const linear = re2(source);
  if (growth > 2) return linear;
  const find: LineRegex['find'] = (text) => (text.length <= QUADRATIC_CHARS_MAX ? quick : linear).find(text);
  const cost = (chars: number): number => (chars <= QUADRATIC_CHARS_MAX ? (chars * chars) / QUADRATIC_PER_UNIT : chars);
  return { find, cost, rest: linear.rest };
}

function native(parsed: ParsedRegex): LineRegex {
  const regex = new RegExp(parsed.nativeSource, parsed.ignoreCase ? 'i' : '');
  return {
    find(text) {
      const found = regex.exec(text);
      if (found === null) return undefined;
      return { index: found.index, end: found.index + found[0].length, groups: found.groups ?? NO_GROUPS };
    },
    cost: (chars) => chars / NATIVE_CHARS_PER_UNIT,
    rest: () => undefined,
  };
}

/** Compiled on first use: an automaton takes memory that most patterns never need. Compiling once proves the syntax. */
function re2(source: string): LineRegex {
  const body = Buffer.from(source, 'utf8').toString('latin1');
  RE2JS.compile(body);
  let compiled: RE2JS | undefined;
  return {
    find(text) {
      compiled ??= RE2JS.compile(body);
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return undefined;
      return { index: matcher.start(), end: matcher.end(), groups: groupsOf(matcher, compiled) };
    },
    cost: (chars) => chars,
    rest() {
      compiled = undefined;
    },
  };
}

function groupsOf(matcher: ReturnType<RE2JS['matcher']>, regex: RE2JS): Found['groups'] {
  const names = Object.keys(regex.namedGroups());
  if (names.length === 0) return NO_GROUPS;
  return Object.fromEntries(names.map((name) => [name, matcher.group(name) ?? undefined]));
}
