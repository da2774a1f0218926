// Builds the pages about incidents, containment and mass outages, and the keys under which they are deduplicated.
import type { MonoMs } from '../../core/clock.ts';
import { CLASSIFICATIONS } from '../../core/classification.ts';
import type { ContainmentReason, GroundedContextEnvelope } from '../../core/envelope.ts';
import {
  channelsLine,
  clip,
  inTroubleLine,
  type Escalation,
  type EscalationReason,
  type Incident,
  keyOfIncidentPage,
} from '../../core/incident.ts';
import type { JournalFact } from '../../core/journal.ts';
import { type ChannelId, keyOfScope, type Scope } from '../../core/scope.ts';
import { containedText, isJournals, journalEndsText } from '../../core/contained.ts';
import type { Attempt } from '../../core/tool.ts';

const SUMMARY_MAX = 200;
const DETAILS_MAX = 2_000;

/** All escalations of one incident share one key: trigger, repeats and resolve find each other by it. */
export const keyOfIncident = (incident: Incident): string => keyOfIncidentPage(incident.id);

/** The id is not named: a question that was not answered is asked again under another one. */
const ANSWER = 'What waits for you: reeve approvals lists it; reeve approve ID or reeve deny ID answers it.';

/** What an escalation says. The texts are made of Reeve's own phrases, counts and configured names. */
export function pageFor(
  incident: Incident,
  reason: EscalationReason,
  about: {
    readonly because: string;
    readonly envelope: GroundedContextEnvelope | undefined;
    readonly attempts: readonly Attempt[];
    /** Of a page without a run that looked: what is seen at this moment. */
    readonly seen?: string;
  },
): Omit<Escalation, 'id' | 'at'> {
  const where = incident.scope.kind === 'channel' ? incident.scope.id : keyOfScope(incident.scope);
  const many = incident.channels.length > 0 ? ` (${incident.channels.length} channels)` : '';
  return {
    key: keyOfIncident(incident),
    severity: CLASSIFICATIONS[incident.classification].severity,
    reason,
    scope: incident.scope,
    incident: incident.id,
    classification: incident.classification,
    ...(incident.channels.length > 0 ? { channels: incident.channels } : {}),
    summary: clip(`${where}${many}: ${troubleOf(incident, about.seen)}. ${about.because}`, SUMMARY_MAX),
    details: clip(detailsOf(incident, reason, about), DETAILS_MAX),
  };
}

/** The class, and what is seen now: it says which server, process or source to look at. */
function troubleOf({ classification }: Incident, seen: string | undefined): string {
  if (seen === undefined) return classification;
  return seen.startsWith(`${classification}: `) ? seen : `${classification}: ${seen}`;
}

function detailsOf(
  incident: Incident,
  reason: EscalationReason,
  about: {
    readonly because: string;
    readonly envelope: GroundedContextEnvelope | undefined;
    readonly attempts: readonly Attempt[];
    readonly seen?: string;
  },
): string {
  const lines = [`Why you are notified: ${reason}. ${about.because}`];
  const signals = about.envelope?.signals ?? [];
  if (signals.length > 0)
    lines.push(`What was seen: ${signals.map(({ origin, says }) => `${says} (${origin})`).join('; ')}`);
  if (about.seen !== undefined) lines.push(`What is seen now: ${about.seen}`);
  for (const { result, verification } of about.attempts) {
    const end =
      verification === undefined ? '' : verification.cured ? '; verified' : `; not verified: ${verification.because}`;
    lines.push(`What was done: ${result.call.tool}: ${result.summary}${end}`);
  }
  if (about.attempts.length === 0) lines.push('What was done: nothing.');
  const contained = about.envelope?.containmentMode;
  if (contained?.active === true) lines.push(`Contained (${contained.reasons.join(', ')}): nothing is restarted now.`);
  if (reason === 'approval_needed') lines.push(ANSWER);
  // The question that comes next is no news, so this is the page that is read when it waits.
  if (reason === 'approval_expired') lines.push(`While the trouble lasts it is asked again. ${ANSWER}`);
  const nextStep = CLASSIFICATIONS[incident.classification].nextStep;
  if (nextStep !== undefined) lines.push(`What may help: ${nextStep}`);
  lines.push(`The whole story: reeve trace ${incident.id}`);
  // Last, for a long list is cut.
  if (incident.channels.length > 0) lines.push(channelsLine(incident.channels));
  return lines.join('\n');
}

type Contained = Extract<JournalFact, { type: 'containment.raised' }>;

const ENDS_BY = {
  person: 'It ends only when you release it: reeve release',
  itself: 'It ends by itself when its cause has been absent for 60 s. To end the waiting: reeve release',
};

/**
 * One page per episode: high-risk actions stop in the scope, and a person should know. `troubled`: the channels of the
 * scope that are in trouble; the page speaks for these, and their own incidents page nothing meanwhile (law L6).
 */
export function containmentPage(fact: Contained, troubled: readonly ChannelId[] = []): Omit<Escalation, 'id' | 'at'> {
  const where = keyOfScope(fact.scope);
  return {
    key: keyOfContainmentPage(fact.scope),
    severity: isMild(fact) ? 'warning' : 'critical',
    reason: isJournals(fact) ? 'journal_broken' : 'containment',
    scope: fact.scope,
    incident: undefined,
    classification: undefined,
    ...listing(
      `Needs an operator: Reeve restarts nothing in ${where} now. Reason: ${fact.reason}, ${fact.detail}.\n` +
        endOf(fact),
      troubled,
    ),
    summary: clip(containedText(fact), SUMMARY_MAX),
  };
}

function endOf(fact: Contained): string {
  const { releaseByPerson } = fact;
  const scope = keyOfScope(fact.scope);
  if (isJournals(fact)) return `What ends it: ${journalEndsText({ scope, releaseByPerson })}`;
  return `${releaseByPerson ? ENDS_BY.person : ENDS_BY.itself} ${scope} --because "…"`;
}

/** The list comes last, for a long one is cut. */
const listing = (text: string, channels: readonly ChannelId[]): Pick<Escalation, 'channels' | 'details'> =>
  channels.length === 0
    ? { details: clip(text, DETAILS_MAX) }
    : { channels, details: clip(`${text}\n${inTroubleLine(channels)}`, DETAILS_MAX) };

/** It concerns one channel, or it is over by itself in a moment. */
const isMild = ({ scope, reason, releaseByPerson }: Contained): boolean =>
  scope.kind === 'channel' || (reason === 'clock_anomaly' && !releaseByPerson);

export const KEY_OF_MASS_OUTAGE = 'starts/fleet';

/** Channels that are down and must wait for a start. */
export interface MassOutage {
  /** How many wait, and since when the one that waits longest. */
  readonly count: number;
  readonly sinceMs: MonoMs;
  /** Channels of the groups that died together. All but those that are being started are contained, or just were. */
  readonly held: { readonly groups: number; readonly starting: number; readonly channels: number };
  /** All of these: channels, groups and engines. */
  readonly scopes: readonly Scope[];
}

const deadLine = ({ groups, starting, channels }: MassOutage['held']): string => {
  const dead = `${channels} channels of ${groups === 1 ? 'one group' : `${groups} groups`} died`;
  if (starting === 0) return `${dead} and are contained for now`;
  if (starting === groups) return `${dead} and are being started`;
  const begun = `${starting} of the groups ${starting === 1 ? 'is' : 'are'} being started`;
  const left = groups - starting;
  return `${dead}; ${begun}, ${left} ${left === 1 ? 'waits' : 'wait'}`;
};

/**
 * One page for all that wait: a page for each would be the second storm. `troubled`: the channels that it speaks for.
 */
export function massOutagePage(
  { count, held }: Pick<MassOutage, 'count' | 'held'>,
  troubled: readonly ChannelId[] = [],
): Omit<Escalation, 'id' | 'at'> {
  const dead = held.groups === 0 ? [] : [deadLine(held)];
  const many =
    count === 1
      ? 'one channel or group is down and waits to be started'
      : `${count} channels or groups are down and wait to be started`;
  const waiting = count === 0 ? [] : [many];
  return {
    key: KEY_OF_MASS_OUTAGE,
    severity: 'critical',
    reason: 'lasting',
    scope: { kind: 'fleet' },
    incident: undefined,
    classification: undefined,
    summary: [...dead, ...waiting].join('; '),
    ...listing(
      'More are down than may be started at once. Reeve starts those with most viewers first, a few in a minute, and ' +
        'groups once no more have died for a while. Find what took so many down; what you start yourself counts in ' +
        'the same window of starts.',
      troubled,
    ),
  };
}

/**
 * A channel that is contained is in a trouble of its own, whose page mostly comes within seconds and says more: the
 * containment is paged for itself only when that page does not come. One that a person must end is always paged.
 */
export const isLeftToIncident = ({ scope, releaseByPerson }: Pick<Contained, 'scope' | 'releaseByPerson'>): boolean =>
  scope.kind === 'channel' && !releaseByPerson;

/** A person made a freeze, and a shared cause has an incident that pages. */
const UNPAGED: ReadonlySet<ContainmentReason> = new Set(['operator_freeze', 'shared_cause']);

/** Whether a containment for this reason is paged for itself. */
export const isPaged = (reason: ContainmentReason): boolean => !UNPAGED.has(reason);

/** All pages about the containment of one scope share one key. */
export const keyOfContainmentPage = (scope: Scope): string => `containment/${keyOfScope(scope)}`;
