/** The oracle of law S3. */
import type { JournalEntry } from '../../core/journal.ts';
import { type InvariantContext, covers, type FactOf, type Oracle } from './context.ts';

/** A probe that was not judged has failed by then: its call, its settling, its verification, and a grace. */
const PROBE_MS_MAX = 60_500;

interface Naive {
  /** Restarts of the present closed stretch: only their results count. */
  admitted: Set<string>;
  /** A result counts once: what was written as UNKNOWN has failed already. */
  failed: Set<string>;
  failures: number[];
  openedMs: number | undefined;
  trips: number;
  probe: { readonly permit: string; readonly startedMs: number } | undefined;
  closedBy: { readonly permit: string; readonly trips: number } | undefined;
}

const fresh = (): Naive => ({
  admitted: new Set(),
  failed: new Set(),
  failures: [],
  openedMs: undefined,
  trips: 0,
  probe: undefined,
  closedBy: undefined,
});

/** S3, as a person would keep it on paper: one sheet per channel, every entry read in order. */
export class Breakers implements Oracle {
  readonly #case: InvariantContext;
  readonly #sheets = new Map<string, Naive>();

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  /** Until when restarts of the channel are refused; undefined while they are not. */
  openUntilMs(channel: string): number | undefined {
    const sheet = this.#sheets.get(channel);
    return sheet?.openedMs === undefined ? undefined : sheet.openedMs + this.#openMs(sheet.trips);
  }

  entry({ fact, monoMs, channel }: JournalEntry): void {
    if (fact.type === 'control.reset') return this.#reset(fact);
    if (fact.type === 'reeve.started') return this.#restarted(monoMs);
    if (channel === undefined || !('permit' in fact) || typeof fact.permit !== 'object') return;
    if (fact.permit.call.tool !== 'restart_channel' || fact.permit.call.target.kind !== 'channel') return;
    const { id } = fact.permit;
    const sheet = this.#sheets.get(channel) ?? fresh();
    this.#sheets.set(channel, sheet);
    if (fact.type === 'tool.started') this.#start(sheet, channel, { id, monoMs });
    else if (fact.type === 'tool.unknown') this.#fail(sheet, id, monoMs);
    else if (fact.type === 'attempt.relapsed') this.#relapse(sheet, id, monoMs);
    else if (fact.type === 'attempt.verified') {
      if (fact.verification.cured) this.#cure(sheet, id);
      else this.#fail(sheet, id, monoMs);
    }
  }

  #start(sheet: Naive, channel: string, { id, monoMs }: { id: string; monoMs: number }): void {
    const { broke } = this.#case;
    if (sheet.probe !== undefined && monoMs < sheet.probe.startedMs + PROBE_MS_MAX) {
      broke('S3', `${channel}: ${id} began while the probe ${sheet.probe.permit} is out`);
    }
    if (sheet.openedMs !== undefined) {
      const leftMs = sheet.openedMs + this.#openMs(sheet.trips) - monoMs;
      if (leftMs > 0) broke('S3', `${channel}: ${id} began ${leftMs} ms before the breaker may be probed`);
      sheet.openedMs = undefined;
      sheet.probe = { permit: id, startedMs: monoMs };
      return;
    }
    sheet.admitted.add(id);
  }

  #fail(sheet: Naive, id: string, atMs: number): void {
    if (sheet.failed.has(id)) return;
    sheet.failed.add(id);
    if (sheet.probe?.permit === id) return this.#open(sheet, atMs);
    if (!sheet.admitted.has(id) || sheet.openedMs !== undefined) return;
    sheet.failures.push(atMs);
    const { breakerWindowMs, breakerFailuresMax } = this.#case.limits;
    const recent = sheet.failures.filter((ms) => ms > atMs - breakerWindowMs);
    if (recent.length >= breakerFailuresMax) this.#open(sheet, atMs);
  }

  #open(sheet: Naive, atMs: number): void {
    Object.assign(sheet, { openedMs: atMs, probe: undefined, failures: [], trips: sheet.trips + 1 });
    sheet.admitted.clear();
    sheet.closedBy = undefined;
  }

  #cure(sheet: Naive, id: string): void {
    if (sheet.probe?.permit !== id) return;
    sheet.closedBy = { permit: id, trips: sheet.trips };
    Object.assign(sheet, { probe: undefined, trips: 0, failures: [] });
  }

  #relapse(sheet: Naive, id: string, atMs: number): void {
    sheet.failed.delete(id);
    if (sheet.closedBy?.permit !== id) return this.#fail(sheet, id, atMs);
    sheet.trips = sheet.closedBy.trips;
    this.#open(sheet, atMs);
  }

  #reset({ scope }: FactOf<'control.reset'>): void {
    for (const channel of [...this.#sheets.keys()]) {
      if (covers(scope, channel, this.#case)) this.#sheets.set(channel, fresh());
    }
  }

  /** Half-open comes back as open, with the full time. */
  #restarted(nowMs: number): void {
    for (const sheet of this.#sheets.values()) {
      if (sheet.probe !== undefined) this.#open(sheet, Math.min(nowMs, sheet.probe.startedMs + PROBE_MS_MAX));
    }
  }

  #openMs(trips: number): number {
    const { breakerOpenMs, breakerOpenMsMax } = this.#case.limits;
    return Math.min(breakerOpenMs * 2 ** (trips - 1), breakerOpenMsMax);
  }
}
