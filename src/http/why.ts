/** The last decision about a channel, or what happens to it without one. */
import type { Choice } from '../agent/choices.ts';
import type { EpochMs, MonoMs } from '../core/clock.ts';
import type { JournalEntry, JournalQuery } from '../core/journal.ts';
import type { ControlState } from '../control/state.ts';
import type { ChannelId } from '../core/scope.ts';
import type { GuardState } from '../guard/state/state.ts';
import { flipsOf, waitText } from '../guard/trace.ts';
import type { OpenIncident } from '../incident/lifecycle/state.ts';
import { becauseOf, sinceThen } from './decision_text.ts';
import type { RefusedNow } from './questions.ts';

export interface WhyOptions {
  readonly state: GuardState;
  readonly control: ControlState;
  readonly channel: ChannelId;
  readonly nowMs: MonoMs;
  readonly now: EpochMs;
  /** What its samples say now. */
  readonly finding: string;
  /** The incident that is open on it, or on a group or engine and names it. */
  readonly open: OpenIncident | undefined;
  /** Retention has deleted its beginning, and what was decided then. */
  readonly isCut?: boolean;
  readonly last: JournalEntry | undefined;
  /** Questions about the channel that wait for an answer. */
  readonly asked: readonly {
    readonly id: string;
    readonly expiresMs: MonoMs;
    readonly refused?: RefusedNow | undefined;
  }[];
  readonly choices: readonly Choice[];
}

/**
 * The newest decision about the channel. Where a group or an engine speaks for it, that is one about the whole, which
 * names no channel, or about this channel's own start in the plan for the whole.
 */
export function lastDecision(
  read: (query: JournalQuery) => Iterable<JournalEntry>,
  channel: ChannelId,
  open: OpenIncident | undefined,
): JournalEntry | undefined {
  const newest = { types: ['guard.decided'], newestFirst: true } as const;
  if (open !== undefined && open.incident.scope.kind !== 'channel') {
    for (const entry of read({ ...newest, incident: open.incident.id }))
      if (entry.channel === undefined || entry.channel === channel) return entry;
  }
  const [own] = read({ ...newest, channel, limit: 1 });
  return own;
}

/**
 * The last decision, where it is of the open incident or none is open. What was decided in an earlier incident does not
 * answer for this one: who reads "allowed" while the channel is dark and nothing is done would wait for a restart.
 */
export function whyOf(options: WhyOptions): unknown {
  const { open, last, choices } = options;
  const fact = last?.fact.type === 'guard.decided' ? last.fact : undefined;
  if (last === undefined || fact === undefined || (open !== undefined && last.incident !== open.incident.id)) {
    const because = becauseOf(options, `${undecided(options)}${earlier(options)}${waitsFor(options)}`);
    return { verdict: 'not_asked', code: null, because, incident: open?.incident.id, checks: [], flips: [], choices };
  }
  const { decision, call } = fact;
  const said = decision.verdict === 'deny' ? decision.because : `${call} was allowed`;
  return {
    verdict: decision.verdict,
    code: decision.verdict === 'deny' ? decision.code : null,
    because: becauseOf(options, `${said} (${ageOf(last, options)})${cameTo(options)}${waitsFor(options)}`),
    at: last.at,
    incident: last.incident,
    checks: decision.trace,
    flips: flipsOf(decision.trace),
    choices,
  };
}

function undecided({ channel, finding, open, isCut }: WhyOptions): string {
  if (open === undefined) return `nothing was asked of the guard for ${channel} yet; now: ${finding}`;
  const { incident, last, running } = open;
  const doing = last?.because ?? (running ? 'its first run is under way' : 'it waits for its first run');
  const what = isCut ? 'is older than what the journal keeps of decisions' : 'has asked the guard nothing';
  return `${incident.id} (${incident.classification}) ${what}: ${doing}; now: ${finding}`;
}

/** Where the last decision that there is belongs to another incident. */
function earlier({ last, ...options }: WhyOptions): string {
  if (last?.fact.type !== 'guard.decided' || last.incident === undefined) return '';
  const { decision, call } = last.fact;
  const answer = decision.verdict === 'allow' ? 'allowed' : 'refused';
  return `; the last decision, ${ageOf(last, options)} in ${last.incident}, ${answer} ${call}`;
}

/** What followed. That a look was allowed, or an earlier run refused, does not say why nothing more is done. */
function cameTo({ open, last, finding }: WhyOptions): string {
  if (open === undefined) return `; no incident is open now: ${finding}`;
  if (open.running || open.last === undefined || last?.fact.type !== 'guard.decided') return '';
  const { decision } = last.fact;
  if (decision.verdict === 'deny' && open.last.because.includes(decision.because)) return '';
  return `; since then ${open.last.kind}: ${open.last.because}`;
}

const waitsFor = ({ asked, nowMs, control, open }: WhyOptions): string =>
  asked
    .map(({ id, expiresMs, refused }) => {
      const but = refused && `; the guard would refuse it now: ${refused.because} (${refused.code})`;
      return `; waits for reeve approve ${id} (or deny), ${waitText(expiresMs - nowMs)} left${but ?? ''}`;
    })
    .join('') + (open === undefined ? '' : sinceThen(control, open));

const ageOf = ({ at }: JournalEntry, { now }: Pick<WhyOptions, 'now'>): string =>
  `${waitText(Math.max(0, now - at))} ago`;
