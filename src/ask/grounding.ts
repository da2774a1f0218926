/** Holds each sentence of an answer against the ids that exist: what cites none of them is marked. Pure. */
import { plainLine } from './tool.ts';

/** Stands behind each sentence that cites nothing that exists. */
const UNCITED = '[uncited]';
/** Longest answer in characters; the rest is cut. */
export const ANSWER_CHARS_MAX = 16_000;
const CUT = '\n(the rest of the answer was cut)';
/** Anything that has the look of an id of Reeve's, wherever it stands. */
const LOOKS_LIKE_ID = /\b(?:inc|ins|apr|esc|run|per|req|win|trn|tsk|env|pln|grd|act|ver|out|pag|rep|sym)-[\w#-]*/gi;
const NO_SUCH_ID = '(no such id)';
const REDACTED = '[redacted]';
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

export interface Grounded {
  /** What is shown, kept and cited from. */
  readonly text: string;
  /** Ids that exist and were cited, each once, in order. */
  readonly cites: readonly string[];
  /** How many sentences were marked. */
  readonly uncited: number;
}

/** What an answer is held against. */
export interface Ground {
  /** Ids that exist and were shown. */
  readonly known: ReadonlySet<string>;
  /** Cuts secrets out. */
  readonly redact: (text: string) => string;
}

/** The whole answer at once. */
export function grounded(text: string, ground: Ground): Grounded {
  const grounder = new Grounder(ground);
  grounder.take(text);
  return grounder.end();
}

/** The same for an answer that comes in pieces: `show` hears each sentence when it is whole and checked. */
export class Grounder {
  readonly #ground: Ground;
  readonly #show: (sentence: string) => void;
  readonly #cites = new Set<string>();
  #text = '';
  #left = '';
  #taken = 0;
  #uncited = 0;

  constructor(ground: Ground, show: (sentence: string) => void = () => undefined) {
    this.#ground = ground;
    this.#show = show;
  }

  take(piece: string): void {
    const room = ANSWER_CHARS_MAX - this.#taken;
    this.#taken += piece.length;
    if (room <= 0) return;
    this.#left += piece.slice(0, room);
    for (let end = endOfSentence(this.#left); end > 0; end = endOfSentence(this.#left)) {
      this.#sentence(this.#left.slice(0, end));
      this.#left = this.#left.slice(end);
    }
  }

  /** To be called once, after the last piece. */
  end(): Grounded {
    this.#sentence(this.#left.trimEnd());
    if (this.#taken > ANSWER_CHARS_MAX) this.#tell(CUT);
    return { text: this.#text, cites: [...this.#cites], uncited: this.#uncited };
  }

  #sentence(raw: string): void {
    const [, before = '', sentence = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(raw) ?? [];
    const { text, ids } = this.#checked(sentence);
    for (const id of ids) this.#cites.add(id);
    const isMarked = ids.length === 0 && SAYS_SOMETHING.test(text) && !text.endsWith('?');
    if (isMarked) this.#uncited += 1;
    this.#tell(`${before}${text}${isMarked ? ` ${UNCITED}` : ''}${after}`);
  }

  #tell(text: string): void {
    this.#text += text;
    if (text !== '') this.#show(text);
  }

  /** Brackets stay where they hold an id that exists; round ones take the place of all others. */
  #checked(sentence: string): { readonly text: string; readonly ids: readonly string[] } {
    const { known, redact } = this.#ground;
    // In this order: a secret in letters of another width is one, too.
    const normal = redact(sentence.normalize('NFKC'));
    const ids: string[] = [];
    let text = '';
    let from = 0;
    for (const { 0: whole, 1: inside = '', index } of normal.matchAll(/\[([^[\]]*)\]/g)) {
      text += plainLine(normal.slice(from, index));
      from = index + whole.length;
      const real = (inside.match(/[^\s,;]+/g) ?? []).filter((each) => known.has(each));
      ids.push(...real);
      text += real.length > 0 ? `[${real.join(', ')}]` : whole === REDACTED ? whole : `(${plainLine(inside)})`;
    }
    text += plainLine(normal.slice(from));
    const marked = text.trim().replaceAll(LOOKS_LIKE_ID, (id) => (known.has(id) ? id : NO_SUCH_ID));
    return { text: marked.replaceAll(`(${NO_SUCH_ID})`, NO_SUCH_ID), ids };
  }
}

/**
 * Where the first sentence ends, with the ids that stand behind its full stop and the white space after; 0 while that
 * is not known yet.
 */
function endOfSentence(text: string): number {
  const found = /\n+(?=[^\n])|[.!?]+["')*]*(?:[ \t]*\[[^[\]\n.!?]*\])*[ \t]+(?=[^\s[])/.exec(text);
  return found === null ? 0 : found.index + found[0].length;
}
