import type { Clock, MonoMs } from '../../core/clock.ts';
import { ReeveError } from '../../core/errors.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Act } from './acts.ts';
import { type Account, accountOf } from './chronicle.ts';
import { type Check, judge, type Seen } from './judge.ts';
import type { Reeve } from './reeve.ts';
import type { Stage } from './stage.ts';

export interface Performance {
  readonly act: Act;
  readonly seen: Seen;
  readonly account: Account;
  readonly checks: readonly Check[];
}

export interface Company {
  readonly stage: Stage;
  readonly reeve: Reeve;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with what is new in Reeve's journal, as it comes. */
  onEntries(fresh: readonly JournalEntry[]): void;
  /** Called with what the stage does. */
  onStage(text: string): void;
}

const LOOK_EVERY_MS = 500;
const RECOVER_WITHIN_MS = 150_000;
const CALM_WITHIN_MS = 150_000;
/** A file written this soon after the fault may still have been on its way before it. */
const IN_FLIGHT_MS = 1_000;

/** Plays one act to its end and judges it. */
export async function perform(act: Act, company: Company): Promise<Performance> {
  const { stage, reeve, clock } = company;
  const look = watcher(act, company);
  const injectedMs = clock.monotonicMs();
  await act.inject(stage);
  company.onStage(`injected: ${act.title}`);

  if (act.ending === 'repair') await look.until(() => look.playsSince(injectedMs), act.withinMs);
  else {
    await look.until(() => look.pagedAtMs() !== undefined, act.withinMs);
    await look.until(() => false, act.holdMs);
  }
  const startsDuring = look.starts();
  company.onStage(
    act.lift === 'operator' ? 'mended by a person, who restarts it' : 'the cause is gone; nothing is started',
  );
  if (act.lift === 'operator') await stage.faults.clear();
  else await stage.faults.lift();

  const sinceMs = act.ending === 'repair' ? injectedMs : clock.monotonicMs();
  const plays = await look.until(() => look.playsSince(sinceMs), RECOVER_WITHIN_MS);
  const playingAfterMs = plays ? clock.monotonicMs() - injectedMs : undefined;
  await look.until(() => look.isCalm(), CALM_WITHIN_MS);

  const pagedAtMs = look.pagedAtMs();
  const seen: Seen = {
    startsDuring,
    startsAfter: look.starts() - startsDuring,
    playingAfterMs,
    pagedAfterMs: pagedAtMs === undefined ? undefined : pagedAtMs - injectedMs,
    pages: look.pages(),
  };
  const account = accountOf(reeve.entries.slice(look.firstEntry));
  return { act, seen, account, checks: judge(act, seen, account) };
}

/** Looks at the stage and at Reeve from the beginning of an act on. */
function watcher(act: Act, { stage, reeve, clock, signal, onEntries }: Company) {
  const firstEntry = reeve.entries.length;
  const firstAsked = stage.asked.length;
  const firstPage = stage.pages.length;
  const pages = () => stage.pages.slice(firstPage).filter(({ via }) => via === 'webhook');
  const look = {
    firstEntry,
    pages,
    pagedAtMs: (): MonoMs | undefined => pages().find(({ what }) => what === 'trigger')?.monoMs,
    starts: () => stage.asked.slice(firstAsked).filter(({ method }) => method === 'startProcess').length,
    /** Every channel hit plays, and wrote something after that moment. */
    async playsSince(sinceMs: MonoMs): Promise<boolean> {
      const truth = await stage.status();
      const agoMs = clock.monotonicMs() - sinceMs - IN_FLIGHT_MS;
      const hit = truth.filter(({ channel }) => act.channels.includes(channel));
      return hit.every(({ playing, playlistAgeMs = agoMs }) => playing && playlistAgeMs < agoMs);
    },
    /** Nothing is open any more, and every page was taken back. */
    isCalm(): boolean {
      const account = accountOf(reeve.entries.slice(firstEntry));
      const resolved = new Set(
        pages()
          .filter(({ what }) => what === 'resolve')
          .map(({ key }) => key),
      );
      return account.open.length === 0 && pages().every(({ key }) => resolved.has(key));
    },
    async until(isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
      const giveUpMs = clock.monotonicMs() + withinMs;
      for (;;) {
        if (!reeve.child.isRunning()) {
          throw new ReeveError(
            'DAEMON_UNREACHABLE',
            `Reeve ended in an act; its log ends with\n${await reeve.logTail()}`,
          );
        }
        const fresh = await reeve.catchUp();
        if (fresh.length > 0) onEntries(fresh);
        if (await isSo()) return true;
        if (clock.monotonicMs() >= giveUpMs) return false;
        await clock.sleep(LOOK_EVERY_MS, signal);
      }
    },
  };
  return look;
}
