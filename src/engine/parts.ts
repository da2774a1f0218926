/** What all engine adapters share. */
import type { Clock, EpochMs, MonoMs } from '../core/clock.ts';
import type { SecretReference } from './secret_reference.ts';
import type { EngineReport, ReadProcess } from '../core/engine.ts';
import { messageOf } from '../core/errors.ts';
import type { EngineSample, ProbeFailure } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';
import { failureOf, statusOf } from '../resilience/failure.ts';
import type { BoundedFetch } from '../resilience/http.ts';
import type { Transport } from '../resilience/transport.ts';
import type { ChangeGateway } from './change_gateway.ts';

/** A channel and what the engine calls it. */
export interface ChannelName {
  readonly id: ChannelId;
  readonly name: string;
}

/** What an adapter works with. Looks and changes go two ways to one engine, so that neither closes the other. */
export interface EngineParts {
  readonly clock: Clock;
  readonly ask: BoundedFetch;
  readonly look: Transport;
  readonly change: ChangeGateway;
  readonly secret: (reference: SecretReference) => string;
  readonly readProcess: ReadProcess | undefined;
}

/** When a look began: what it shows is at least as new. */
export interface ReadingTime {
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
}

export const readingTimeOf = (clock: Clock): ReadingTime => ({ at: clock.now(), monoMs: clock.monotonicMs() });

interface EngineReading {
  readonly engine: EngineId;
  readonly source: string;
  readonly moment: ReadingTime;
}

/** The engine answered well. */
export const upSample = ({ engine, source, moment }: EngineReading): EngineSample => ({
  kind: 'engine',
  engine,
  source,
  ...moment,
  ok: true,
  poolPressure: undefined,
  reportsPool: false,
});

/** The engine did not answer well: nothing is known of its channels. */
export function downReport(reading: EngineReading, thrown: unknown, reportsPool = false): EngineReport {
  const engine: EngineSample = { ...upSample(reading), ok: false, failure: engineFailureOf(thrown), reportsPool };
  return { engine, because: messageOf(thrown), processes: [], viewers: [], credential: undefined };
}

function engineFailureOf(thrown: unknown): ProbeFailure | 'refused_credentials' {
  const status = statusOf(thrown);
  return status === 401 || status === 403 ? 'refused_credentials' : failureOf(thrown);
}

/** The value of an `Authorization` header (RFC 7617). */
export const basicAuth = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
