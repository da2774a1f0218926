/** Notifies the subscribers of an ntfy topic (docs.ntfy.sh/publish, "Publish as JSON"). */
import type { Severity } from '../../../core/classification.ts';
import { type Notice, type PostJson, postOrThrow, type Receiver } from '../../receiver.ts';
import { detailsOf, factsOf, headlineOf } from '../message.ts';
import type { NtfyDocument } from './schema.ts';

const STANDARD_URL = 'https://ntfy.sh';
const TITLE_CHARACTERS_MAX = 250;
/** A longer message becomes an attachment, which a phone does not show. */
const MESSAGE_BYTES_MAX = 4_096;

/** 5 rings through "do not disturb", 4 rings, 3 is ordinary, 2 makes no sound. */
const PRIORITY: Readonly<Record<Severity, number>> = { critical: 5, warning: 4, info: 3 };
const RESOLVED_PRIORITY = 2;
/** Tags that ntfy shows as emoji. */
const TAG: Readonly<Record<Severity, string>> = {
  critical: 'rotating_light',
  warning: 'warning',
  info: 'information_source',
};

interface Deps {
  readonly post: PostJson;
  readonly secret: (name: string) => string | undefined;
}

/** Each message is a new one on the phone: ntfy joins nothing by key. */
export function ntfy(document: NtfyDocument, deps: Deps): Receiver {
  const token = deps.secret('token');
  const url = (document.url ?? STANDARD_URL).replace(/\/+$/, '');
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return {
    name: document.id,
    showsCopies: true,
    async deliver(notice, signal) {
      await postOrThrow(deps.post, `${url}/`, { body: JSON.stringify(messageOf(notice, document)), headers, signal });
    },
  };
}

function messageOf(notice: Notice, { topic, console: href }: NtfyDocument): object {
  const { what, severity } = notice;
  const facts = factsOf(notice).map(([name, value]) => `${name}: ${value}`);
  const tap = href === undefined ? {} : { click: href, actions: [{ action: 'view', label: 'Open Reeve', url: href }] };
  return {
    topic,
    title: headlineOf(notice, TITLE_CHARACTERS_MAX),
    message: withinBytes(`${facts.join('\n')}\n\n${detailsOf(notice)}`.trim(), MESSAGE_BYTES_MAX),
    priority: what === 'resolve' ? RESOLVED_PRIORITY : PRIORITY[severity],
    tags: [what === 'resolve' ? 'white_check_mark' : TAG[severity]],
    ...tap,
  };
}

/** The beginning of a text, cut between two characters. */
function withinBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax - Buffer.byteLength('…');
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()}…`;
}
