/** Builds the decision path over a ledger: the same way for the daemon, the simulation, a replay and the tests. */
import { safeText } from '../collect/clean.ts';
import type { MonoMs } from '../core/clock.ts';
import type { Ids } from '../core/id.ts';
import type { Escalation } from '../core/incident.ts';
import type { Append, Draft, Read } from '../core/journal.ts';
import { raise, resolve } from '../escalate/escalator.ts';
import { type Outbox, outboxProjection } from '../escalate/outbox.ts';
import type { PlaceOf } from '../escalate/receiver.ts';
import type { SeenDead } from '../ground/facts/facts.ts';
import { knownAheadProjection, sleptWhileAway } from '../guard/clock_watch.ts';
import type { Ledger } from '../journal/ledger.ts';
import { openWorkProjection, recoveryDrafts } from '../journal/recover.ts';
import { sameScope } from '../core/scope.ts';
import type { KeyedQueues } from '../resilience/keyed_queues.ts';
import { DecisionPipeline } from './pipeline/decision_pipeline.ts';
import type { ObservationPort, OpenPages, PagingPort, UnjournaledPort } from './pipeline/ports.ts';
import type { Settings } from './pipeline/settings.ts';

const EXCERPT_CHARS_MAX = 400;

/** Pages over the outbox that is folded from the ledger. */
export interface JournaledPaging extends PagingPort {
  readonly outbox: Read<Outbox>;
  /** Names and times a page. */
  readonly stamp: (page: Omit<Escalation, 'id' | 'at'>) => Escalation;
}

/** Before the ledger is opened. `placeOf`: where the channel of a page lies when it is raised. */
export function journaledPaging(ledger: Ledger, ids: Ids, placeOf?: PlaceOf): JournaledPaging {
  const outbox = ledger.register(outboxProjection);
  const stamp = (page: Omit<Escalation, 'id' | 'at'>): Escalation => {
    // Other scopes say it themselves.
    const place = page.scope.kind === 'channel' ? placeOf?.(page.scope) : undefined;
    const placed = place?.group === undefined && place?.engine === undefined ? {} : { place };
    return { ...page, ...placed, id: ids.next('esc'), at: ledger.clock.now() };
  };
  return {
    outbox,
    stamp,
    raise: (page) => raise(outbox(), stamp(page)),
    resolve: (key, because) => resolve(outbox(), key, because),
    openPages: () => openPagesOf(outbox()),
    wasPaged: (scope, sinceMs) =>
      outbox().pages.some(
        ({ escalation, resolved }) =>
          sameScope(escalation.scope, scope) && (resolved === undefined || resolved.monoMs > sinceMs),
      ),
  };
}

/** They are asked about at each look, and the projection is another one after each change. */
const openPages = new WeakMap<Outbox, OpenPages>();

function openPagesOf(outbox: Outbox): OpenPages {
  const known = openPages.get(outbox);
  if (known !== undefined) return known;
  const open = outbox.pages.filter(({ resolved }) => resolved === undefined);
  const pages: OpenPages = new Map(open.map(({ key, escalation }) => [key, escalation.channels ?? []]));
  openPages.set(outbox, pages);
  return pages;
}

export interface AssemblyParts {
  readonly ledger: Ledger;
  readonly ids: Ids;
  readonly paging: PagingPort;
  /** Sends pages that the journal cannot take; absent: nobody does. */
  readonly unjournaled?: Omit<UnjournaledPort, 'isNeeded'> | undefined;
  readonly observations: ObservationPort;
  readonly lanes: KeyedQueues;
  readonly settings: () => Settings;
  /** As in `PipelineDeps`: not where a simulation skips time. */
  readonly detectStops?: boolean;
  readonly onFailure: (text: string) => void;
  /** As in `PipelineDeps`. */
  readonly seenDead?: readonly SeenDead[] | undefined;
  /** Where something stands between the pipeline and the ledger; default: the ledger's own append. */
  readonly append?: Append;
}

export interface DecisionPath {
  readonly pipeline: DecisionPipeline;
  /**
   * What the process before this one left open, to be appended first of all once the ledger is open (law S6).
   */
  readonly recover: () => readonly Draft[];
}

/** Before the ledger is opened; nothing runs before `pipeline.start()`. */
export function assembleDecisionPath(parts: AssemblyParts): DecisionPath {
  const { ledger, ids, paging, observations, lanes, settings, onFailure } = parts;
  const openWork = ledger.register(openWorkProjection);
  const knownAhead = ledger.register(knownAheadProjection);
  const { clock } = ledger;
  let watchedUntilMs: MonoMs | undefined;
  const pipeline = new DecisionPipeline({
    ...{ clock, ids, lanes, settings, onFailure, detectStops: parts.detectStops, ...observations },
    append: parts.append ?? ledger.append,
    register: (projection) => ledger.register(projection),
    journalBroken: () => ledger.broken?.because,
    watchedUntilMs: () => watchedUntilMs,
    seenDead: parts.seenDead,
    raise: paging.raise,
    resolve: paging.resolve,
    openPages: paging.openPages,
    wasPaged: paging.wasPaged,
    unjournaled: parts.unjournaled && {
      ...parts.unjournaled,
      isNeeded: () => ledger.broken?.kind === 'unwritable',
    },
    clean: (text) => safeText(text, EXCERPT_CHARS_MAX),
  });
  return {
    pipeline,
    recover: () => {
      [{ monoMs: watchedUntilMs } = { monoMs: undefined }] = ledger.read({ newestFirst: true, limit: 1 });
      const left = recoveryDrafts(openWork(), { at: clock.now(), nowMs: clock.monotonicMs(), ids });
      return [...sleptWhileAway(knownAhead(), clock), ...left];
    },
  };
}
