// Classifies an engine and its machine from their facts.
import type { FailureClass } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { Signal } from '../../core/envelope.ts';
import type { Limits } from '../../core/limits.ts';
import type { EngineId } from '../../core/scope.ts';
import type { SymptomKind } from '../../core/symptom.ts';
import { confidenceOf, type Trouble } from './classify.ts';
import { type EngineFacts, failuresText, fullestDisk, type HostFacts } from '../facts/engine_facts.ts';
import { DISK_FULL_RATIO, ENGINE_FAILURES_MIN } from '../facts/setup.ts';

export interface EngineClassifyInput {
  readonly engine: EngineId;
  readonly facts: EngineFacts;
  readonly host: HostFacts | undefined;
  readonly limits: Limits;
}

interface EngineMatch {
  readonly classification: FailureClass;
  readonly signal: Signal;
  readonly sinceMs: MonoMs;
  readonly symptom?: SymptomKind;
}

/**
 * What is wrong with an engine or its machine as a whole, whatever its channels do: a disk that is full while
 * everything still plays is worth a call before it goes down. The same classes and the same order as for channels.
 */
export function classifyEngine(input: EngineClassifyInput, nowMs: MonoMs): Trouble | undefined {
  const match = controlPlane(input) ?? disk(input) ?? pool(input);
  if (match === undefined) return undefined;
  const { classification, signal } = match;
  return {
    trouble: true,
    classification,
    confidence: confidenceOf({ because: signal.says, signals: [signal] }, []),
    healthy: undefined,
    because: signal.says,
    signals: [signal],
    lastErrorType: match.symptom,
    fingerprint: `${classification}|${input.engine}|engine`,
    sinceMs: match.sinceMs,
    settling: false,
    actNotBeforeMs: nowMs,
    wants: [],
  };
}

function controlPlane({ facts }: EngineClassifyInput): EngineMatch | undefined {
  if (facts.last === undefined || facts.failStreak < ENGINE_FAILURES_MIN) return undefined;
  const { failure = 'unknown' } = facts.last;
  const says = failure === 'refused_credentials' ? failuresText(facts) : `${failuresText(facts)} (${failure})`;
  const signal: Signal = { origin: 'metric', says, symptom: undefined, monoMs: facts.last.monoMs };
  return { classification: 'control_plane_down', signal, sinceMs: facts.failSinceMs ?? facts.last.monoMs };
}

function disk({ host }: EngineClassifyInput): EngineMatch | undefined {
  const fullest = fullestDisk(host);
  if (host === undefined || fullest === undefined || fullest.ratio < DISK_FULL_RATIO) return undefined;
  const says = `${fullest.path} is ${Math.floor(fullest.ratio * 100)} % full`;
  const signal: Signal = { origin: 'host', says, symptom: 'disk_full', monoMs: host.last.monoMs };
  return { classification: 'host_exhausted', signal, sinceMs: host.last.monoMs, symptom: 'disk_full' };
}

function pool({ facts, limits }: EngineClassifyInput): EngineMatch | undefined {
  const pressure = facts.last?.poolPressure;
  if (facts.last === undefined || pressure === undefined || pressure < limits.poolPressureMax) return undefined;
  const says = `the pool is ${Math.round(pressure * 100)} % used`;
  const signal: Signal = { origin: 'metric', says, symptom: undefined, monoMs: facts.last.monoMs };
  return { classification: 'pool_exhausted', signal, sinceMs: facts.last.monoMs };
}
