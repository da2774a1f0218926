/** Notifies a Slack channel, by an incoming webhook (docs.slack.dev/messaging). */
import { type Notice, type PostJson, postOrThrow, type Receiver } from '../../receiver.ts';
import { detailsOf, factsOf, headlineOf, required } from '../message.ts';
import type { SlackDocument } from './schema.ts';

/** Bounds of Block Kit: the text of a header, and the text of any other part of a block is at most 2,000 or more. */
const HEADER_CHARACTERS_MAX = 150;
const FIELDS_MAX = 10;

interface Deps {
  readonly post: PostJson;
  readonly secret: (name: string) => string | undefined;
}

/**
 * Each message is a new one in the channel: an incoming webhook can neither change nor join what it posted. Text goes
 * as `plain_text`, so nothing from a log can mention a person or look like a link. Throws CONFIG_INVALID without an
 * address.
 */
export function slack(document: SlackDocument, deps: Deps): Receiver {
  const url = required(deps.secret('webhook_url'), { id: document.id, name: 'webhook_url' });
  return {
    name: document.id,
    showsCopies: true,
    async deliver(notice, signal) {
      const body = JSON.stringify(messageOf(notice, document));
      await postOrThrow(deps.post, url, { body, headers: { 'content-type': 'application/json' }, signal });
    },
  };
}

function messageOf(notice: Notice, document: SlackDocument): object {
  const blocks = [
    { type: 'header', text: plainText(headlineOf(notice, HEADER_CHARACTERS_MAX)) },
    ...mentionOf(notice, document),
    { type: 'section', text: plainText(detailsOf(notice) || 'No details.') },
    {
      type: 'section',
      fields: factsOf(notice)
        .slice(0, FIELDS_MAX)
        .map(([name, value]) => plainText(`${name}: ${value}`)),
    },
    ...linkOf(document),
  ];
  return { text: escaped(headlineOf(notice, HEADER_CHARACTERS_MAX)), blocks };
}

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });

/** The only markup: chosen by the operator, never taken from a page. */
function mentionOf({ what, severity }: Notice, { mention = 'none' }: SlackDocument): readonly object[] {
  if (mention === 'none' || severity !== 'critical' || what === 'resolve') return [];
  return [{ type: 'section', text: { type: 'mrkdwn', text: `<!${mention}>` } }];
}

function linkOf({ console: href }: SlackDocument): readonly object[] {
  if (href === undefined) return [];
  return [{ type: 'section', text: { type: 'mrkdwn', text: `<${encodeURI(href).replace(/[<>|]/g, '')}|Open Reeve>` } }];
}

/** The three characters that Slack gives a meaning (docs.slack.dev/messaging/formatting-message-text). */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
