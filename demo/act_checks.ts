/** Checks whether an act ended as it should, by what was seen from outside Reeve. */
import type { Act, Check } from './act.ts';
import type { Account } from './chronicle.ts';
import type { Page } from './receiver.ts';

/** What the stage itself saw during one act. Nothing in it comes from Reeve. */
export interface Seen {
  /** Starts that Reeve asked of the supervisor while the cause was there, and after it was gone. */
  readonly startsDuring: number;
  readonly startsAfter: number;
  /** From the injection until every channel hit played again; undefined when they did not in time. */
  readonly playingAfterMs: number | undefined;
  /** From the injection until the first page about it; undefined when there was none. */
  readonly pagedAfterMs: number | undefined;
  /** What reached the person: distinct troubles, and of those the ones that were taken back. */
  readonly pages: readonly Page[];
}

/** What there is to judge by. `atLast`: every page has had the time to be taken back. */
export interface Evidence {
  readonly seen: Seen;
  readonly account: Account;
  readonly atLast: boolean;
}

/**
 * Did it end as it should? Judged by what was seen from outside. Reeve's own account serves only to count incidents.
 */
export function checksOf(act: Act, { seen, account, atLast }: Evidence): readonly Check[] {
  const plays = seen.playingAfterMs !== undefined;
  const paged = new Set(seen.pages.filter(({ what }) => what === 'trigger').map(({ key }) => key));
  const resolved = new Set(seen.pages.filter(({ what }) => what === 'resolve').map(({ key }) => key));
  const forgotten = [...paged].filter((key) => !resolved.has(key));
  const always: readonly Check[] = [
    check(plays, 'every channel plays again', 'not every channel plays again'),
    ...(atLast && paged.size > 0
      ? [check(forgotten.length === 0, 'its page was taken back', `${forgotten.length} page(s) were never taken back`)]
      : []),
  ];
  if (act.ending === 'repair') {
    return [
      check(seen.startsDuring === 1, 'exactly one start', `${seen.startsDuring} starts instead of one`),
      check(plays && seen.playingAfterMs <= act.withinMs, 'in time', `not within ${act.withinMs / 1_000} s`),
      check(paged.size === 0, 'no page was sent', `${paged.size} page(s) for what it could repair itself`),
      ...always,
    ];
  }
  return [
    check(seen.startsDuring === 0, 'no start while the cause was there', `${seen.startsDuring} wrong start(s)`),
    check(seen.pagedAfterMs !== undefined, 'a person was notified', 'no person was notified'),
    check(
      seen.startsAfter <= act.startsAfterMax,
      `${seen.startsAfter} start(s) after it`,
      `${seen.startsAfter} starts after it, at most ${act.startsAfterMax} were right`,
    ),
    ...(act.isOne
      ? [
          check(
            account.incidents.length === 1,
            'one incident',
            `${account.incidents.length} incidents for one trouble`,
          ),
          check(paged.size === 1, 'one page', `${paged.size} pages for one trouble`),
        ]
      : []),
    ...always,
  ];
}

const check = (ok: boolean, good: string, bad: string): Check => ({ ok, says: ok ? good : bad });
