// Recognises trouble with a channel's source: unreachable, not found, limited, or access refused.
import type { ProbeFailure } from '../../core/sample.ts';
import type { SymptomKind } from '../../core/symptom.ts';
import {
  type ClassifyInput,
  outageIsOver,
  reported,
  sourceFails,
  sourceFailure,
  sourceIsBack,
} from './classify_input.ts';
import { serverOutOf } from '../correlate/nearby.ts';
import type { Match } from './rule.ts';
import type { SourceFacts } from '../facts/output_facts.ts';
import { isOfPublisher, type SymptomFacts } from '../facts/symptom_facts.ts';
import { deadSignal, outputSignal, sourceSignal, spoken, symptomSignal } from './signals.ts';

/** What the channel's log says of its source, unless the source has been read well since. */
function sourceReports(input: ClassifyInput, ...kinds: readonly SymptomKind[]): readonly SymptomFacts[] {
  if (outageIsOver(input)) return [];
  return reported(input, ...kinds).filter((one) => !sourceIsBack(input, one.lastMs));
}

/** Status and failure of the source's probe, while they speak. */
function sourceTrouble(
  input: ClassifyInput,
): { status: number | undefined; failure: ProbeFailure | undefined } | undefined {
  const failed = sourceFailure(input);
  return failed === undefined ? undefined : { status: failed.status, failure: failed.failure };
}

/** The server that it published to when it died, until it has been well for long enough. */
function serverStillOut(input: ClassifyInput): SourceFacts | undefined {
  if (!input.down || input.facts.setup.hasSource) return undefined;
  const server = serverOutOf(input.facts);
  return server === undefined || outageIsOver(input) ? undefined : server;
}

/** Nothing is known of the source: neither a line nor its probe speaks of it, nor a look at the server. */
const isSilent = (input: ClassifyInput): boolean =>
  input.facts.symptoms.length === 0 && sourceFailure(input) === undefined && input.facts.server === undefined;

/** A row about the source: asked of a channel in trouble, where anybody says anything. */
const ofSource =
  (holds: (input: ClassifyInput) => Match | undefined) =>
  (input: ClassifyInput): Match | undefined =>
    input.troubled && !isSilent(input) ? holds(input) : undefined;

/** Refused as a viewer of the source, not as a publisher. */
const refusals = (input: ClassifyInput): readonly SymptomFacts[] =>
  sourceReports(input, 'auth_denied').filter((line) => !isOfPublisher(line));

function matched(
  input: ClassifyInput,
  because: string,
  lines: readonly SymptomFacts[],
  extra: Partial<Match> = {},
): Match {
  const { facts, context } = input;
  const readWell = facts.source?.last.ok === true && sourceFailure(input) === undefined;
  return {
    because,
    signals: spoken(sourceSignal(input), ...lines.map(symptomSignal), deadSignal(input), outputSignal(input)),
    symptom: lines[0]?.kind,
    sinceMs: facts.source?.failSinceMs ?? lines[0]?.firstMs,
    // A line of the log that no probe of the source confirms, and that no neighbour shares, may be chance.
    ...(readWell && context.sharingSource === 0 ? { against: 1 } : {}),
    ...extra,
  };
}

const UNREACHED: ReadonlySet<ProbeFailure | undefined> = new Set(['refused', 'timeout', 'dns', 'reset', 'unreachable']);

/** The probe does not even reach the source now. */
function isOutOfReach(input: ClassifyInput): boolean {
  const source = sourceFails(input) === true ? sourceTrouble(input) : undefined;
  return source !== undefined && source.status === undefined && UNREACHED.has(source.failure);
}

/**
 * What the log says of access, while the source can be reached. Else that is not what fails: new credentials, and a
 * start with them, would change nothing.
 */
const accessReports = (input: ClassifyInput) =>
  isOutOfReach(input)
    ? { expired: [], refused: [] }
    : { expired: sourceReports(input, 'auth_expired'), refused: refusals(input) };

/** 401, or a refusal while the engine's own credentials fail. */
export const upstreamAuthExpired = ofSource((input) => {
  const source = sourceTrouble(input);
  const { credential } = input.context.engine;
  const { expired: said, refused } = accessReports(input);
  const expired = credential?.ok === true ? [] : said;
  const unauthorized = refused.filter(({ pattern }) => pattern?.includes('401'));
  if (source?.status === 401) return matched(input, 'the source answers 401', [...expired, ...unauthorized]);
  if (credential?.ok === false && (source?.status === 403 || refused.length > 0 || expired.length > 0)) {
    const metric = {
      origin: 'metric',
      says: 'the credential probe fails',
      symptom: undefined,
      monoMs: credential.monoMs,
    };
    const match = matched(input, 'the source refuses, and the credentials fail their probe', [...expired, ...refused]);
    return { ...match, signals: [...match.signals, metric as Match['signals'][number]] };
  }
  if (expired.length > 0) return matched(input, 'access ran out', expired);
  return unauthorized.length > 0 ? matched(input, 'the source answers 401', unauthorized) : undefined;
});

/** Refused after a good read, while the credentials are fine: the address is stale, and stays stale over a restart. */
export const upstreamUrlExpired = ofSource((input) => {
  const source = sourceTrouble(input);
  const { expired, refused } = accessReports(input);
  const lines = [...refused, ...expired];
  const isRefused = source?.status === 403 || source?.status === 410;
  if (!isRefused && lines.length === 0) return undefined;
  const readBefore = input.facts.source?.lastOkMs !== undefined || input.facts.output?.everChanged === true;
  const because = `the source refuses${readBefore ? ' after a good read' : ''} (${source?.status ?? 'by the log'})`;
  return matched(input, because, lines, {
    symptom: lines[0]?.kind ?? 'auth_denied',
    ...(readBefore ? {} : { against: 1 }),
  });
});

export const upstreamNotFound = ofSource((input) => {
  const lines = sourceReports(input, 'upstream_not_found');
  if (sourceTrouble(input)?.status !== 404 && lines.length === 0) return undefined;
  return matched(input, 'the source does not have it (404)', lines, { symptom: 'upstream_not_found' });
});

export const upstreamRateLimited = ofSource((input) => {
  const status = sourceTrouble(input)?.status;
  const retryMs = sourceFailure(input)?.retryAfterMs;
  const held = status === 503 && retryMs !== undefined;
  const lines = sourceReports(input, 'rate_limited');
  if (status !== 429 && status !== 464 && !held && lines.length === 0) return undefined;
  const because = `the source limits requests${retryMs === undefined ? '' : ` for ${Math.ceil(retryMs / 1000)} s`}`;
  return matched(input, because, lines, { symptom: 'rate_limited' });
});

/**
 * Refused, unresolved, silent, cut short, too slow, 5xx: nothing here can mend it, and the channel cannot play
 * without.
 */
export const upstreamUnavailable = ofSource((input) => {
  const source = sourceTrouble(input);
  const lines = sourceReports(input, 'upstream_unreachable', 'upstream_timeout', 'dns_failure', 'tls_failure');
  const probed = source !== undefined && source.failure !== 'corrupt';
  // What was killed says nothing of the server that it publishes to: that is gone all the same.
  const server = probed || lines.length > 0 ? undefined : serverStillOut(input)?.lastFailed;
  if (!probed && lines.length === 0 && server === undefined) return undefined;
  const failure = source?.failure ?? server?.failure;
  const how = source === undefined ? (lines[0]?.kind ?? failure) : (failure ?? 'unknown');
  const because = `${whichSource(input)} is not available (${how}${statusOf(source?.status)})`;
  const symptom = lines[0]?.kind ?? symptomOf(failure);
  return matched(input, because, lines, { symptom, ...(server === undefined ? {} : { sinceMs: server.monoMs }) });
});

function whichSource({ facts }: ClassifyInput): string {
  if (facts.source !== undefined) return `the source ${facts.source.last.host}`;
  const server = serverOutOf(facts);
  return server?.last.ok === false ? `the server ${server.last.host}` : 'the source';
}

const statusOf = (status: number | undefined): string => (status === undefined ? '' : ` ${status}`);

const symptomOf = (failure: ProbeFailure | undefined): SymptomKind =>
  failure === 'timeout' || failure === 'slow'
    ? 'upstream_timeout'
    : failure === 'dns'
      ? 'dns_failure'
      : failure === 'tls'
        ? 'tls_failure'
        : 'upstream_unreachable';
