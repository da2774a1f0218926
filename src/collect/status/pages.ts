/** Fetches status pages, each once for all channels on it. */
import { XMLParser } from 'fast-xml-parser';
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { BoundedFetch } from '../../resilience/http.ts';
import type { StatusMapping } from './kinds.ts';

/** One page reports many channels of one server: it is asked for once for all of them. */
export class StatusPages {
  readonly #clock: Clock;
  readonly #ask: BoundedFetch;
  readonly #pages = new Map<string, { readonly monoMs: MonoMs; readonly page: Promise<unknown> }>();

  constructor(clock: Clock, ask: BoundedFetch) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Throws as `ask` does, or `PageUnreadable`. */
  get(url: string, format: StatusMapping['format']): Promise<unknown> {
    const nowMs = this.#clock.monotonicMs();
    const held = this.#pages.get(url);
    if (held !== undefined && nowMs - held.monoMs < FRESH_MS) return held.page;
    // Not the signal of whoever asked first: the others wait for it, too.
    const page = this.#ask({ url, timeoutMs: TIMEOUT_MS, bytesMax: PAGE_BYTES_MAX }).then(({ body }) =>
      parse(body.toString('utf8'), format),
    );
    page.catch(() => undefined);
    this.#pages.set(url, { monoMs: nowMs, page });
    return page;
  }
}

/** Something answered, and not with a status page. That is about the page, not about a stream. */
export class PageUnreadable extends Error {
  override readonly name = 'PageUnreadable';
}

export const TIMEOUT_MS = 3_000;
const FRESH_MS = 400;
const PAGE_BYTES_MAX = 2 * 1024 * 1024;

const xml = new XMLParser({ ignoreAttributes: true, parseTagValue: false, processEntities: false });

function parse(text: string, format: StatusMapping['format']): unknown {
  if (format === 'text') return text;
  try {
    return format === 'json' ? jsonIn(text) : xml.parse(text);
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : String(thrown);
    throw new PageUnreadable(`expected ${format === 'json' ? 'JSON' : 'XML'}: ${because.slice(0, 200)}`);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const mended = withoutBareWords(text);
    if (mended === text) throw thrown;
    return JSON.parse(mended);
  }
}

/** A value without quotes: so Icecast up to 2.4 writes a title that is a dash, or that looks like a number. */
const BARE = /:(\s{0,9}[-+.\d]{0,32}\s{0,9})(?=[,}])/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** Right after its start Icecast forgets a bracket. */
const UNOPENED = /^\{"icestats":(?=")/;

/** One title must not hide all streams of a server. */
const withoutBareWords = (text: string): string =>
  text
    .replace(UNOPENED, '{"icestats":{')
    .replace(BARE, (whole, value: string) => (NUMBER.test(value.trim()) ? whole : ':null'));
