/** Ends the work that a crash left open. */
import type { EpochMs, MonoMs } from '../core/clock.ts';
import type { Ids } from '../core/id.ts';
import {
  channelsLine,
  clip,
  type Escalation,
  type Incident,
  keyOfIncidentPage,
  type Outcome,
} from '../core/incident.ts';
import type { About, Draft, JournalEntry, Projection } from '../core/journal.ts';
import { type ChannelId, type IncidentId, keyOfScope, type RunId, type Scope } from '../core/scope.ts';
import { CHANGING_TOOLS, describeCall, type PermitTerms } from '../core/tool.ts';

/** A call that began and whose end is not written down. */
export interface OpenPermit {
  readonly permit: PermitTerms;
  readonly about: About;
}

/** A run that began and whose end is not written down. */
export interface OpenRun {
  readonly run: RunId;
  readonly about: About;
  readonly startedMs: MonoMs;
  /** Calls it has begun. */
  readonly steps: number;
}

/** What is under way now; after a crash: what was under way then. */
export interface OpenWork {
  readonly permits: readonly OpenPermit[];
  readonly runs: readonly OpenRun[];
  /** Of the open incidents: what they are about. */
  readonly scopes: readonly OpenScope[];
}

interface OpenScope {
  readonly incident: IncidentId;
  readonly scope: Scope;
  /** Of a shared cause: those that it was opened for, and that its pages list. */
  readonly channels?: readonly ChannelId[];
  /** Its last run did not come to its own end. */
  readonly cutOff?: boolean;
}

export const openWorkProjection: Projection<OpenWork> = {
  name: 'open_work',
  initial: { permits: [], runs: [], scopes: [] },
  apply(state, entry) {
    const { fact } = entry;
    switch (fact.type) {
      case 'incident.opened':
        return { ...state, scopes: [...state.scopes, scopeOf(fact.incident)] };
      case 'escalation.raised':
        return listed(state, fact.escalation);
      case 'incident.closed':
        return { ...state, scopes: state.scopes.filter(({ incident }) => incident !== entry.incident) };
      case 'tool.started':
        return started(state, fact.permit, entry);
      case 'tool.finished':
      case 'tool.unknown':
        return { ...state, permits: state.permits.filter(({ permit }) => permit.id !== fact.permit.id) };
      case 'run.started':
        if (entry.run === undefined) return state;
        return { ...state, runs: [...state.runs, { ...runOf(entry.run, entry), steps: 0 }] };
      case 'run.ended':
        return ended(state, entry, fact.cutOff === true);
      default:
        return state;
    }
  },
};

const scopeOf = ({ id, scope, channels }: Incident): OpenScope => ({ incident: id, scope, channels });

function listed(state: OpenWork, { incident, channels = [] }: Escalation): OpenWork {
  if (channels.length === 0) return state;
  const isListed = (open: OpenScope): boolean => open.incident === incident;
  return { ...state, scopes: state.scopes.map((open) => (isListed(open) ? { ...open, channels } : open)) };
}

const aboutOf = ({ channel, incident, run }: JournalEntry): About => ({ channel, incident, run });

const runOf = (run: RunId, entry: JournalEntry) => ({ run, about: aboutOf(entry), startedMs: entry.monoMs });

function started(state: OpenWork, permit: PermitTerms, entry: JournalEntry): OpenWork {
  return {
    ...state,
    permits: [...state.permits, { permit, about: aboutOf(entry) }],
    runs: state.runs.map((open) => (open.run === permit.run ? { ...open, steps: open.steps + 1 } : open)),
  };
}

const ended = (state: OpenWork, { run: id, incident }: JournalEntry, cutOff: boolean): OpenWork => ({
  ...state,
  runs: state.runs.filter(({ run }) => run !== id),
  scopes: state.scopes.map((open) => (open.incident === incident ? { ...open, cutOff } : open)),
});

export interface RecoveryMoment {
  readonly at: EpochMs;
  readonly nowMs: MonoMs;
  readonly ids: Ids;
}

/**
 * What must be written, in one append, before anything else is done after a start (law S6). Each call whose end is
 * not known becomes UNKNOWN and is never made again; each run that was cut off ends as escalated, and its incident gets
 * one page. A run that had called nothing leaves nothing open but its question: its incident is taken up again on
 * fresh evidence, through all the guard's questions, where what the lost run had reserved still counts. Empty after an
 * orderly stop.
 */
export function recoveryDrafts(open: OpenWork, moment: RecoveryMoment): readonly Draft[] {
  const because = 'Reeve stopped while it was under way';
  const unknowns: readonly Draft[] = open.permits.map(({ permit, about }) => ({
    ...about,
    fact: { type: 'tool.unknown', permit, because },
  }));
  const runs: readonly Draft[] = open.runs.map((cut) => ({
    ...cut.about,
    run: cut.run,
    fact: {
      type: 'run.ended',
      outcome: mayBeTakenUp(open, cut) ? AGAIN : { kind: 'escalated', reason: 'internal', because, denial: undefined },
      steps: cut.steps,
      tookMs: Math.max(0, moment.nowMs - cut.startedMs),
      cutOff: true,
    },
  }));
  return [...unknowns, ...pages(open, moment), ...runs];
}

const AGAIN: Outcome = {
  kind: 'watching',
  because: 'Reeve stopped before it had called anything; it looks again',
  retryAfterMs: 0,
  escalateAfterMs: undefined,
};

/** Not twice in a row: what is wrong there may be what ends Reeve, and then a person has to hear of it. */
const mayBeTakenUp = ({ scopes }: OpenWork, { steps, about }: OpenRun): boolean => {
  const known = scopes.find(({ incident }) => incident === about.incident);
  return steps === 0 && known !== undefined && known.cutOff !== true;
};

/** One page per incident: the staged start of a group leaves several calls open, and they are one trouble. */
function pages(open: OpenWork, moment: RecoveryMoment): readonly Draft[] {
  const paged = new Set<string>();
  const drafts: Draft[] = [];
  const ofIncident = (id: IncidentId): OpenScope | undefined => open.scopes.find(({ incident }) => incident === id);
  const tell = (about: About, incident: string, page: PageText): void => {
    if (paged.has(incident)) return;
    paged.add(incident);
    drafts.push({ ...about, fact: { type: 'escalation.raised', escalation: escalationOf(incident, page, moment) } });
  };
  for (const { permit, about } of rootsFirst(open.permits.filter(isChange))) {
    // Of a call for a group's incident, also one on a single channel of it: the page names the group.
    const { scope = permit.call.target, channels } = ofIncident(permit.incident) ?? {};
    tell(about, permit.incident, { ...unknownPage(permit, { when: WHEN_STOPPED, channels }), scope });
  }
  for (const cut of open.runs) {
    const { about } = cut;
    if (about.incident === undefined || mayBeTakenUp(open, cut)) continue;
    tell(about, about.incident, interruptedPage(about.incident, ofIncident(about.incident)));
  }
  return drafts;
}

/** That the end of a look is not known is nothing to a person: its run was interrupted, and that is said. */
const isChange = ({ permit }: OpenPermit): boolean => CHANGING_TOOLS.some((tool) => tool === permit.call.tool);

const rootsFirst = (permits: readonly OpenPermit[]): readonly OpenPermit[] => [
  ...permits.filter(({ permit }) => permit.parent === undefined),
  ...permits.filter(({ permit }) => permit.parent !== undefined),
];

const DETAILS_MAX = 2_000;
/** Whether it was started cannot be known, and what Reeve's own act left stopped no rule starts again (law S6). */
const START_IT = 'If it is stopped, start it yourself: Reeve does not start what its own restart left stopped.';
const WHEN_STOPPED = 'was under way when Reeve stopped';

type PageText = Pick<Escalation, 'severity' | 'reason' | 'scope' | 'channels' | 'summary' | 'details'>;

function escalationOf(incident: string, page: PageText, { at, ids }: RecoveryMoment): Escalation {
  const key = keyOfIncidentPage(incident);
  return { id: ids.next('esc'), key, incident, classification: undefined, at, ...page };
}

/**
 * It takes the place of the incident's page, so it lists the channels of that, too. `when`: what happened to Reeve or
 * to the call, as the end of a sentence that begins with the call.
 */
export function unknownPage(
  { call, risk }: PermitTerms,
  { when, channels = [] }: { readonly when: string; readonly channels?: readonly ChannelId[] | undefined },
): PageText {
  const what = describeCall(call);
  const all = [...new Set([...channels, ...call.channels])];
  return {
    severity: risk === 'low' ? 'warning' : 'critical',
    reason: 'outcome_unknown',
    scope: call.target,
    ...(all.length > 0 ? { channels: all } : {}),
    summary: `outcome unknown: ${what} ${when}`.slice(0, 200),
    details: clip(
      [
        `${what} had begun, and its end is not known: it ${when}. It may or may not have happened.`,
        'It counts as used and as failed, and Reeve will not do it again.',
        'Until it is seen healthy, nothing is changed there.',
        ...(call.tool === 'restart_channel' ? [START_IT] : []),
        `Look at it; then, to let Reeve act there again: reeve reset ${keyOfScope(call.target)} --because "..."`,
        ...(all.length > 0 ? [channelsLine(all)] : []),
      ].join('\n'),
      DETAILS_MAX,
    ),
  };
}

function interruptedPage(incident: IncidentId, about: OpenScope | undefined): PageText {
  const { scope = { kind: 'fleet' }, channels = [] } = about ?? {};
  return {
    severity: 'warning',
    reason: 'internal',
    scope,
    ...(channels.length > 0 ? { channels } : {}),
    summary: `${keyOfScope(scope)}: Reeve stopped in the middle of a run; no change was under way`.slice(0, 200),
    details: clip(
      [
        'Reeve was stopped or crashed while it worked on this incident. The end of every change it made is known.',
        'The incident stays open. Reeve looks at it again when what is wrong with it changes.',
        `The whole story: reeve trace ${incident}`,
        ...(channels.length > 0 ? [channelsLine(channels)] : []),
      ].join('\n'),
      DETAILS_MAX,
    ),
  };
}
