/** Servers that keep to the published descriptions of PagerDuty, Slack and ntfy, on loopback. */
import type { ServerResponse } from 'node:http';
import { type Posted, webServer } from '../servers.ts';

/** What a server answers instead of its ordinary answer. */
export interface Mishap {
  readonly status: number;
  readonly retryAfter?: number;
  readonly body?: string;
}

interface Contract {
  /** What the published description finds wrong with a request: a status and a body. */
  readonly refuse: (posted: Posted) => readonly [status: number, body: string] | undefined;
  readonly accept: (posted: Posted) => readonly [status: number, body: string];
}

/** A server that first has the mishaps, one for each request, and then keeps to its contract. */
async function contractServer(contract: Contract, mishaps: Mishap[]) {
  const refused: string[] = [];
  const answer = (posted: Posted, response: ServerResponse): void => {
    const mishap = mishaps.shift();
    if (mishap !== undefined) {
      const headers = mishap.retryAfter === undefined ? {} : { 'retry-after': String(mishap.retryAfter) };
      response.writeHead(mishap.status, headers).end(mishap.body);
      return;
    }
    const refusal = contract.refuse(posted);
    if (refusal !== undefined) refused.push(refusal[1]);
    const [status, body] = refusal ?? contract.accept(posted);
    response.writeHead(status).end(body);
  };
  return { ...(await webServer(answer)), refused };
}

const parsed = ({ body }: Posted) => JSON.parse(body) as Readonly<Record<string, unknown>>;
const isText = (value: unknown, charactersMax: number): boolean =>
  typeof value === 'string' && value !== '' && value.length <= charactersMax;

export const ROUTING_KEY = 'R0123456789abcdefghijklmnopqrstu';

/** Events API v2: required fields, 1,024 characters of summary, 255 of dedup_key, 512 KB; alerts by dedup_key. */
export async function pagerdutyServer(mishaps: Mishap[] = []) {
  const alerts = new Map<string, string[]>();
  const problemOf = (posted: Posted): string | undefined => {
    const event = parsed(posted);
    if (posted.path !== '/v2/enqueue') return 'no such path';
    if (event.routing_key !== ROUTING_KEY) return 'invalid routing key';
    if (!['trigger', 'acknowledge', 'resolve'].includes(String(event.event_action))) return 'event_action';
    if (!isText(event.dedup_key, 255)) return 'dedup_key';
    if (event.event_action !== 'trigger') return undefined;
    const payload = (event.payload ?? {}) as Readonly<Record<string, unknown>>;
    if (!isText(payload.summary, 1_024)) return 'payload.summary';
    if (!isText(payload.source, 255)) return 'payload.source';
    if (!['critical', 'error', 'warning', 'info'].includes(String(payload.severity))) return 'payload.severity';
    return Number.isNaN(Date.parse(String(payload.timestamp))) ? 'payload.timestamp' : undefined;
  };
  const server = await contractServer(
    {
      refuse: (posted) => {
        if (Buffer.byteLength(posted.body) > 512 * 1_024) return [413, 'too large'];
        const problem = problemOf(posted);
        return problem === undefined
          ? undefined
          : [400, JSON.stringify({ status: 'invalid event', errors: [problem] })];
      },
      accept: (posted) => {
        const { dedup_key: key, event_action: action } = parsed(posted);
        alerts.set(String(key), [...(alerts.get(String(key)) ?? []), String(action)]);
        return [202, JSON.stringify({ status: 'success', message: 'Event processed', dedup_key: key })];
      },
    },
    mishaps,
  );
  return { ...server, alerts };
}

interface Block {
  readonly type: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly fields?: readonly { readonly type: string; readonly text: string }[];
}

/** An incoming webhook: Block Kit's bounds of 50 blocks, 150, 3,000 and 10 x 2,000 characters. */
export async function slackServer(mishaps: Mishap[] = []) {
  const isBlock = ({ type, text, fields }: Block): boolean => {
    if (type === 'header') return text?.type === 'plain_text' && isText(text.text, 150);
    if (type !== 'section' || (text === undefined && fields === undefined)) return false;
    const isField = (field: { readonly text: string }) => isText(field.text, 2_000);
    return (
      (text === undefined || isText(text.text, 3_000)) && (fields ?? []).length <= 10 && (fields ?? []).every(isField)
    );
  };
  return contractServer(
    {
      refuse: (posted) => {
        if (posted.path !== '/services/T0/B0/secret') return [404, 'no_service'];
        const { text, blocks } = parsed(posted) as { text?: string; blocks?: readonly Block[] };
        if (!isText(text, 40_000)) return [400, 'no_text'];
        return blocks === undefined || (blocks.length <= 50 && blocks.every(isBlock))
          ? undefined
          : [400, 'invalid_blocks'];
      },
      accept: () => [200, 'ok'],
    },
    mishaps,
  );
}

/** ntfy's JSON publishing: a topic of 64, 4,096 bytes, priorities 1 to 5, three actions at most, tokens. */
export async function ntfyServer(mishaps: Mishap[] = [], token?: string) {
  const problemOf = (posted: Posted): string | undefined => {
    const message = parsed(posted);
    if (posted.path !== '/') return '40001 not JSON publishing';
    if (!/^[-_A-Za-z0-9]{1,64}$/.test(String(message.topic))) return '40009 topic invalid';
    if (Buffer.byteLength(String(message.message)) > 4_096) return '40031 becomes an attachment';
    if (![1, 2, 3, 4, 5].includes(Number(message.priority))) return '40007 priority invalid';
    const actions = (message.actions ?? []) as readonly Readonly<Record<string, unknown>>[];
    const isView = (action: Readonly<Record<string, unknown>>) =>
      action.action === 'view' && isText(action.label, 100) && URL.canParse(String(action.url));
    return actions.length > 3 || !actions.every(isView) ? '40018 actions invalid' : undefined;
  };
  return contractServer(
    {
      refuse: (posted) => {
        const isKnown = token === undefined || posted.headers.authorization === `Bearer ${token}`;
        if (!isKnown) return [403, JSON.stringify({ code: 40301, http: 403, error: 'forbidden' })];
        const problem = problemOf(posted);
        return problem === undefined ? undefined : [400, problem];
      },
      accept: (posted) => [200, JSON.stringify({ id: 'x', event: 'message', ...parsed(posted) })],
    },
    mishaps,
  );
}
