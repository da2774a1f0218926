/** Says what changed about the files of one log source, once each. */
import type { Clock } from '../../core/clock.ts';
import { safeText } from '../clean.ts';
import type { TailNotice } from './types.ts';

/** The last notice is remembered for this many paths. */
const REPORTED_MAX = 256;
const TEXT_MAX = 512;

/** The notices of one source. */
export class Notices {
  readonly #source: string;
  readonly #clock: Clock;
  readonly #report: (notice: TailNotice) => void;
  readonly #reported = new Map<string, string>();

  constructor(source: string, clock: Clock, report: (notice: TailNotice) => void) {
    this.#source = source;
    this.#clock = clock;
    this.#report = report;
  }

  /** Once per change of a path's condition; what happens again and again (`isEvent`) each time. */
  say(kind: TailNotice['kind'], path: string, because: string, isEvent = false): void {
    const notice = `${kind} ${because}`;
    if (!isEvent && this.#reported.get(path) === notice) return;
    this.#reported.delete(path);
    this.#reported.set(path, kind === 'following' ? kind : notice);
    const [oldest] = this.#reported.keys();
    if (this.#reported.size > REPORTED_MAX && oldest !== undefined) this.#reported.delete(oldest);
    const clean = { path: safeText(path, TEXT_MAX), because: safeText(because, TEXT_MAX) };
    this.#report({ kind, at: this.#clock.now(), source: this.#source, ...clean });
  }
}
