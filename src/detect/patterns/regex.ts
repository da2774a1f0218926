/** Parses regular expressions into the parts that the search works with. */

/** The parts of a regular expression that matter here. Characters are latin1 codes: records are matched as bytes. */
export type RegexNode =
  | { readonly kind: 'set'; readonly codes: CodeSet }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly item: RegexNode; readonly min: number; readonly max: number }
  | { readonly kind: 'edge' };

/** Which of the 256 codes may stand at one place. */
export type CodeSet = Uint8Array;

export interface ParsedRegex extends PlatformSyntax {
  readonly root: RegexNode;
}

/** An expression as the platform's own RegExp takes it. */
export interface PlatformSyntax {
  readonly ignoreCase: boolean;
  readonly nativeSource: string;
}

/** The expression is not of the linear-time language that patterns are written in. */
class RegexRefused extends Error {
  override readonly name = 'RegexRefused';
}

const CODES = 256;
/** A bounded repetition is unrolled by some engines: more would cost memory for nothing. */
const REPEAT_MAX = 1000;

const setOf = (...codes: readonly number[]): CodeSet => {
  const set = new Uint8Array(CODES);
  for (const code of codes) set[code] = 1;
  return set;
};

/** Sets of one character, and of one letter in both cases: most of an expression is such places. */
const single: CodeSet[] = [];
const singleOfBothCases: CodeSet[] = [];

const setWhere = (test: (code: number) => boolean): CodeSet =>
  Uint8Array.from({ length: CODES }, (_, code) => (test(code) ? 1 : 0));
const inverse = (set: CodeSet): CodeSet => set.map((member) => 1 - member);
const between = (code: number, first: string, last: string): boolean =>
  code >= first.charCodeAt(0) && code <= last.charCodeAt(0);

const DIGIT = setWhere((code) => between(code, '0', '9'));
const WORD = setWhere(
  (code) => between(code, '0', '9') || between(code, 'a', 'z') || between(code, 'A', 'Z') || code === 95,
);
/** As the platform has it; RE2 leaves out the last two. */
const SPACE = setOf(9, 10, 12, 13, 32, 11, 160);
const ANY = setWhere((code) => code !== 10 && code !== 13);
const CLASSES: Readonly<Record<string, CodeSet>> = {
  d: DIGIT,
  D: inverse(DIGIT),
  w: WORD,
  W: inverse(WORD),
  s: SPACE,
  S: inverse(SPACE),
};
const ESCAPES: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, v: 11, a: 7 };

/**
 * Reads the common subset of RE2 and RegExp; throws `RegexRefused` with the reason for anything else
 * (look-around, back-references, Unicode classes, possessive quantifiers, flags other than a leading `(?i)`).
 */
export function parseRegex(source: string): ParsedRegex {
  const { ignoreCase, body } = bodyOf(source);
  const reader = new Reader(body, ignoreCase);
  const root = reader.choice();
  if (!reader.atEnd) throw new RegexRefused(`")" without "(" at character ${reader.at + 1}`);
  return { root, ...platformSyntax(source) };
}

/** Of an expression that `parseRegex` takes. */
export function platformSyntax(source: string): PlatformSyntax {
  const { ignoreCase, body } = bodyOf(source);
  return { ignoreCase, nativeSource: body.replaceAll('(?P<', '(?<') };
}

function bodyOf(source: string): { readonly ignoreCase: boolean; readonly body: string } {
  const ignoreCase = source.startsWith('(?i)');
  return { ignoreCase, body: Buffer.from(ignoreCase ? source.slice(4) : source, 'utf8').toString('latin1') };
}

class Reader {
  readonly #text: string;
  readonly #fold: boolean;
  at = 0;

  constructor(text: string, fold: boolean) {
    this.#text = text;
    this.#fold = fold;
  }

  get atEnd(): boolean {
    return this.at >= this.#text.length;
  }

  choice(): RegexNode {
    const items = [this.#sequence()];
    while (this.#take('|')) items.push(this.#sequence());
    return items.length === 1 ? items[0]! : { kind: 'choice', items };
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (!this.atEnd && this.#peek() !== '|' && this.#peek() !== ')') items.push(this.#quantified(this.#atom()));
    return { kind: 'sequence', items };
  }

  #atom(): RegexNode {
    const char = this.#next();
    if (char === '(') return this.#group();
    if (char === '[') return { kind: 'set', codes: this.#folded(this.#class()) };
    if (char === '.') return { kind: 'set', codes: ANY };
    if (char === '^' || char === '$') return { kind: 'edge' };
    if (char === '\\') return this.#escape();
    if (char === '*' || char === '+' || char === '?') throw new RegexRefused(`"${char}" repeats nothing`);
    return { kind: 'set', codes: this.#single(char.charCodeAt(0)) };
  }

  #group(): RegexNode {
    if (this.#take('?')) {
      const rest = this.#text.slice(this.at);
      if (/^<?[=!]/.test(rest)) throw new RegexRefused('look-around is not allowed: it needs backtracking');
      const opening = /^(?::|P?<[A-Za-z]\w*>)/.exec(rest);
      if (opening === null) throw new RegexRefused('only (?:…), (?P<name>…) and a leading (?i) are allowed');
      this.at += opening[0].length;
    }
    const inner = this.choice();
    if (!this.#take(')')) throw new RegexRefused('"(" is not closed');
    return inner;
  }

  #escape(): RegexNode {
    const char = this.#next();
    if (/[1-9]/.test(char) || char === 'k') throw new RegexRefused('back-references are not allowed');
    if (char === 'b' || char === 'B') return { kind: 'edge' };
    if (char === 'A' || char === 'z' || char === 'Z') throw new RegexRefused(`write ^ or $ instead of \\${char}`);
    return { kind: 'set', codes: CLASSES[char] ?? this.#single(this.#escaped(char)) };
  }

  #escaped(char: string): number {
    if (char === 'x') return this.#hex();
    const control = ESCAPES[char];
    if (control !== undefined) return control;
    if (/[A-Za-z0-9]/.test(char)) throw new RegexRefused(`\\${char} is not known`);
    return char.charCodeAt(0);
  }

  #hex(): number {
    const digits = this.#text.slice(this.at, this.at + 2);
    if (!/^[0-9a-fA-F]{2}$/.test(digits)) throw new RegexRefused('\\x needs two hexadecimal digits');
    this.at += 2;
    return Number.parseInt(digits, 16);
  }

  #class(): CodeSet {
    const negated = this.#take('^');
    let set = new Uint8Array(CODES);
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#text.startsWith('[:', this.at)) throw new RegexRefused('POSIX classes are not allowed: write a-z');
      set = this.#classMember(set);
      if (this.atEnd) throw new RegexRefused('"[" is not closed');
    }
    this.at += 1;
    return negated ? inverse(set) : set;
  }

  #classMember(set: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const char = this.#next();
    if (char.charCodeAt(0) > 127) throw new RegexRefused('characters outside ASCII cannot stand in […]');
    if (char === '\\') {
      const kind = CLASSES[this.#peek()];
      if (kind !== undefined) {
        this.at += 1;
        return set.map((member, code) => member | kind[code]!);
      }
    }
    const low = char === '\\' ? this.#escaped(this.#next()) : char.charCodeAt(0);
    let high = low;
    if (this.#peek() === '-' && this.#text[this.at + 1] !== ']') {
      this.at += 1;
      const last = this.#next();
      high = last === '\\' ? this.#escaped(this.#next()) : last.charCodeAt(0);
    }
    if (high < low) throw new RegexRefused('a range in […] runs backwards');
    for (let code = low; code <= high; code += 1) set[code] = 1;
    return set;
  }

  #quantified(item: RegexNode): RegexNode {
    const bounds = this.#quantifier();
    if (bounds === undefined) return item;
    this.#take('?');
    if (this.#peek() === '+' || this.#peek() === '*') throw new RegexRefused('a quantifier cannot be repeated');
    return { kind: 'repeat', item, min: bounds[0], max: bounds[1] };
  }

  #quantifier(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    const counted = /^\{(\d+)(,(\d*))?\}/.exec(this.#text.slice(this.at, this.at + 12));
    if (counted === null) return undefined;
    this.at += counted[0].length;
    const min = Number(counted[1]);
    const max = counted[2] === undefined ? min : counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3]);
    if (max < min) throw new RegexRefused('a repetition runs backwards');
    if (min > REPEAT_MAX || (max !== Number.POSITIVE_INFINITY && max > REPEAT_MAX)) {
      throw new RegexRefused(`a repetition of more than ${REPEAT_MAX} is not allowed`);
    }
    return [min, max];
  }

  /** The same object each time: what is derived from a set is kept by it. */
  #single(code: number): CodeSet {
    const known = this.#fold ? singleOfBothCases : single;
    known[code] ??= this.#folded(setOf(code));
    return known[code];
  }

  #folded(set: CodeSet): CodeSet {
    if (!this.#fold) return set;
    const both = Uint8Array.from(set);
    for (let code = 97; code <= 254; code += 1) {
      // a to z, and Latin-1's own letters but for the division sign.
      if ((code > 122 && code < 224) || code === 247) continue;
      const either = set[code]! | set[code - 32]!;
      both[code] = either;
      both[code - 32] = either;
    }
    return both;
  }

  #peek(): string {
    return this.#text[this.at] ?? '';
  }

  #next(): string {
    const char = this.#text[this.at];
    if (char === undefined) throw new RegexRefused('it ends too early');
    this.at += 1;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.at += 1;
    return true;
  }
}
