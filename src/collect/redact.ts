import { REDACTED } from './redaction_mark.ts';
import { redactPairs } from './secret_pairs.ts';
import { redactUrls } from './secret_urls.ts';

/** Without one of these there is nothing to look for: most lines end here. */
const SUSPICIOUS =
  /:\/\/|token|secret|passw|passphrase|pwd|credential|signature|api[-_ ]?key|[a-z][-_ ]key|auth|bearer|basic |cookie|jwt|hmac|session|private key|hooks\.slack|eyJ|A[KS]IA|gh[a-z]_|glpat-|xox[a-z]-|sk-|AIza|live_\d|[?&;](?:key|sig|pass|pw|st|md5|policy|hdn)/i;

/**
 * Secrets that are known by their own shape. Each begins where a run of its own characters begins, so no text makes
 * the search go over the same characters again and again.
 */
const SHAPES: readonly RegExp[] = [
  /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g,
  /(?<![A-Za-z0-9])A[KS]IA[0-9A-Z]{16}(?![0-9A-Z])/g,
  /(?<![\w-])(?:gh[pousr]_|glpat-|xox[abeprs]-|sk-|AIza)[\w-]{16,}/g,
  /(?<![\w-])live_\d{5,}_[A-Za-z0-9]{10,}/g,
  /(?<=hooks\.slack\.com\/services\/)[\w/]+/g,
  /-----BEGIN [A-Z ]{0,24}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,24}PRIVATE KEY-----|$)/g,
];

const BEARER = /(?<=(?<![a-z])bearer[ :=]{1,3})[\w.~+/=-]{8,}/gi;
const BASIC = /(?<=(?<![a-z])basic {1,3})[\w+/=-]{6,}/gi;

/**
 * Replaces the values of secrets by `[redacted]` and keeps everything else: passwords in URLs, tokens, keys and
 * signatures in queries, headers, JSON and `name=value`, stream keys, and secrets known by their shape.
 * Takes time in proportion to the text, whatever the text; redacting twice changes nothing.
 * Rather one value too many than one too few.
 */
export function redact(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  const paired = redactPairs(redactUrls(text));
  return redactShapes(paired);
}

function redactShapes(text: string): string {
  let safe = text;
  for (const shape of SHAPES) safe = safe.replace(shape, REDACTED);
  // "Bearer authentication required" and "Basic auth" are prose; a credential has a digit, or is long, or decodes.
  safe = safe.replace(BEARER, (value) => (/\d/.test(value) || value.length > 24 ? REDACTED : value));
  return safe.replace(BASIC, (value) => (Buffer.from(value, 'base64').includes(':') ? REDACTED : value));
}
