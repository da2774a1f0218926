// What was refused at the door: counted, logged once per source and minute, and slowed down.
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { REFUSALS, type Refusal } from '../request.ts';

const WINDOW_MS = MINUTE_MS;
/** Sources that are remembered at the same time; of more, the one seen first is forgotten. */
const SOURCES_MAX = 1_024;
/** Lines that are logged in a minute, however many sources there are. */
const LINES_MAX = 30;
/** Refusals of one source in a minute that are answered at once: a person who mistypes notices nothing. */
const PROMPT_MAX = 10;
const DELAY_MS_MIN = 100;
const DELAY_MS_MAX = 3_000;
/** Whose body is refused has shown a good token, and is not slowed. */
const IS_KNOWN: ReadonlySet<Refusal> = new Set(['body_too_large', 'body_invalid']);
/** Answers that wait at the same time. Each holds a connection: what is beyond is answered at once, and cut off. */
const DELAYED_MAX = 64;

interface Source {
  sinceMs: number;
  count: number;
  /** Refused since the last line about this source. */
  unreported: number;
}

export interface RefusalDeps {
  readonly clock: Clock;
  readonly report: (text: string) => void;
}

/** Keeps the tally. A request with a good token is never slowed, whoever else comes from the same address. */
export class Refusals {
  readonly #deps: RefusalDeps;
  readonly #sources = new Map<string, Source>();
  readonly #totals = new Map<Refusal, number>();
  #minute = { sinceMs: Number.NEGATIVE_INFINITY, lines: 0, unreported: 0 };
  #delayed = 0;

  constructor(deps: RefusalDeps) {
    this.#deps = deps;
  }

  /** How often each reason was the answer since the start. */
  totals(): readonly { readonly reason: Refusal; readonly count: number }[] {
    return REFUSALS.map((reason) => ({ reason, count: this.#totals.get(reason) ?? 0 }));
  }

  /** Counts one, and resolves when it may be answered. `cut`: the connection is not worth keeping. */
  async note(from: string, reason: Refusal): Promise<{ readonly cut: boolean }> {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#totals.set(reason, (this.#totals.get(reason) ?? 0) + 1);
    const source = this.#sourceOf(from, nowMs);
    source.count += 1;
    source.unreported += 1;
    if (source.count === 1) this.#say(from, source, { reason, nowMs });
    if (source.count <= PROMPT_MAX || IS_KNOWN.has(reason)) return { cut: false };
    if (this.#delayed >= DELAYED_MAX) return { cut: true };
    this.#delayed += 1;
    try {
      await this.#deps.clock.sleep(Math.min(DELAY_MS_MAX, DELAY_MS_MIN * 2 ** (source.count - PROMPT_MAX - 1)));
    } finally {
      this.#delayed -= 1;
    }
    return { cut: false };
  }

  #sourceOf(from: string, nowMs: number): Source {
    const known = this.#sources.get(from);
    if (known !== undefined && nowMs - known.sinceMs < WINDOW_MS) return known;
    const fresh = { sinceMs: nowMs, count: 0, unreported: known?.unreported ?? 0 };
    this.#sources.delete(from);
    this.#sources.set(from, fresh);
    const [oldest] = this.#sources.keys();
    if (this.#sources.size > SOURCES_MAX && oldest !== undefined) this.#sources.delete(oldest);
    return fresh;
  }

  #say(from: string, source: Source, { reason, nowMs }: { reason: Refusal; nowMs: number }): void {
    if (nowMs - this.#minute.sinceMs >= WINDOW_MS) this.#minute = { ...this.#minute, sinceMs: nowMs, lines: 0 };
    if (this.#minute.lines >= LINES_MAX) {
      this.#minute.unreported += 1;
      return;
    }
    this.#minute.lines += 1;
    const before = source.unreported > 1 ? `; ${source.unreported - 1} more since the last line about it` : '';
    const others = this.#minute.unreported > 0 ? `; ${this.#minute.unreported} other sources were not named` : '';
    source.unreported = 0;
    this.#minute.unreported = 0;
    this.#deps.report(`a request from ${from} was refused (${reason})${before}${others}`);
  }
}

/** One name for one sender: an IPv4 address, or the /64 that one machine of IPv6 has to itself. */
export function sourceOf(address: string | undefined): string {
  if (address === undefined || address === '') return 'local socket';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const front = head === '' ? [] : head.split(':');
  const zeros = tail === undefined ? 0 : 8 - front.length - (tail === '' ? 0 : tail.split(':').length);
  const groups = [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...(tail ? tail.split(':') : [])];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
