// Heads of the journal as an outside witness keeps them: what the last record was at some moment, signed.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { canonicalJson } from '../core/wire.ts';

/** The journal ended with this record at that moment. Everything before it follows from its hash. */
export interface HeadStatement {
  readonly at: string;
  readonly seq: number;
  /** Of the record, in hex. */
  readonly hash: string;
  /** `ed25519:…` or `hmac-sha256:…` over the rest, in base64url; missing where no key is configured. */
  readonly signature?: string | undefined;
}

/** Signs with an Ed25519 private key in PEM, or keys with any other secret (HMAC-SHA-256). */
export interface HeadKey {
  /** Undefined for a public key, which only checks. */
  readonly sign: ((statement: HeadStatement) => string) | undefined;
  readonly holds: (statement: HeadStatement) => boolean;
}

const SECRET_CHARS_MIN = 16;

/** So that a signature made here can be taken for nothing else. */
const signedText = ({ at, seq, hash }: HeadStatement): Buffer =>
  Buffer.from(`reeve-journal-head-v1\n${canonicalJson({ at, seq, hash })}`);

/** Throws an Error with the reason when the text is no usable key. */
export function headKeyFrom(text: string): HeadKey {
  if (text.includes('-----BEGIN')) return ed25519From(text);
  const { length } = text.trim();
  if (length < SECRET_CHARS_MIN) throw new Error(`expected at least ${SECRET_CHARS_MIN} characters, got ${length}`);
  const macOf = (statement: HeadStatement): string =>
    `hmac-sha256:${createHmac('sha256', text.trim()).update(signedText(statement)).digest('base64url')}`;
  return {
    sign: macOf,
    holds: (statement) => {
      const [given, own] = [statement.signature ?? '', macOf(statement)].map((each) => Buffer.from(each));
      return given !== undefined && own !== undefined && given.length === own.length && timingSafeEqual(given, own);
    },
  };
}

function ed25519From(pem: string): HeadKey {
  const secret: KeyObject | undefined = pem.includes('PRIVATE KEY') ? createPrivateKey(pem) : undefined;
  const open = createPublicKey(pem);
  if (open.asymmetricKeyType !== 'ed25519') {
    throw new Error(`expected an Ed25519 key, got ${open.asymmetricKeyType} (openssl genpkey -algorithm ed25519)`);
  }
  return {
    sign: secret && ((statement) => `ed25519:${sign(null, signedText(statement), secret).toString('base64url')}`),
    holds: (statement) => {
      const [kind, signature = ''] = statement.signature?.split(':') ?? [];
      return kind === 'ed25519' && verify(null, signedText(statement), open, Buffer.from(signature, 'base64url'));
    },
  };
}

/** A head as a person or a file gives it: at least the first 13 hex digits of its hash, and its number where known. */
export interface WantedHead {
  readonly seq: number | undefined;
  readonly hash: string;
}

export const HEAD_DIGITS_MIN = 13;

const PREFIX = new RegExp(`^(?:(\\d{1,16}):)?([0-9a-f]{${HEAD_DIGITS_MIN},64})$`);

/** `HASH` or `SEQ:HASH`; undefined for anything else. */
export function parseHead(text: string): WantedHead | undefined {
  const [, seq, hash] = PREFIX.exec(text.trim().toLowerCase()) ?? [];
  return hash === undefined ? undefined : { seq: seq === undefined ? undefined : Number(seq), hash };
}

/** One line of a witness file or of Reeve's own log; undefined where the line is about something else. */
export function statementIn(line: string): HeadStatement | undefined {
  try {
    const { at, seq, hash, signature } = JSON.parse(line) as Record<string, unknown>;
    if (typeof at !== 'string' || !Number.isSafeInteger(seq) || typeof hash !== 'string') return undefined;
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
    return { at, seq: Number(seq), hash, ...(typeof signature === 'string' && { signature }) };
  } catch {
    return undefined;
  }
}

/** The first 52 bits of a hash as a number that Prometheus keeps exactly; as hex again: `printf %013x`. */
export const headBits = (hash: string): number => Number.parseInt(hash.slice(0, 13), 16);
