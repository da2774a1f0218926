/** Parses YAML strictly, with a place for every value. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type { Problem } from '../core/errors.ts';
import { decodeText, type Position } from './decode.ts';

export type Path = readonly (string | number)[];

/** The place of a value (or of its key) in its file. For a path that does not exist: of what comes nearest. */
export type Locate = (path: Path, part?: 'key' | 'value') => Position;

export interface ParsedYaml {
  readonly file: string;
  /** Plain objects, lists and scalars; undefined when the text could not be understood at all. */
  readonly value: unknown;
  readonly at: Locate;
  /** A number as the file spells it, where that differs from how it is printed: `01`, `2.10`. */
  readonly spelled?: (path: Path) => string | undefined;
  readonly problems: readonly Problem[];
}

const DEPTH_MAX = 32;
/** A broken file names its first problems; the rest is counted. */
const PROBLEMS_MAX = 100;
const START: Position = { line: 1, column: 1 };
/** Own keys of these names would be taken for members that every object has. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * One YAML 1.2 document in the core schema (`yes` is text, `012` is 12), at most 256 KiB, with a place for every path.
 * No aliases, no merge keys, no tags of its own, no key twice, nesting to 32.
 */
export function parseYaml(file: string, input: string | Uint8Array): ParsedYaml {
  const text = decodeText(file, input);
  if (typeof text !== 'string') return { file, value: undefined, at: () => START, problems: [text] };

  const read = parsed(text);
  if (read === undefined) {
    const problem = { file, ...START, path: '', ...EXPLANATIONS.RESOURCE_EXHAUSTION! };
    return { file, value: undefined, at: () => START, problems: [problem] };
  }
  const { document, lines } = read;
  const placeOf = (offset: number): Position => placeIn(lines, offset);
  // Places are asked for while a file is checked, and hardly ever again: its tree is several times its size.
  let tree = new WeakRef({ document, lines });
  const at: Locate = (path, part = 'value') => {
    const now = tree.deref() ?? parsed(text);
    if (now === undefined) return START;
    tree = new WeakRef(now);
    return placeIn(now.lines, offsetOf(now.document, path, part));
  };
  const problems = [...document.errors, ...document.warnings].map((error) => ({
    file,
    ...placeOf(error.pos[0]),
    path: '',
    ...explain(error),
  }));
  if (problems.length > 0) return { file, value: undefined, at, problems: bounded(problems) };

  const plain = new Plain(file, placeOf);
  const value = plain.of(document.contents, []);
  const spelled = (path: Path): string | undefined => plain.spellings.get(path.join('\n'));
  return { file, value: plain.unreadable ? undefined : value, at, spelled, problems: bounded(plain.problems) };
}

/** Undefined where the text nests deeper than the parser can follow: it calls itself for each level. */
function parsed(text: string): { readonly document: Document.Parsed; readonly lines: LineCounter } | undefined {
  const lines = new LineCounter();
  // Unique keys are checked by us: the parser's own check takes seconds for a large mapping.
  try {
    const document = parseDocument(text, {
      schema: 'core',
      version: '1.2',
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      stringKeys: true,
      resolveKnownTags: false,
      logLevel: 'error',
    });
    return { document, lines };
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function placeIn(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** At most a hundred, the last of which then says how many more there are. */
export function bounded(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= PROBLEMS_MAX) return problems;
  const last = problems[PROBLEMS_MAX - 1]!;
  const more = problems.length - PROBLEMS_MAX + 1;
  return [
    ...problems.slice(0, PROBLEMS_MAX - 1),
    { ...last, path: '', message: `and ${more} more problems in this file` },
  ];
}

/** Converts nodes to plain values and notes what a configuration may not contain. */
class Plain {
  readonly problems: Problem[] = [];
  readonly spellings = new Map<string, string>();
  unreadable = false;
  readonly #file: string;
  readonly #placeOf: (offset: number) => Position;

  constructor(file: string, placeOf: (offset: number) => Position) {
    this.#file = file;
    this.#placeOf = placeOf;
  }

  of(node: unknown, path: Path): unknown {
    if (isScalar(node)) return this.#scalar(node, path);
    if (isAlias(node)) {
      return this.#refuse(
        node,
        path,
        `the alias *${node.source} is not allowed`,
        'write the value out where it is used',
      );
    }
    if (path.length >= DEPTH_MAX) {
      return this.#refuse(node as Node, path, `expected at most ${DEPTH_MAX} levels of nesting, got more`, undefined);
    }
    if (isSeq(node)) return node.items.map((item, index) => this.of(item, [...path, index]));
    return isMap(node) ? this.#mapping(node.items, path) : null;
  }

  #scalar({ value, source }: { value: unknown; source?: string }, path: Path): unknown {
    if (Number.isFinite(value) && source !== undefined && source !== String(value)) {
      this.spellings.set(path.join('\n'), source);
    }
    return value;
  }

  #mapping(items: readonly { key: unknown; value: unknown }[], path: Path): Record<string, unknown> {
    const found = new Map<string, unknown>();
    for (const pair of items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      const keyPath = [...path, key];
      if (FORBIDDEN_KEYS.has(key)) this.#note(pair.key, keyPath, `the key "${key}" is not allowed`, 'choose another');
      else if (found.has(key))
        this.#note(pair.key, keyPath, `the key "${key}" stands here a second time`, 'keep one of them');
      else found.set(key, this.of(pair.value, keyPath));
    }
    return Object.fromEntries(found);
  }

  #refuse(node: Node, path: Path, message: string, hint: string | undefined): undefined {
    this.unreadable = true;
    this.#note(node, path, message, hint);
  }

  #note(node: unknown, path: Path, message: string, hint?: string): void {
    const offset = (node as Node | null)?.range?.[0] ?? 0;
    const problem = { file: this.#file, ...this.#placeOf(offset), path: path.join('.'), message };
    this.problems.push(hint === undefined ? problem : { ...problem, hint });
  }
}

function offsetOf(document: Document.Parsed, path: Path, part: 'key' | 'value'): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const [index, segment] of path.entries()) {
    const wantsKey = part === 'key' && index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment));
      if (!pair) return offset;
      const keyOffset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      offset = wantsKey || !standsBesideKey(pair.value) ? keyOffset : (pair.value.range?.[0] ?? keyOffset);
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(segment)];
      if (!isScalar(item) && !isCollection(item)) return offset;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else {
      return offset;
    }
  }
  return offset;
}

/** A block mapping begins on a later line than its key, and an empty value has no place: then the key is shown. */
function standsBesideKey(value: unknown): value is Node {
  if (isScalar(value)) return value.source !== '' || value.type !== 'PLAIN';
  return isCollection(value) && value.flow === true;
}

type Explanation = { readonly message: string; readonly hint?: string };

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  TAB_AS_INDENT: { message: 'expected spaces, got a tab as indentation', hint: 'indent with two spaces' },
  MULTIPLE_DOCS: { message: 'expected one document, got a second one', hint: 'use one file for each, without ---' },
  NON_STRING_KEY: { message: 'expected plain text as a key', hint: 'put the key in quotes' },
  RESOURCE_EXHAUSTION: { message: `expected at most ${DEPTH_MAX} levels of nesting, got far more` },
  TAG_RESOLVE_FAILED: { message: 'tags (words that begin with !) are not allowed', hint: 'write the plain value' },
  BAD_INDENT: {
    message: 'the indentation does not fit what stands above',
    hint: 'keys of one mapping start in the same column; every [ and { needs its end',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'expected one value after the key, got another "key: value" on the same line',
    hint: 'put the text in quotes when it contains ": "',
  },
  BAD_SCALAR_START: {
    message: 'plain text may not begin with this character',
    hint: 'put the text in quotes',
  },
  MISSING_CHAR: { message: 'something is not closed', hint: 'look for a missing quote, colon, comma, ] or }' },
};

function explain(error: YAMLError): Explanation {
  const explanation = EXPLANATIONS[error.code];
  const detail = error.message
    .split('\n')[0]!
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 160);
  if (!explanation) return { message: `not YAML: ${detail}` };
  return error.code === 'MISSING_CHAR' ? { ...explanation, message: `${explanation.message}: ${detail}` } : explanation;
}
