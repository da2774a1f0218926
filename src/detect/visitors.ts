/** Which symptoms of a shared server's log only repeat what its visitors asked for. */
import type { SymptomKind } from '../core/symptom.ts';

/** Symptoms that any visitor of a web server can write into its log, by asking for what is not there. */
const VISITORS: ReadonlySet<SymptomKind> = new Set<SymptomKind>([
  'upstream_not_found',
  'upstream_unreachable',
  'upstream_timeout',
  'segment_missing',
  'auth_denied',
  'auth_expired',
  'rate_limited',
  'tls_failure',
]);

/** The log of a server that belongs to no channel says what its visitors asked for, not what the channel suffers. */
export const isVisitorsRequest = (source: string, kind: SymptomKind): boolean =>
  VISITORS.has(kind) && source.startsWith('source:');
