import type { GroundedContextEnvelope } from '../core/envelope.ts';

/** What a rule can test. A list holds when any of its members does; absent holds for nothing. */
export type FactValue = string | number | boolean;

type Reader = (envelope: GroundedContextEnvelope) => readonly (FactValue | undefined)[];

/**
 * The facts by their names on the wire. Times of day are left out on purpose: the same envelope must give the same
 * plan at any hour.
 */
const READERS: Readonly<Record<string, Reader>> = {
  symptom: ({ lastErrorType, signals }) => [lastErrorType, ...signals.map(({ symptom }) => symptom)],
  evidence: ({ evidence }) => evidence.map(({ text }) => text),
  signal: ({ signals }) => signals.map(({ says }) => says),
  scope: ({ scope }) => [scope.kind],
  channel_id: ({ channelId }) => [channelId],
  group: ({ group }) => [group],
  engine: ({ engine }) => [engine],
  failure_classification: ({ failureClassification }) => [failureClassification],
  last_error_type: ({ lastErrorType }) => [lastErrorType],
  last_action: ({ lastAction }) => [lastAction],
  fingerprint: ({ fingerprint }) => [fingerprint],
  restart_count: ({ restartCount }) => [restartCount],
  restart_velocity: ({ restartVelocity }) => [restartVelocity],
  pool_pressure: ({ poolPressure }) => [poolPressure],
  error_frequency: ({ errorFrequency }) => [errorFrequency],
  confidence: ({ confidence }) => [confidence],
  evidence_dropped: ({ evidenceDropped }) => [evidenceDropped],
  cooldown_remaining: ({ cooldownRemaining }) => [cooldownRemaining],
  lasting_ms: ({ lastingMs }) => [lastingMs],
  containment_mode: ({ containmentMode }) => [containmentMode.active],
  channel_healthy: ({ channelHealthy }) => [channelHealthy],
  shared_cause: ({ sharedCause }) => [sharedCause],
};

/** Every name that a rule may use. */
export const FACT_NAMES: readonly string[] = Object.keys(READERS);

/** What the envelope says under that name; empty when it does not tell, or nobody knows the name. */
export function valuesOf(envelope: GroundedContextEnvelope, name: string): readonly FactValue[] {
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  return (read?.(envelope) ?? []).filter((value): value is FactValue => value !== undefined);
}
