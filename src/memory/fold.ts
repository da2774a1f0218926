/** The fold of the graph: what one journal entry adds. Pure; the same entries always give the same graph. */
import type { FactType, JournalEntry, JournalFact } from '../core/journal.ts';
import { describeDecider, type Plan } from '../core/plan.ts';
import { keyOfScope, type Scope } from '../core/scope.ts';
import { describeCall } from '../core/tool.ts';
import { conceptsOf, softwareOfPattern } from './concepts.ts';
import {
  type Attributes,
  conceptHub,
  type Contribution,
  type EventNode,
  type EventType,
  eventId,
  type HubLink,
  LABEL_CHARS_MAX,
} from './node.ts';

/** What the fold of one fact says, before it gets its place. */
interface NodeDraft {
  readonly type: EventType;
  readonly label: string;
  readonly attributes?: Attributes;
  readonly id?: string;
  /** The island it belongs to, where that is not its incident. */
  readonly island?: string;
  readonly opensIsland?: boolean;
  /** About the island as a whole. */
  readonly links?: readonly HubLink[];
  /** Of this node only. */
  readonly own?: readonly HubLink[];
  readonly closes?: boolean;
}

type Folds = { readonly [T in FactType]?: (fact: Extract<JournalFact, { type: T }>, entry: JournalEntry) => NodeDraft };

const about = (concepts: readonly string[]): readonly HubLink[] =>
  concepts.map((concept) => ({ edge: 'about', hub: conceptHub(concept) }));
const linkToPerson = (who: string): HubLink => ({ edge: 'said_by', hub: `person:${who.slice(0, 64)}` });
const concerns = (scope: Scope): readonly HubLink[] =>
  scope.kind === 'fleet' ? [] : [{ edge: 'concerns', hub: keyOfScope(scope) }];

const FOLDS: Folds = {
  'incident.opened': ({ incident }) => ({
    type: 'incident',
    id: incident.id,
    island: incident.id,
    opensIsland: true,
    label: `${incident.classification} on ${keyOfScope(incident.scope)}`,
    attributes: { class: incident.classification, scope: keyOfScope(incident.scope), group: incident.group },
    links: [
      ...concerns(incident.scope),
      ...incident.channels.slice(0, 64).map((id): HubLink => ({ edge: 'concerns', hub: `channel:${id}` })),
      { edge: 'concerns', hub: `group:${incident.group}` },
      { edge: 'concerns', hub: `engine:${incident.engine}` },
      ...about([`class:${incident.classification}`]),
    ],
  }),
  'symptom.raised': ({ symptom }) => {
    const { kind, origin, pattern, evidence, countInWindow } = symptom;
    const software = pattern === undefined ? undefined : softwareOfPattern(pattern);
    const concepts = evidence.flatMap(({ text }) => conceptsOf(text));
    return {
      type: 'symptom',
      label: `${kind} from ${origin}, ${countInWindow} times`,
      attributes: { kind, origin, ...(pattern !== undefined && { pattern }) },
      links: about([`symptom:${kind}`, ...(software === undefined ? [] : [software]), ...concepts]),
      own: pattern === undefined ? [] : [{ edge: 'recognised_by', hub: `pattern:${pattern}` }],
    };
  },
  'envelope.taken': ({ envelope }) => ({
    type: 'envelope',
    label:
      `${envelope.failureClassification ?? 'no failure'}, confidence ${envelope.confidence.toFixed(2)}, ` +
      `${envelope.signals.length} signals`,
    attributes: {
      class: envelope.failureClassification ?? 'none',
      confidence: envelope.confidence,
      ...(envelope.lastErrorType !== undefined && { symptom: envelope.lastErrorType }),
      contained: envelope.containmentMode.active,
    },
    links: about([
      ...(envelope.failureClassification === undefined ? [] : [`class:${envelope.failureClassification}`]),
      ...(envelope.lastErrorType === undefined ? [] : [`symptom:${envelope.lastErrorType}`]),
      ...envelope.evidence.flatMap(({ text }) => conceptsOf(text)),
    ]),
  }),
  'plan.made': ({ plan }) => ({
    type: 'plan',
    label: `${plan.kind === 'act' ? describeCall(plan.call) : plan.kind}, by ${describeDecider(plan.by)}`,
    attributes: { plan: plan.kind, by: plan.by.kind, ...(plan.kind === 'act' && { tool: plan.call.tool }) },
    own: deciderLinks(plan),
  }),
  'guard.decided': ({ call, decision }) => ({
    type: 'guard_decision',
    label: decision.verdict === 'allow' ? `allows ${call}` : `refuses ${call} (${decision.code})`,
    attributes: { verdict: decision.verdict, ...(decision.verdict === 'deny' && { code: decision.code }) },
  }),
  'tool.started': ({ permit }) => ({
    type: 'action',
    label: `${describeCall(permit.call)} starts (${permit.id})`,
    attributes: { tool: permit.call.tool, target: keyOfScope(permit.call.target), permit: permit.id },
  }),
  'tool.finished': ({ permit, result }) => ({
    type: 'report',
    label: result.ok ? `${permit.call.tool} ended` : `${permit.call.tool} failed (${result.code ?? 'unknown'})`,
    attributes: { tool: permit.call.tool, ok: result.ok, took_ms: result.durationMs },
  }),
  'tool.unknown': ({ permit }) => ({
    type: 'report',
    label: `${permit.call.tool} UNKNOWN: Reeve stopped while it ran`,
    attributes: { tool: permit.call.tool, ok: false, unknown: true },
  }),
  'attempt.verified': ({ permit, verification: { cured, waitedMs } }) => ({
    type: 'verification',
    label: `${permit.call.tool} ${cured ? 'cured' : 'did NOT cure'} it, seen after ${waitedMs} ms`,
    attributes: { tool: permit.call.tool, cured, waited_ms: waitedMs },
  }),
  'attempt.relapsed': ({ permit }) => ({
    type: 'verification',
    label: `the cure by ${permit.call.tool} did NOT hold`,
    attributes: { tool: permit.call.tool, cured: false, relapsed: true },
  }),
  'run.ended': ({ outcome }) => ({
    type: 'outcome',
    label: outcome.kind === 'escalated' ? `escalated (${outcome.reason})` : outcome.kind,
    attributes: { outcome: outcome.kind, ...(outcome.kind === 'escalated' && { reason: outcome.reason }) },
  }),
  'incident.closed': ({ ending, openMs }) => ({
    type: 'outcome',
    label: `closed: ${ending} after ${openMs} ms`,
    attributes: { ending, open_ms: openMs },
    closes: true,
  }),
  'escalation.raised': ({ escalation }) => ({
    type: 'page',
    id: escalation.id,
    label: `${escalation.severity}: ${escalation.reason} about ${keyOfScope(escalation.scope)}`,
    attributes: { severity: escalation.severity, reason: escalation.reason },
    own: concerns(escalation.scope),
  }),
  'delivery.done': ({ receiver, what }) => ({
    type: 'report',
    label: `${what} delivered to ${receiver}`,
    attributes: { receiver, ok: true },
  }),
  'approval.asked': ({ approval }) => ({
    type: 'question',
    id: approval.id,
    label: `may ${describeCall(approval.call)} be run?`,
    attributes: { tool: approval.call.tool },
  }),
  'approval.answered': ({ yes, who }) => ({
    type: 'answer',
    label: `${yes ? 'yes' : 'no'} from ${who}`,
    attributes: { yes },
    own: [linkToPerson(who)],
  }),
  'question.asked': ({ turn, who, text, session }) => ({
    type: 'question',
    id: turn,
    island: turn,
    opensIsland: true,
    label: text,
    ...(session !== undefined && { attributes: { session } }),
    links: about(conceptsOf(text)),
    own: [linkToPerson(who)],
  }),
  'task.started': ({ turn, task, step }) => ({
    type: 'task',
    id: task,
    island: turn,
    opensIsland: turn === task,
    label: step,
    attributes: { step },
  }),
  'search_plan.made': ({ turn, terms, concepts }) => ({
    type: 'search_plan',
    island: turn,
    label: `search for ${terms.join(' ')}`,
    attributes: { terms, concepts },
    links: about(concepts),
  }),
  'task.reported': ({ turn, step, ok, summary, cites, tookMs }) => ({
    type: 'report',
    island: turn,
    label: summary,
    attributes: { step, ok, cites, took_ms: tookMs },
  }),
  'question.answered': ({ turn, text, cites, model }) => ({
    type: 'answer',
    island: turn,
    label: text,
    attributes: { cites, ...(model !== undefined && { model }) },
    closes: true,
  }),
  'dialogue.distilled': ({ turn, session, text, cites }) => ({
    type: 'dialogue_turn',
    island: turn,
    label: text,
    attributes: { cites, ...(session !== undefined && { session }) },
    links: about(conceptsOf(text)),
  }),
};

/** Facts that say who ordered what. */
const ORDERS: Readonly<Partial<Record<FactType, string>>> = {
  'control.frozen': 'freeze',
  'control.thawed': 'thaw',
  'control.leased': 'lease',
  'control.lease_ended': 'end of a lease',
  'control.phase_set': 'phase',
  'control.window_added': 'maintenance',
  'control.window_ended': 'end of maintenance',
  'control.reset': 'reset',
  'control.released': 'release',
};

/** The types of facts that add something: a reader may pass over all others. */
export const FOLDED_TYPES: ReadonlySet<string> = new Set([...Object.keys(FOLDS), ...Object.keys(ORDERS)]);

/** What the entry adds; undefined when it adds nothing. */
export function contributionOf(entry: JournalEntry): Contribution | undefined {
  const draft = draftOf(entry);
  if (draft === undefined) return undefined;
  const { links = [], own = [], type } = draft;
  const island = draft.island ?? entry.incident;
  const node: EventNode = {
    seq: entry.seq,
    at: entry.at,
    type,
    id: draft.id ?? eventId(type, entry.seq),
    island,
    opensIsland: draft.opensIsland ?? false,
    run: entry.run,
    label: draft.label.slice(0, LABEL_CHARS_MAX),
    attributes: draft.attributes ?? {},
  };
  const all = [...links.map((link) => ({ ...link, own: false })), ...own.map((link) => ({ ...link, own: true }))];
  return { node, links: all, closes: draft.closes === true ? island : undefined };
}

function draftOf(entry: JournalEntry): NodeDraft | undefined {
  const { fact } = entry;
  const fold = FOLDS[fact.type] as ((fact: JournalFact, entry: JournalEntry) => NodeDraft) | undefined;
  if (fold !== undefined) return fold(fact, entry);
  const order = ORDERS[fact.type];
  if (order === undefined || !('who' in fact)) return undefined;
  const scope = 'scope' in fact ? concerns(fact.scope as Scope) : [];
  return {
    type: 'task',
    label: `${order} by ${fact.who}`,
    attributes: { order },
    own: [linkToPerson(fact.who), ...scope],
  };
}

function deciderLinks({ by }: Plan): readonly HubLink[] {
  if (by.kind === 'rule') return [{ edge: 'decided_by', hub: `rule:${by.rule}` }];
  return by.kind === 'operator' ? [linkToPerson(by.who)] : [];
}
