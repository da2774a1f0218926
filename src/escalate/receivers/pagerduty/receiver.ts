/** Notifies PagerDuty, by its Events API v2 (developer.pagerduty.com/docs/events-api-v2). */
import type { Clock } from '../../../core/clock.ts';
import { keyOfScope } from '../../../core/scope.ts';
import { type Notice, type PlaceOf, type PostJson, postOrThrow, type Receiver } from '../../receiver.ts';
import { oneLine } from '../../text.ts';
import { dedupKeyOf, detailsOf, required } from '../message.ts';
import type { PagerdutyDocument } from './schema.ts';

const STANDARD_URL = 'https://events.pagerduty.com';
/** The API refuses a longer summary. */
const SUMMARY_CHARACTERS_MAX = 1_024;

interface Deps {
  readonly post: PostJson;
  readonly clock: Clock;
  readonly secret: (name: string) => string | undefined;
  readonly placeOf: PlaceOf;
}

/**
 * Each page is one alert: trigger, repeats and resolve share the `dedup_key`, so a message that arrives twice changes
 * nothing there. Only 202 (any 2xx) is taken as an answer; 429 and 5xx are tried again. Throws CONFIG_INVALID without
 * a key.
 */
export function pagerduty(document: PagerdutyDocument, deps: Deps): Receiver {
  const key = required(deps.secret('routing_key'), { id: document.id, name: 'routing_key' });
  const url = `${(document.url ?? STANDARD_URL).replace(/\/+$/, '')}/v2/enqueue`;
  return {
    name: document.id,
    async deliver(notice, signal) {
      const body = JSON.stringify({ routing_key: key, ...eventOf(notice, document, deps.placeOf) });
      await postOrThrow(deps.post, url, { body, headers: { 'content-type': 'application/json' }, signal });
    },
  };
}

function eventOf(notice: Notice, document: PagerdutyDocument, placeOf: PlaceOf): object {
  const about = { dedup_key: dedupKeyOf(notice), client: 'Reeve' };
  if (notice.what === 'resolve') return { ...about, event_action: 'resolve' };
  const { console: href } = document;
  const links = href === undefined ? {} : { client_url: href, links: [{ href, text: 'Open Reeve' }] };
  return { ...about, event_action: 'trigger', payload: payloadOf(notice, document, placeOf), ...links };
}

function payloadOf(notice: Notice, document: PagerdutyDocument, placeOf: PlaceOf): object {
  const { scope, severity, reason, classification, incident, openedAt, raised, summary, id, what } = notice;
  const { group, engine } = notice.place ?? placeOf(scope);
  return {
    summary: oneLine(summary, SUMMARY_CHARACTERS_MAX),
    source: document.source ?? 'reeve',
    severity,
    timestamp: new Date(openedAt).toISOString(),
    component: keyOfScope(scope),
    group,
    class: classification ?? reason,
    custom_details: { details: detailsOf(notice), reason, classification, incident, engine, raised, message: id, what },
  };
}
