/** One row for each field of the envelope: its form on the wire and the facts that a rule may test. */
import { FAILURE_CLASSES } from './classification.ts';
import type { GroundedContextEnvelope } from './envelope.ts';
import { SYMPTOMS } from './symptom.ts';
import { TOOL_NAMES } from './tool.ts';

/** What a rule can test. A list holds when any of its members does; absent holds for nothing. */
export type FactValue = string | number | boolean;
export type FactKind = 'text' | 'number' | 'truth' | 'milliseconds';

export interface EnvelopeFact {
  /** Its name in rules and on the wire, in snake_case. */
  readonly name: string;
  readonly kind: FactKind;
  /** The only values it can have, where they are few. */
  readonly values?: readonly string[];
  /** False: only the index of rules looks at it. */
  readonly inRules?: false;
  readonly read: (envelope: GroundedContextEnvelope) => readonly (FactValue | undefined)[];
}

interface EnvelopeField {
  /** What is not known is null on the wire, so that a reader can distinguish it from what was not asked. */
  readonly nullable?: true;
  readonly facts: readonly EnvelopeFact[];
}

/** The value of the field itself, under its name on the wire. */
const own = (
  name: string,
  kind: FactKind,
  read: (envelope: GroundedContextEnvelope) => FactValue | undefined,
  values?: readonly string[],
): EnvelopeFact => ({ name, kind, read: (envelope) => [read(envelope)], ...(values === undefined ? {} : { values }) });

/** No fact: times of day, because the same envelope must give the same plan at any hour; and lists of channels. */
const NO_FACT: EnvelopeField = { facts: [] };

/**
 * A field of the envelope without a row does not compile. To add one: the interface, its row here, and
 * `ground/envelope.ts`, which fills it.
 */
export const ENVELOPE_FIELDS: Readonly<Record<keyof GroundedContextEnvelope, EnvelopeField>> = {
  signals: {
    facts: [
      {
        name: 'symptom',
        kind: 'text',
        values: SYMPTOMS,
        read: ({ lastErrorType, signals }) => [lastErrorType, ...signals.map(({ symptom }) => symptom)],
      },
      { name: 'signal', kind: 'text', inRules: false, read: ({ signals }) => signals.map(({ says }) => says) },
    ],
  },
  evidence: {
    facts: [{ name: 'evidence', kind: 'text', read: ({ evidence }) => evidence.map(({ text }) => text) }],
  },
  scope: { facts: [{ name: 'scope', kind: 'text', inRules: false, read: ({ scope }) => [scope.kind] }] },
  channelId: { nullable: true, facts: [own('channel_id', 'text', ({ channelId }) => channelId)] },
  group: { facts: [own('group', 'text', ({ group }) => group)] },
  engine: { facts: [own('engine', 'text', ({ engine }) => engine)] },
  failureClassification: {
    nullable: true,
    facts: [own('failure_classification', 'text', (it) => it.failureClassification, FAILURE_CLASSES)],
  },
  lastErrorType: { nullable: true, facts: [own('last_error_type', 'text', (it) => it.lastErrorType, SYMPTOMS)] },
  lastAction: { nullable: true, facts: [own('last_action', 'text', ({ lastAction }) => lastAction, TOOL_NAMES)] },
  fingerprint: { facts: [own('fingerprint', 'text', ({ fingerprint }) => fingerprint)] },
  restartCount: { facts: [own('restart_count', 'number', ({ restartCount }) => restartCount)] },
  restartVelocity: { facts: [own('restart_velocity', 'number', ({ restartVelocity }) => restartVelocity)] },
  poolPressure: { nullable: true, facts: [own('pool_pressure', 'number', ({ poolPressure }) => poolPressure)] },
  errorFrequency: { facts: [own('error_frequency', 'number', ({ errorFrequency }) => errorFrequency)] },
  confidence: { facts: [own('confidence', 'number', ({ confidence }) => confidence)] },
  evidenceDropped: { facts: [own('evidence_dropped', 'number', ({ evidenceDropped }) => evidenceDropped)] },
  cooldownRemaining: { facts: [own('cooldown_remaining', 'milliseconds', (it) => it.cooldownRemaining)] },
  lastingMs: { facts: [own('lasting_ms', 'milliseconds', ({ lastingMs }) => lastingMs)] },
  containmentMode: { facts: [own('containment_mode', 'truth', ({ containmentMode }) => containmentMode.active)] },
  channelHealthy: { nullable: true, facts: [own('channel_healthy', 'truth', ({ channelHealthy }) => channelHealthy)] },
  sharedCause: { facts: [own('shared_cause', 'truth', ({ sharedCause }) => sharedCause)] },
  onTrial: NO_FACT,
  timestamp: NO_FACT,
  takenMs: NO_FACT,
  channels: NO_FACT,
};

/** Every fact, in the order in which the schema lists them. */
export const ENVELOPE_FACTS: readonly EnvelopeFact[] = Object.values(ENVELOPE_FIELDS).flatMap(({ facts }) => facts);
