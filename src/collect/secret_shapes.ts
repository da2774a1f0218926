// Secrets that are known without a name beside them.
import { REDACTED } from './redaction_mark.ts';

/**
 * Secrets that are known by their own shape. Each begins where a run of its own characters begins, so no text makes
 * the search go over the same characters again and again.
 */
const SHAPES: readonly RegExp[] = [
  /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g,
  /(?<![A-Za-z0-9])A[KS]IA[0-9A-Z]{16}(?![0-9A-Z])/g,
  /(?<![\w-])(?:AIza|live_\d{5,}_)[\w-]{10,}/g,
  /(?<![A-Za-z0-9])EAA[A-Za-z0-9]{60,}/g,
  /-----BEGIN [A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----|$)/g,
];

/** Without such a run none of the next two lists can be there. */
const RUN = /[-_./:][\w-]{12}/;

/** The marks that services put before their tokens. */
const MARKED: readonly RegExp[] = [
  /(?<![\w-])(?:gh[pousr]_|gl(?:pat|ptt|rt|dt|cbt|imt|ft|soat|oas)-|xox[abeprs]-|xapp-|sk-)[\w-]{16,}/g,
  /(?<![A-Za-z0-9])(?:[srw]k|whsec|sk_org)_(?:(?:live|test|prod)_)?[A-Za-z0-9]{16,}/g,
  /(?<![A-Za-z0-9])(?:npm|hf|gsk|glsa|glc|dckr_pat|github_pat|figd|lin_api|shp(?:at|ca|pa|ss)|sntr[yu]s|do[opr]_v1|r8)_[\w-]{16,}/g,
  /(?<![A-Za-z0-9])(?:tskey-(?:api|auth|client)|xkeysib|PMAK|NRAK|sq0[a-z]{3}|pypi|pat-[a-z]{2}\d)-[\w-]{16,}/g,
  /(?<![A-Za-z0-9-])(?:ya29\.[\w-]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{40,})/g,
  /(?<![\w.])(?:SG\.[\w-]{10,}\.[\w-]{10,}|hv[sb]\.[\w-]{20,})/g,
  /(?<![\w-])key-[0-9a-f]{32}(?![0-9a-f])/g,
  /(?<![\w:])\d{8,10}:AA[\w-]{33}(?![\w-])/g,
];

const HOOK = /hook|\/bot|\/with\/key|pagerduty|slack/i;
/** Addresses that hold the right to write to them. */
const HOOKS: readonly RegExp[] = [
  /(?<=hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/]+/g,
  /(?<=discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{5,25}\/)[\w-]+/g,
  /(?<=\/bot\d{5,15}(?::|%3a))[\w-]{20,}/gi,
  /(?<=webhook\.office\.com\/webhookb2\/)[\w@/.-]+/g,
  /(?<=hooks\.zapier\.com\/hooks\/catch\/\d{1,12}\/)\w+/g,
  /(?<=\/trigger\/\w{1,60}\/(?:json\/)?with\/key\/)[\w-]+/g,
  /(?<=\/api\/webhook\/)[\w-]{8,}/g,
  /(?<=\/hooks\/(?:[0-9a-f]{24}\/)?)[A-Za-z0-9]{20,}(?![\w./])/g,
  /(?<=pagerduty\.com\/integration\/)[0-9a-zA-Z]{20,}/g,
];

const BEARER = /(?<=(?<![a-z])bearer[ :=]{1,3})[\w.~+/=-]{8,}/gi;
const BASIC = /(?<=(?<![a-z])basic {1,3})[\w+/=-]{6,}/gi;

/** A whole segment of a path that is a hash or looks random: a token, as links with a signature in the path have it. */
const SEGMENT = /(?<=\/)(?:[0-9a-f]{32,128}|[0-9A-F]{32,128}|[A-Za-z0-9_-]{32,128})(?=[/?\s"'`&;,)]|$)/g;
const isRandom = (segment: string): boolean =>
  /^[0-9a-f]+$/i.test(segment) ||
  (/\d/.test(segment) && /[A-Z]/.test(segment) && /[a-z]/.test(segment) && !/[-_]/.test(segment));
/** Folders whose members are named by a hash, and what stands before a release. */
const NAMES_BY_HASH =
  /(?:videos?|shows?|items?|audio|images?|users?|sessions?|channels?|recordings?|programs?|devices?|artists?|albums?|persons?|collections?|movies?|series|seasons?|episodes?|media|metadata|library|libraries|blobs?|sha256|objects?|commits?|tree|layers?|segments?|hash|hashes|assets?|static|dist|contents?|cache|overlay2|containers?|manifests|torrents?|info_?hash|[0-9a-f]{2})\/$/i;

function redactSegments(text: string): string {
  return text.replace(SEGMENT, (segment, at: number) =>
    !isRandom(segment) || NAMES_BY_HASH.test(text.slice(Math.max(0, at - 24), at)) ? segment : REDACTED,
  );
}

/** Secrets that are known by their own shape, or by the place where they stand. */
export function redactShapes(text: string): string {
  let safe = text;
  for (const shape of SHAPES) safe = safe.replace(shape, REDACTED);
  if (HOOK.test(safe)) for (const shape of HOOKS) safe = safe.replace(shape, REDACTED);
  if (RUN.test(safe)) {
    for (const shape of MARKED) safe = safe.replace(shape, REDACTED);
    safe = redactSegments(safe);
  }
  // "Bearer authentication required" and "Basic auth" are prose; a credential has a digit, or is long, or decodes.
  safe = safe.replace(BEARER, (value) => (/\d/.test(value) || value.length > 24 ? REDACTED : value));
  return safe.replace(BASIC, (value) => (Buffer.from(value, 'base64').includes(':') ? REDACTED : value));
}
