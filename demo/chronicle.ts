/** Makes a story of journal entries, and the account of what Reeve did. */
import type { FactType, JournalEntry, JournalFact } from '../src/core/journal.ts';
import { keyOfScope } from '../src/core/scope.ts';
import { describeCall } from '../src/core/tool.ts';

/** What a line of the story is about. */
export type Beat = 'saw' | 'concluded' | 'planned' | 'refused' | 'did' | 'verified' | 'contained' | 'paged' | 'closed';

export interface StoryLine {
  readonly beat: Beat;
  readonly text: string;
  /** Lines with the same key are printed once in an act. */
  readonly once: string;
}

type Telling = Readonly<{ beat: Beat; text: string; once?: string }>;
type Tellers = { [T in FactType]?: (fact: Extract<JournalFact, { type: T }>) => Telling | undefined };

/** The few kinds of fact that make the story; the whole of it is in `reeve trace`. */
const TELLERS: Tellers = {
  'symptom.raised': ({ symptom: { channel, kind, origin, evidence } }) => ({
    beat: 'saw',
    text: `${kind} (${origin})${evidence.length > 0 ? `: ${evidence.at(-1)!.text}` : ''}`,
    once: `${channel}/${kind}/${origin}`,
  }),
  'incident.opened': ({ incident }) => ({
    beat: 'concluded',
    text: `${incident.classification} on ${keyOfScope(incident.scope)}, incident ${incident.id}`,
  }),
  'incident.reclassified': ({ to, because }) => ({ beat: 'concluded', text: `it is ${to}: ${because}` }),
  'plan.made': ({ plan }) => {
    const what = plan.kind === 'act' ? describeCall(plan.call) : plan.kind;
    return { beat: 'planned', text: `${what}, by ${plan.because}`, once: `${plan.kind}/${what}/${plan.because}` };
  },
  'guard.decided': ({ call, decision }) =>
    decision.verdict === 'deny'
      ? { beat: 'refused', text: `${call}: ${decision.code}, ${decision.because}` }
      : undefined,
  'tool.started': ({ permit }) => ({ beat: 'did', text: `${describeCall(permit.call)} begins` }),
  'tool.finished': ({ result }) => ({ beat: 'did', text: `${describeCall(result.call)}: ${result.summary}` }),
  'attempt.verified': ({ verification: { cured, because } }) => ({
    beat: 'verified',
    text: `${cured ? 'cured' : 'NOT cured'}: ${because}`,
  }),
  'attempt.relapsed': ({ because }) => ({ beat: 'verified', text: `it did not hold: ${because}` }),
  'containment.raised': ({ scope, reason, detail }) => ({
    beat: 'contained',
    text: `${keyOfScope(scope)} by ${reason}: ${detail}`,
  }),
  'containment.cleared': ({ scope, reason, because }) => ({
    beat: 'contained',
    text: `no longer ${keyOfScope(scope)} by ${reason}: ${because}`,
  }),
  'escalation.raised': ({ escalation: { severity, summary } }) => ({ beat: 'paged', text: `${severity}: ${summary}` }),
  'incident.closed': ({ ending, because }) => ({ beat: 'closed', text: `${ending}: ${because}` }),
};

/** What an entry adds to the story; undefined when it is not part of it. */
export function tell(entry: JournalEntry): StoryLine | undefined {
  const teller = TELLERS[entry.fact.type] as ((fact: JournalFact) => Telling | undefined) | undefined;
  const line = teller?.(entry.fact);
  if (!line) return undefined;
  const where = entry.channel ? `${entry.channel} ` : '';
  return { beat: line.beat, text: `${where}${line.text}`, once: `${line.beat}/${line.once ?? entry.seq}` };
}

/** What Reeve itself says it made of one stretch of trouble: the reading of its journal. */
export interface Account {
  readonly classifications: readonly string[];
  /** Changes it made, such as `restart_channel on channel:gen1`. */
  readonly changes: readonly string[];
  readonly refusals: readonly string[];
  readonly pages: number;
  /** Why it believes that it is over. */
  readonly verified: string | undefined;
  /** Incidents of its scope that were opened, and of those the ones that are still open. */
  readonly incidents: readonly string[];
  readonly open: readonly string[];
}

/** The incidents that were opened about these channels; about a group or engine too, where there are several. */
export const incidentsAbout = (channels: readonly string[], entries: readonly JournalEntry[]): readonly string[] =>
  entries
    .map(({ fact }) => fact)
    .filter((fact) => fact.type === 'incident.opened')
    .map(({ incident }) => incident)
    .filter(({ scope }) => (scope.kind === 'channel' ? channels.includes(scope.id) : channels.length > 1))
    .map(({ id }) => id);

/** Only looking is not a change. */
const LOOKING = new Set(['fetch_recent_logs', 'inspect_pool_status', 'get_channel_health']);

export function accountOf(entries: readonly JournalEntry[]): Account {
  const facts = entries.map(({ fact }) => fact);
  const some = <T extends FactType>(type: T) =>
    facts.filter((fact): fact is Extract<JournalFact, { type: T }> => fact.type === type);
  const opened = some('incident.opened').map(({ incident }) => incident);
  const closed = new Set(entries.filter(({ fact }) => fact.type === 'incident.closed').map(({ incident }) => incident));
  const verifications = some('attempt.verified').map(({ verification }) => verification);
  return {
    classifications: unique([
      ...opened.map(({ classification }) => classification),
      ...some('incident.reclassified').map(({ to }) => to),
    ]),
    changes: some('tool.started')
      .map(({ permit }) => permit.call)
      .filter(({ tool }) => !LOOKING.has(tool))
      .map(describeCall),
    refusals: unique(
      some('guard.decided').flatMap(({ decision }) => (decision.verdict === 'deny' ? [decision.code] : [])),
    ),
    pages: some('escalation.raised').length,
    verified: verifications.findLast(({ cured }) => cured)?.because ?? some('incident.closed').at(-1)?.because,
    incidents: opened.map(({ id }) => id),
    open: opened.map(({ id }) => id).filter((id) => !closed.has(id)),
  };
}

const unique = (list: readonly string[]): readonly string[] => [...new Set(list)];
