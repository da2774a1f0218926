// Secrets in the arguments of a command line, and in the identifiers of SRT streams.
import { Cut, REDACTED } from './redaction_mark.ts';
import { isProse } from './secret_prose.ts';

/** `-passphrase X`, `--password X`, `-decryption_key X`: names of options whose next argument is a secret. */
const OPTION =
  /(?<=[\s"'`[(,]|^)--?(?:[a-z0-9]{1,20}[-_]){0,3}(?:passphrase|passw(?:or)?d|pass|pwd|token|secret|(?:api|auth|access|private|stream|license|secret|(?:de|en)cryption|crypto|enc)[-_]?key|key_?hex|bearer)["'`,]{0,2} {1,2}["'`]?/gi;
const OPTION_END = /[\s"'`,\])]/g;

/** Without one of these there is no option. */
const NAMED = /(?:key|hex|pass|phrase|word|pwd|passwd|token|secret|bearer)["'`,]{0,2} /i;

export function redactOptions(text: string): string {
  if (!NAMED.test(text)) return text;
  const cut = new Cut(text);
  for (const match of text.matchAll(OPTION)) {
    const start = match.index + match[0].length;
    OPTION_END.lastIndex = start;
    const end = OPTION_END.exec(text)?.index ?? text.length;
    const value = text.slice(start, end);
    // The next option, a number of passes or a file that holds the secret is none itself.
    if (value.startsWith('-') || /^(?:\d{1,2}|\.{0,2}\/.*|fd:\d+|env:\w+)$/.test(value) || isProse(value)) continue;
    cut.redact(start, end);
  }
  return cut.toString();
}

/** `#!::u=admin,s=KEY,r=live/x` (SRT Access Control guidelines), plain or percent-encoded. */
const STREAM_ID = /(?:#|%23)(?:!|%21)(?:::|%3a%3a)[^\s"'`<>&]{1,512}/gi;
const SESSION = /(?<=(?::|,|%2c|%3a)(?:s|k|key|pass|pw|psk|auth)(?:=|%3d))[^,%]+/gi;
/** MediaMTX: `streamid=publish:PATH:USER:PASS`. */
const POSITIONAL =
  /(?<=streamid(?:=|%3d)(?:publish|read|request)(?::|%3a)[^:%\s&]{1,200}(?::|%3a)[^:%\s&]{1,80}(?::|%3a))[^\s&"'`:%]+/gi;

export function redactStreamIds(text: string): string {
  if (!text.includes('!') && !/streamid|%21/i.test(text)) return text;
  const safe = text.replace(STREAM_ID, (id) => id.replace(SESSION, REDACTED));
  return safe.replace(POSITIONAL, REDACTED);
}
