/** Assembles outbox and dispatcher, and hands them the failures of Reeve itself. */
import { join } from 'node:path';
import type { Infrastructure } from './infrastructure.ts';
import { placesOf } from '../escalate/places.ts';
import { receiversOf } from './receivers.ts';
import type { HostEnvironment } from './host_environment.ts';
import type { Config } from '../config/config.ts';
import type { Clock, MonoMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { invariant } from '../core/errors.ts';
import type { Escalation } from '../core/incident.ts';
import type { Draft, Read } from '../core/journal.ts';
import type { Scope } from '../core/scope.ts';
import { Dispatcher } from '../escalate/dispatcher.ts';
import {
  endLeftOver,
  failurePage,
  type JournalFault,
  keyOfFailure,
  raiseFailure,
  startedAnew,
} from '../escalate/failure_pages.ts';
import type { Outbox } from '../escalate/outbox.ts';
import type { PlaceOf } from '../escalate/receiver.ts';
import { routingOf } from '../escalate/routes.ts';
import { readUndelivered, type Undelivered, undeliveredOf } from '../escalate/undelivered.ts';
import { journaledPaging } from '../incident/assembly.ts';
import type { OpenPages, UnjournaledPort } from '../incident/pipeline/ports.ts';
import { SpillFile } from '../journal/spill_file.ts';

/** What people are notified of, and what became of it. */
export interface Paging {
  readonly outbox: Read<Outbox>;
  readonly dispatcher: () => Dispatcher;
  /** Drafts for a page, to be appended with the decision that raised it. */
  raise(page: Omit<Escalation, 'id' | 'at'>): readonly Draft[];
  resolve(key: string, because: string): readonly Draft[];
  openPages(): OpenPages;
  /** A page about exactly this scope is open, or was until then or later. */
  wasPaged(scope: Scope, sinceMs: MonoMs): boolean;
  /** Pages that the journal cannot take. */
  readonly unjournaled: Omit<UnjournaledPort, 'isNeeded'>;
  /** Nothing goes wrong quietly: what Reeve itself fails at is paged, journaled where that is possible. */
  fail(text: string): void;
  /**
   * Drafts that end the pages about an earlier process: what failed there begins anew. A page that its journal could
   * not take is recorded now, and ended once this process's own start is.
   */
  recovered(): readonly Draft[];
  /** Takes what a reload brought: how often an open page is sent again. */
  use(config: Pick<Config, 'escalation'>): void;
  /** After the journal is open. Sends nothing before `courier().start()`. */
  open(config: Config, building: AsyncDisposableStack): void;
}

/** Before the journal is opened. */
export function createPaging({ ledger, clock, state }: Infrastructure, host: HostEnvironment): Paging {
  let placeOf: PlaceOf | undefined;
  const pages = journaledPaging(ledger, host.ids, (scope) => placeOf?.(scope) ?? {});
  const { outbox, openPages, wasPaged, stamp } = pages;
  let aside: SpillFile | undefined;
  let leftOver: readonly Undelivered[] = [];
  let dispatcher: Dispatcher | undefined;
  const logFailure = sparingly(
    clock,
    () => ledger.broken !== undefined,
    (text) => host.log.error({}, text),
  );
  return {
    outbox,
    openPages,
    wasPaged,
    dispatcher: () => opened(dispatcher),
    raise: pages.raise,
    resolve: pages.resolve,
    unjournaled: unjournaledBy(() => dispatcher, stamp),
    fail(text) {
      logFailure(text);
      const journal = () => ledger.broken?.kind;
      const pageUnjournaled = (page: Escalation) => dispatcher?.pageUnjournaled(page);
      const pageFor = (fault: JournalFault | undefined) => stamp(failurePage(text, fault));
      raiseFailure(pageFor, { journal, outbox, append: ledger.append, pageUnjournaled });
    },
    recovered() {
      leftOver = readUndelivered(aside?.read());
      return startedAnew(outbox(), leftOver);
    },
    use: ({ escalation }) => dispatcher?.repeatEvery(escalation.repeatEveryMs),
    open(config, building) {
      placeOf = placesOf(config.channels);
      aside = new SpillFile(join(state, 'aside'));
      const onStarted = () => {
        if (leftOver.length === 0) return;
        ledger.append(endLeftOver(outbox(), leftOver));
        aside?.clear();
      };
      building.use(ledger.subscribe(({ fact }) => fact.type === 'reeve.started' && onStarted()));
      dispatcher = building.use(
        new Dispatcher({
          outbox,
          receivers: receiversOf(config, { clock, building }),
          routing: routingOf(config.routes, placeOf),
          append: ledger.append,
          clock,
          random: host.random,
          ids: host.ids,
          repeatMs: config.escalation.repeatEveryMs,
          report: (message) => host.log.error({}, message),
          onUnjournaled: (pages) => aside?.keep(undeliveredOf(pages)),
        }),
      );
    },
  };
}

function opened(dispatcher: Dispatcher | undefined): Dispatcher {
  invariant(dispatcher !== undefined, 'pages were sent before the journal was open');
  return dispatcher;
}

/** Nothing goes out before the journal is open. */
const unjournaledBy = (
  dispatcher: () => Dispatcher | undefined,
  stamp: (page: Omit<Escalation, 'id' | 'at'>) => Escalation,
): Paging['unjournaled'] => ({
  raise: (page) => dispatcher()?.pageUnjournaled(stamp(page)),
  resolve: (key, because) => dispatcher()?.resolveUnjournaled(key, because),
});

/** While the journal takes nothing the same fails several times a second, and the log may be on the same full disk. */
const REPEATED_MS = MINUTE_MS;

/** Logs each failure; while `isSparing`, of each kind one a minute with the count of those that were left out. */
function sparingly(clock: Clock, isSparing: () => boolean, log: (text: string) => void): (text: string) => void {
  const logged = new Map<string, { readonly monoMs: MonoMs; leftOut: number }>();
  return (text) => {
    const kind = keyOfFailure(text);
    const last = isSparing() ? logged.get(kind) : undefined;
    const nowMs = clock.monotonicMs();
    if (last !== undefined && nowMs - last.monoMs < REPEATED_MS) {
      last.leftOut += 1;
      return;
    }
    logged.set(kind, { monoMs: nowMs, leftOut: 0 });
    log(last === undefined || last.leftOut === 0 ? text : `${text} (${last.leftOut} more like it were not logged)`);
  };
}
