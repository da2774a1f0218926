/** Plays one act: fault, wait, repair, and what was seen meanwhile. */
import type { Clock, MonoMs } from '../src/core/clock.ts';
import { ReeveError } from '../src/core/errors.ts';
import { keyOfIncidentPage } from '../src/core/incident.ts';
import type { JournalEntry } from '../src/core/journal.ts';
import { KEY_OF_MASS_OUTAGE } from '../src/incident/pages/page.ts';
import type { Act, Check } from './act.ts';
import { type Account, accountOf, incidentsAbout } from './chronicle.ts';
import { checksOf, type Seen } from './act_checks.ts';
import type { Person } from './person.ts';
import type { Page } from './receiver.ts';
import type { Reeve } from './reeve.ts';
import type { Stage } from './stage.ts';

export interface Company {
  readonly stage: Stage;
  readonly reeve: Reeve;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly person: Person;
  /** Called with what is new in Reeve's journal, as it comes. */
  onEntries(fresh: readonly JournalEntry[]): void;
  /** Called with what the stage does. */
  onStage(text: string): void;
}

/** One act that was played. Its end may still come: an incident closes only after a time of good health. */
export interface Performance {
  readonly act: Act;
  seen(): Seen;
  account(): Account;
  /** `atLast`: everything has had its time, so nothing may be open any more. */
  checks(atLast: boolean): readonly Check[];
  /** Nothing of it is open, and every page was taken back. */
  isOver(): boolean;
  /** What happens from now on has nothing to do with it. */
  closeBooks(): void;
}

const LOOK_EVERY_MS = 500;
const RECOVER_WITHIN_MS = 150_000;
const CALM_WITHIN_MS = 180_000;
/** A file written this soon after the fault may still have been on its way before it. */
const IN_FLIGHT_MS = 1_000;

/** Plays one act until its channels play again. */
export async function perform(act: Act, company: Company): Promise<Performance> {
  const { stage, clock } = company;
  const view = viewOf(act, company);
  if (act.prepare) await act.prepare({ stage, reeve: company.reeve, person: company.person });
  const modelCallsBefore = stage.modelCalls();
  const injectedMs = clock.monotonicMs();
  await act.inject(stage);
  company.onStage(`injected: ${act.title}`);

  if (act.ending === 'repair') await watch(company, () => view.playsSince(injectedMs), act.withinMs);
  else {
    await watch(company, () => view.pagedAtMs() !== undefined, act.withinMs);
    await watch(company, () => false, act.holdMs);
  }
  const startsDuring = view.starts();
  if (act.ending === 'page') company.onStage(LIFTED[act.lift]);
  if (act.lift === 'operator') await stage.faults.clear();
  else await stage.faults.lift();

  const sinceMs = act.ending === 'repair' ? injectedMs : clock.monotonicMs();
  const plays = await watch(company, () => view.playsSince(sinceMs), RECOVER_WITHIN_MS);
  const playingAfterMs = plays ? clock.monotonicMs() - injectedMs : undefined;

  const seen = (): Seen => {
    const pagedAtMs = view.pagedAtMs();
    return {
      ...{ startsDuring, startsAfter: view.starts() - startsDuring, playingAfterMs },
      pagedAfterMs: pagedAtMs === undefined ? undefined : pagedAtMs - injectedMs,
      pages: view.pages(),
    };
  };
  const { account, isOver, closeBooks } = view;
  const modelCallsAfter = stage.modelCalls();
  const also = (): readonly Check[] => {
    const modelCalls = modelCallsAfter - modelCallsBefore;
    return act.also ? [act.also({ classifications: account().classifications, modelCalls })] : [];
  };
  const checks = (atLast: boolean) => [...checksOf(act, { seen: seen(), account: account(), atLast }), ...also()];
  return { act, seen, account, isOver, closeBooks, checks };
}

const LIFTED: Readonly<Record<Act['lift'], string>> = {
  cause: 'the cause is gone; nothing is started',
  operator: 'mended by a person, who starts it again',
};

/** Waits until everything that was played is over: what comes next must not be taken for its echo. */
export async function settle(performances: readonly Performance[], company: Company): Promise<void> {
  await watch(company, () => performances.every((each) => each.isOver()), CALM_WITHIN_MS);
  for (const performance of performances) performance.closeBooks();
}

/** Looks again and again, telling what is new, until it is so; false when it was not within `withinMs`. */
export async function watch(
  { reeve, clock, signal, onEntries }: Company,
  isSo: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  const giveUpMs = clock.monotonicMs() + withinMs;
  for (;;) {
    if (!reeve.child.isRunning()) throw new ReeveError('DAEMON_UNREACHABLE', 'Reeve ended in the middle of an act');
    const fresh = await reeve.catchUp();
    if (fresh.length > 0) onEntries(fresh);
    if (await isSo()) return true;
    if (clock.monotonicMs() >= giveUpMs) return false;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** The stage and Reeve's journal, narrowed to what belongs to one act. */
function viewOf(act: Act, { stage, reeve, clock }: Company) {
  const now = () => ({ entry: reeve.entries.length, asked: stage.asked.length, page: stage.pages.length });
  const first = now();
  let last: ReturnType<typeof now> | undefined;
  const entries = () => reeve.entries.slice(first.entry, last?.entry);
  const incidents = () => incidentsAbout(act.channels, entries());
  const account = () => accountOf(entries().filter(({ incident }) => incident && incidents().includes(incident)));

  /** Where it hits more than one channel, every page meanwhile is about it. */
  const pages = (): readonly Page[] => {
    // A page about all that wait to be started is about this channel, too.
    const keys = [...incidents().map(keyOfIncidentPage), KEY_OF_MASS_OUTAGE];
    const posted = stage.pages.slice(first.page, last?.page).filter(({ via }) => via === 'webhook');
    return act.channels.length > 1 ? posted : posted.filter(({ key }) => keys.includes(key));
  };
  return {
    account,
    pages,
    closeBooks(): void {
      last ??= now();
    },
    pagedAtMs: (): MonoMs | undefined => pages().find(({ what }) => what === 'trigger')?.monoMs,
    starts: () =>
      stage.asked
        .slice(first.asked, last?.asked)
        .filter(({ method, channel }) => method === 'startProcess' && act.channels.includes(channel)).length,
    /** Every channel hit plays, and wrote something after that moment. */
    async playsSince(sinceMs: MonoMs): Promise<boolean> {
      const truth = await stage.status();
      const agoMs = clock.monotonicMs() - sinceMs - IN_FLIGHT_MS;
      const hit = truth.filter(({ channel }) => act.channels.includes(channel));
      return hit.every(({ playing, playlistAgeMs = agoMs }) => playing && playlistAgeMs < agoMs);
    },
    isOver(): boolean {
      const resolved = new Set(
        pages()
          .filter(({ what }) => what === 'resolve')
          .map(({ key }) => key),
      );
      return account().open.length === 0 && pages().every(({ key }) => resolved.has(key));
    },
  };
}
