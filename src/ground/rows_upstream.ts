import type { ProbeFailure } from '../core/sample.ts';
import type { SymptomKind } from '../core/symptom.ts';
import { type Look, outageIsOver, sourceFailure, sourceIsBack, told } from './look.ts';
import type { Match } from './row.ts';
import type { SymptomFacts } from './symptom_facts.ts';
import { deadSignal, outputSignal, sourceSignal, spoken, symptomSignal } from './witness.ts';

/** What the channel's log says of its source, unless the source has been read well since. */
function words(look: Look, ...kinds: readonly SymptomKind[]): readonly SymptomFacts[] {
  if (outageIsOver(look)) return [];
  return told(look, ...kinds).filter((one) => !sourceIsBack(look, one.lastMs));
}

/** Status and failure of the source's probe, while they speak. */
function sourceTrouble(look: Look): { status: number | undefined; failure: ProbeFailure | undefined } | undefined {
  const failed = sourceFailure(look);
  return failed === undefined ? undefined : { status: failed.status, failure: failed.failure };
}

/** Nobody says anything of the source: neither a line nor its probe. */
const isSilent = (look: Look): boolean => look.facts.symptoms.length === 0 && sourceFailure(look) === undefined;

/** A row about the source: asked of a channel in trouble, where anybody says anything. */
const ofSource =
  (holds: (look: Look) => Match | undefined) =>
  (look: Look): Match | undefined =>
    look.troubled && !isSilent(look) ? holds(look) : undefined;

const DURING_PUBLISH = /publish|ingest|stream_key/;
/** Refused as a viewer of the source, not as a publisher. */
const refusals = (look: Look): readonly SymptomFacts[] =>
  words(look, 'auth_denied').filter(({ pattern }) => !DURING_PUBLISH.test(pattern ?? ''));

function matched(look: Look, because: string, lines: readonly SymptomFacts[], extra: Partial<Match> = {}): Match {
  const { facts, context } = look;
  const readWell = facts.source?.last.ok === true && sourceFailure(look) === undefined;
  return {
    because,
    signals: spoken(sourceSignal(look), ...lines.map(symptomSignal), deadSignal(look), outputSignal(look)),
    symptom: lines[0]?.kind,
    sinceMs: facts.source?.failSinceMs ?? lines[0]?.firstMs,
    // A word of the log that no probe of the source bears out, and that no neighbour shares, may be chance.
    ...(readWell && context.sharingSource === 0 ? { against: 1 } : {}),
    ...extra,
  };
}

/** 401, or a refusal while the engine's own credentials fail. */
export const upstreamAuthExpired = ofSource((look) => {
  const source = sourceTrouble(look);
  const { credential } = look.context.engine;
  const expired = credential?.ok === true ? [] : words(look, 'auth_expired');
  const unauthorized = refusals(look).filter(({ pattern }) => pattern?.includes('401'));
  if (source?.status === 401) return matched(look, 'the source answers 401', [...expired, ...unauthorized]);
  const refused = refusals(look);
  if (credential?.ok === false && (source?.status === 403 || refused.length > 0 || expired.length > 0)) {
    const metric = {
      origin: 'metric',
      says: 'the credential probe fails',
      symptom: undefined,
      monoMs: credential.monoMs,
    };
    const match = matched(look, 'the source refuses, and the credentials fail their probe', [...expired, ...refused]);
    return { ...match, signals: [...match.signals, metric as Match['signals'][number]] };
  }
  if (expired.length > 0) return matched(look, 'access ran out', expired);
  return unauthorized.length > 0 ? matched(look, 'the source answers 401', unauthorized) : undefined;
});

/** Refused after a good read, while the credentials are fine: the address is stale, and stays stale over a restart. */
export const upstreamUrlExpired = ofSource((look) => {
  const source = sourceTrouble(look);
  const lines = [...refusals(look), ...words(look, 'auth_expired')];
  const told403 = source?.status === 403 || source?.status === 410;
  if (!told403 && lines.length === 0) return undefined;
  const readBefore = look.facts.source?.lastOkMs !== undefined || look.facts.output?.everChanged === true;
  const because = `the source refuses${readBefore ? ' after a good read' : ''} (${source?.status ?? 'by the log'})`;
  return matched(look, because, lines, {
    symptom: lines[0]?.kind ?? 'auth_denied',
    ...(readBefore ? {} : { against: 1 }),
  });
});

export const upstreamNotFound = ofSource((look) => {
  const lines = words(look, 'upstream_not_found');
  if (sourceTrouble(look)?.status !== 404 && lines.length === 0) return undefined;
  return matched(look, 'the source does not have it (404)', lines, { symptom: 'upstream_not_found' });
});

export const upstreamRateLimited = ofSource((look) => {
  const status = sourceTrouble(look)?.status;
  const retryMs = sourceFailure(look)?.retryAfterMs;
  const held = status === 503 && retryMs !== undefined;
  const lines = words(look, 'rate_limited');
  if (status !== 429 && status !== 464 && !held && lines.length === 0) return undefined;
  const because = `the source limits requests${retryMs === undefined ? '' : ` for ${Math.ceil(retryMs / 1000)} s`}`;
  return matched(look, because, lines, { symptom: 'rate_limited' });
});

/**
 * Refused, unresolved, silent, cut short, too slow, 5xx: nothing here can mend it, and the channel cannot play
 * without.
 */
export const upstreamUnavailable = ofSource((look) => {
  const source = sourceTrouble(look);
  const lines = words(look, 'upstream_unreachable', 'upstream_timeout', 'dns_failure', 'tls_failure');
  const probed = source !== undefined && source.failure !== 'corrupt';
  if (!probed && lines.length === 0) return undefined;
  const how = source === undefined ? lines[0]?.kind : (source.failure ?? 'unknown');
  const host = look.facts.source?.last.host;
  const which = host === undefined ? 'the source' : `the source ${host}`;
  const because = `${which} is not available (${how}${statusOf(source?.status)})`;
  return matched(look, because, lines, { symptom: lines[0]?.kind ?? symptomOf(source?.failure) });
});

const statusOf = (status: number | undefined): string => (status === undefined ? '' : ` ${status}`);

const symptomOf = (failure: ProbeFailure | undefined): SymptomKind =>
  failure === 'timeout' || failure === 'slow'
    ? 'upstream_timeout'
    : failure === 'dns'
      ? 'dns_failure'
      : failure === 'tls'
        ? 'tls_failure'
        : 'upstream_unreachable';
