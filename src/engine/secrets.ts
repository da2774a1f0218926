/** Cuts secrets out of what engines answer. */

/** Keys under which streaming services carry tokens, in URLs, headers and JSON. */
const KEYS = 'x-plex-token|access_?token|auth_?token|api_?key|token|password|secret';

const IN_QUERY = new RegExp(`([?&;\\s"'](?:${KEYS})=)[^&;\\s"'<>]+`, 'gi');
const IN_HEADER = new RegExp(`\\b((?:${KEYS}|authorization)"?\\s*:\\s*"?)(?:Bearer\\s+|Basic\\s+)?[^\\s",}]+`, 'gi');
const IN_URL = /(\/\/)[^/\s:@]+:[^/\s@]+@/g;

/** Text of a service without the tokens that it is known to print. The collector redacts again, and more. */
export const withoutTokens = (text: string): string =>
  text.replace(IN_QUERY, '$1[redacted]').replace(IN_HEADER, '$1[redacted]').replace(IN_URL, '$1[redacted]@');
