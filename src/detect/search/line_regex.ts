/** Matches regular expressions in linear or bounded time. */
import { RE2JS } from 're2js';
import type { Analysis } from '../patterns/analysis.ts';
import type { PlatformSyntax } from '../patterns/regex.ts';
import type { Growth } from '../patterns/regex_growth.ts';

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

/** So many steps of the platform's engine take a millisecond at worst: a quadratic expression on 1,024 characters. */
const STEPS_MAX = 2 ** 20;
/** An expression of no growth comes to each place so often at most, and then counts as linear however long the text. */
const VISITS_MAX = 260;
/** Where only so short texts would be left to the platform's engine, none is. */
const CHARS_MIN = 64;

/** The platform's engine takes so many characters in the time of one for the automaton (measured: about 50 to 1). */
const NATIVE_CHARS_PER_UNIT = 50;
/** `STEPS_MAX` steps take 1 ms at worst: 1,333 units of 0.75 microseconds. */
const STEPS_PER_UNIT = 786;

const NO_GROUPS: Found['groups'] = {};

/** The platform's RegExp where its backtracking is proven to be bounded, else RE2's automaton. */
export function compileLineRegex(source: string, analysis: Analysis): LineRegex {
  const { growth, isKnown } = analysis;
  const quick = native(analysis);
  const charsMax = nativeCharsMax(growth);
  if (charsMax === Number.POSITIVE_INFINITY) return quick;
  const linear = re2(source, isKnown);
  if (charsMax < CHARS_MIN) return linear;
  const find: LineRegex['find'] = (text) => (text.length <= charsMax ? quick : linear).find(text);
  const cost = (chars: number): number => (chars <= charsMax ? stepsOf(growth, chars) / STEPS_PER_UNIT : chars);
  return { find, cost, rest: linear.rest };
}

/** The longest text that is left to the platform's engine; 0 when none is proven to be quick. */
export function nativeCharsMax({ degree, visits }: Growth): number {
  if (degree === 0 && visits <= VISITS_MAX) return Number.POSITIVE_INFINITY;
  return Math.floor((STEPS_MAX / visits) ** (1 / (degree + 1)));
}

const stepsOf = ({ degree, visits }: Growth, chars: number): number => visits * chars ** (degree + 1);

function native({ nativeSource, ignoreCase }: PlatformSyntax): LineRegex {
  const regex = new RegExp(nativeSource, ignoreCase ? 'i' : '');
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
function re2(source: string, isKnown: boolean): LineRegex {
  const body = Buffer.from(source, 'utf8').toString('latin1');
  if (!isKnown) RE2JS.compile(body);
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
