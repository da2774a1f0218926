/** Makes the envelope and snapshot of a case. */
import type { EpochMs, MonoMs } from '../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../core/duration.ts';
import type { Containment, ContainmentReason, GroundedContextEnvelope, Signal } from '../core/envelope.ts';
import { keyOfScope, type Scope, scopesOf } from '../core/scope.ts';
import { cooldownOf } from '../guard/state/cooldown.ts';
import { containmentsOf, type GuardState, subjectAt } from '../guard/state/state.ts';
import { startsIn } from '../guard/state/window.ts';
import type { Seen } from '../incident/lifecycle/seen.ts';
import type { GivenEnvelope } from './document.ts';
import type { Frame } from './frame.ts';

/** One moment of a case. */
export interface GivenMoment {
  readonly at: EpochMs;
  readonly nowMs: MonoMs;
  readonly guard: GuardState;
  /** A change has ended the trouble. */
  readonly well: boolean;
  readonly approval: Seen['sight']['approval'];
}

const LASTING_MS = MINUTE_MS;
const CONFIDENCE = 0.9;
const WITNESSES = ['process', 'probe'] as const;

/** How long the trouble of the case has had its name. */
export const lastingOf = ({ given }: Frame): number => given.envelope?.lasting ?? LASTING_MS;

/** The envelope of the case, as it would stand at this moment: what is old stays as old as the case says. */
export function envelopeOf(frame: Frame, moment: GivenMoment): GroundedContextEnvelope {
  const { nowMs, at, guard, well } = moment;
  const stated: GivenEnvelope = frame.given.envelope ?? {};
  const { channel, scope } = frame;
  const takenMs = nowMs - (stated.age ?? 0);
  return {
    channelId: scope.kind === 'channel' ? scope.id : undefined,
    failureClassification: well ? undefined : stated.classification,
    ...countsOf(frame, guard, nowMs),
    poolPressure: typeof stated.pool_pressure === 'number' ? stated.pool_pressure : undefined,
    lastErrorType: stated.error_type,
    errorFrequency: stated.error_frequency ?? 1,
    confidence: well ? 0 : (stated.confidence ?? CONFIDENCE),
    timestamp: at - (stated.age ?? 0),
    containmentMode: containmentOf(frame, guard),
    channelHealthy: well ? true : healthOf(stated),
    evidence: [],
    takenMs,
    scope,
    group: channel.group,
    engine: channel.engine,
    signals: well ? [] : (stated.signals ?? WITNESSES).map((one) => signalOf(one, takenMs)),
    fingerprint: frame.fingerprint,
    lastingMs: lastingOf(frame),
    channels: stated.channels ?? [],
    sharedCause: stated.shared_cause ?? false,
    evidenceDropped: 0,
  };
}

/** The same for the transitions, which decide whether a run is due at all. */
export function seenOf(frame: Frame, moment: GivenMoment): Seen {
  const { channel, scope, classification } = frame;
  const { nowMs, well, guard, approval } = moment;
  const healthy = well ? true : healthOf(frame.given.envelope ?? {});
  const inTrouble = !well && classification !== undefined;
  const sinceMs = nowMs - lastingOf(frame);
  return {
    group: scope.kind === 'group' ? scope.id : channel.group,
    engine: channel.engine,
    channels: frame.given.envelope?.channels ?? [],
    because: 'as given',
    sight: {
      trouble: inTrouble ? { classification, settling: false, settledMs: sinceMs, sinceMs } : undefined,
      healthy,
      healthySinceMs: healthy === true ? nowMs : undefined,
      quiet: false,
      covered: false,
      contained: containmentOf(frame, guard).active,
      approval,
    },
  };
}

const healthOf = ({ healthy = false }: GivenEnvelope): boolean | undefined =>
  healthy === 'unknown' ? undefined : healthy;

function signalOf(stated: NonNullable<GivenEnvelope['signals']>[number], takenMs: MonoMs): Signal {
  if (typeof stated === 'string') return { origin: stated, says: 'as given', symptom: undefined, monoMs: takenMs };
  const { origin, says = 'as given', symptom, age = 0 } = stated;
  return { origin, says, symptom, monoMs: takenMs - age };
}

function containmentOf({ scope, channel }: Frame, guard: GuardState): Containment {
  const scopes = scope.kind === 'channel' ? scopesOf(channel) : [scope, { kind: 'fleet' } as const];
  const [first, ...rest] = new Set(containmentsOf(guard, scopes).map(({ reason }) => reason));
  return first === undefined ? { active: false } : { active: true, reasons: [first, ...rest] };
}

function countsOf({ scope, settings }: Frame, guard: GuardState, nowMs: MonoMs) {
  const subject = subjectAt(guard, keyOfScope(scope));
  const id = scope.kind === 'channel' ? scope.id : undefined;
  const own = guard.starts.filter(({ channel, atMs }) => channel === id && atMs > nowMs - HOUR_MS);
  return {
    restartCount: own.length,
    restartVelocity: startsIn(guard.starts, { windowMs: MINUTE_MS, nowMs }).length,
    lastAction: subject.uses.restart_channel === undefined ? undefined : ('restart_channel' as const),
    cooldownRemaining: cooldownOf(subject.uses.restart_channel, settings.limits.restartCooldownMs, nowMs).leftMs,
  };
}

/** Where containment for a reason usually holds. */
export function usualScope(reason: ContainmentReason, { channel }: Frame): Scope {
  if (reason === 'breaker_open') return { kind: 'channel', id: channel.id };
  if (reason === 'shared_cause') return { kind: 'group', id: channel.group };
  if (reason === 'pool_pressure' || reason === 'pool_unknown') return { kind: 'engine', id: channel.engine };
  return { kind: 'fleet' };
}
