/** Tells a refusal that is an expiry: the address itself says until when it holds. */
import type { Evidence } from './course.ts';
import type { ExcerptLine } from './lines.ts';
import { logTimeOf, SURE_MS } from './log_time.ts';
import { validUntil } from './validity.ts';

const HTTP_REFUSED = /\b40[13]\b|\b(?:forbidden|unauthori[sz]ed|access denied)\b/i;
/** Some servers call what is over gone. */
const GONE = /\b410\b/;

const isRefusal = ({ at, symptom }: Evidence, lines: readonly ExcerptLine[]): boolean =>
  symptom === 'auth_denied'
    ? HTTP_REFUSED.test(lines[at]!.whole)
    : (symptom === 'upstream_not_found' || symptom === 'segment_missing') && GONE.test(lines[at]!.whole);

/** A refusal of an address whose time was over by the log's own time is an expiry. */
export function signedAway(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  if (!evidence.some((one) => isRefusal(one, lines))) return evidence;
  const ends = lines.flatMap(({ whole }) => validUntil(whole) ?? []);
  const times = lines.flatMap(({ whole }) => logTimeOf(whole) ?? []);
  // Lines that write their offset from UTC are the surer ones.
  const now = times.findLast(({ unsureMs }) => unsureMs === SURE_MS) ?? times.at(-1);
  // Several addresses: which of them was refused is not known, unless the time of all is over.
  if (now === undefined || ends.length === 0 || !ends.every((end) => end < now.atMs - now.unsureMs)) return evidence;
  return evidence.map((one) =>
    isRefusal(one, lines) ? { ...one, symptom: 'auth_expired', remedy: 'refresh_credentials' } : one,
  );
}
