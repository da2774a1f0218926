/** Assembles outbox and dispatcher, and turns failures of Reeve itself into pages. */
import { join } from 'node:path';
import type { Infrastructure } from './infrastructure.ts';
import { placesOf, receiversOf } from './receivers.ts';
import type { HostEnvironment } from './host_environment.ts';
import type { Config } from '../config/config.ts';
import { invariant } from '../core/errors.ts';
import type { Escalation } from '../core/incident.ts';
import type { Draft, Read } from '../core/journal.ts';
import { Dispatcher } from '../escalate/dispatcher.ts';
import { raise, resolve } from '../escalate/escalator.ts';
import { adopt, type Undelivered, undeliveredOf, readUndelivered } from '../escalate/undelivered.ts';
import type { Outbox } from '../escalate/outbox.ts';
import { routingOf } from '../escalate/routes.ts';
import { journaledPaging } from '../incident/assembly.ts';
import { SpillFile } from '../journal/spill_file.ts';

/** What people are told, and what became of it. */
export interface Paging {
  readonly outbox: Read<Outbox>;
  readonly dispatcher: () => Dispatcher;
  /** Drafts for a page, to be appended with the decision that raised it. */
  raise(page: Omit<Escalation, 'id' | 'at'>): readonly Draft[];
  resolve(key: string, because: string): readonly Draft[];
  /** Keys of the pages that are open now. */
  openPages(): readonly string[];
  /** Nothing goes wrong quietly: what Reeve itself fails at is paged, journaled where that is possible. */
  fail(text: string): void;
  /**
   * Drafts that end the pages about an earlier life: what failed there begins anew. A page that its journal could not
   * take is written down now, and ended once this life's own start is.
   */
  recovered(): readonly Draft[];
  /** After the journal is open. Sends nothing before `courier().start()`. */
  open(config: Config, building: AsyncDisposableStack): void;
}

const SUMMARY_MAX = 200;
const DETAILS_MAX = 2_000;
const FAILURE_KEY = 'reeve/internal';

/** One key per kind of failure, which its first word names: the same trouble finds its page, another gets its own. */
export function keyOfFailure(text: string): string {
  const kind = /^[a-z_]{1,40}/.exec(text.toLowerCase())?.[0] ?? 'other';
  return `${FAILURE_KEY}/${kind}`;
}

const isFailureKey = (key: string): boolean => key === FAILURE_KEY || key.startsWith(`${FAILURE_KEY}/`);

/** Before the journal is opened. */
export function createPaging({ ledger, clock, state }: Infrastructure, host: HostEnvironment): Paging {
  const pages = journaledPaging(ledger, host.ids);
  const { outbox, openPages, stamp } = pages;
  let aside: SpillFile | undefined;
  let leftOver: readonly Undelivered[] = [];
  let dispatcher: Dispatcher | undefined;
  return {
    outbox,
    openPages,
    dispatcher() {
      invariant(dispatcher !== undefined, 'pages were sent before the journal was open');
      return dispatcher;
    },
    raise: pages.raise,
    resolve: pages.resolve,
    fail(text) {
      host.log.error({}, text);
      const internal = stamp(failurePage(text, ledger.broken !== undefined));
      try {
        ledger.append(raise(outbox(), internal));
      } catch {
        dispatcher?.pageUnjournaled(internal);
      }
    },
    recovered() {
      leftOver = readUndelivered(aside?.read());
      const over = openPages().filter(isFailureKey);
      return [...over.flatMap((key) => resolve(outbox(), key, ANEW)), ...adopt(outbox(), leftOver)];
    },
    open(config, building) {
      aside = new SpillFile(join(state, 'aside'));
      const endLeftOver = () => {
        if (leftOver.length === 0) return;
        ledger.append(leftOver.flatMap(({ key }) => resolve(outbox(), key, ANEW)));
        aside?.clear();
      };
      building.use(ledger.subscribe(({ fact }) => fact.type === 'reeve.started' && endLeftOver()));
      dispatcher = building.use(
        new Dispatcher({
          outbox,
          receivers: receiversOf(config, { clock, building }),
          routing: routingOf(config.routes, placesOf(config)),
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

const ANEW = 'Reeve was started again, and its journal is whole';
const NO_JOURNAL =
  'The journal takes nothing more, so Reeve restarts nothing. Look at the disk of the state directory (df -h), then ' +
  'restart Reeve: reeve audit verify says whether its journal is whole. With a whole journal it ends this page ' +
  'itself; only after a disk that took nothing at all may it have to be closed where you read it.';
const NO_FAULT_OF_A_CHANNEL = 'See the log of Reeve and: reeve status';

/** A journal that fails makes everything fail: that is one trouble and one page, however many see it. */
const failurePage = (text: string, journalBroken: boolean): Omit<Escalation, 'id' | 'at'> => ({
  key: keyOfFailure(journalBroken ? 'journal' : text),
  severity: 'critical',
  reason: journalBroken ? 'journal_broken' : 'internal',
  scope: { kind: 'fleet' },
  incident: undefined,
  classification: undefined,
  summary: `Reeve itself failed: ${text}`.slice(0, SUMMARY_MAX),
  details: `${text}\n${journalBroken ? NO_JOURNAL : NO_FAULT_OF_A_CHANNEL}`.slice(0, DETAILS_MAX),
});
