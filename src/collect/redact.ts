/** Removes secrets from text. */
import { redactOptions, redactStreamIds } from './secret_options.ts';
import { redactPairs } from './secret_pairs.ts';
import { redactShapes } from './secret_shapes.ts';
import { redactUrls } from './secret_urls.ts';

/** Without one of these there is nothing to look for: most lines end here. */
const SUSPICIOUS =
  /:\/\/|token|secret|p(?:ass|sk|wd)|credential|signature|key[-_ "'=:\\%,]|auth|bearer|basic |cookie|jwt|hmac|session|eyJ|eaa[a-z0-9]{20}|A[KSI][IZ]A|live_\d|!(?:::|%3a)|[?&;](?:sig|pw|st|md5|policy|hdn)|[-_][a-z0-9]{16}|[./:][\w-]{24}/i;

/**
 * Replaces the values of secrets by `[redacted]` and keeps everything else: passwords in URLs, tokens, keys and
 * signatures in queries, headers, JSON and `name=value`, stream keys, and secrets known by their shape.
 * Takes time in proportion to the text, whatever the text; redacting twice changes nothing.
 * Rather one value too many than one too few.
 */
export function redact(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return redactShapes(redactPairs(redactOptions(redactUrls(redactStreamIds(text)))));
}
