/** The servers of receivers: each reads what the real adapter posts to it as the product of that name would. */
import type { Delivery } from './effect_log.ts';
import { streamOf } from './random_streams.ts';

/** Those that join messages by their key: ntfy, Slack and mail show a person one message after another. */
export const SERVER_KINDS = ['webhook', 'pagerduty', 'alertmanager'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

/** What a person there hears. */
export type Message = Pick<Delivery, 'what' | 'key' | 'id' | 'scope'>;

export interface ReceiverServer {
  readonly kind: ServerKind;
  /** What is new to a person in this body. Throws for one that the product would not take. */
  read(body: string): readonly Message[];
}

/** One server per receiver, of a kind that the seed chooses. They live as long as the world, whoever posts to them. */
export class ReceiverServers {
  readonly #seed: number;
  readonly #servers = new Map<string, ReceiverServer>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  of(receiver: string): ReceiverServer {
    const kind = streamOf(this.#seed, `server:${receiver}`).pick(SERVER_KINDS);
    const server = this.#servers.get(receiver) ?? serverOf(kind);
    this.#servers.set(receiver, server);
    return server;
  }
}

export function serverOf(kind: ServerKind): ReceiverServer {
  switch (kind) {
    case 'webhook':
      return { kind, read: (body) => [(JSON.parse(body) as { readonly data: Message }).data].map(messageOf) };
    case 'pagerduty':
      return { kind, read: (body) => [ofEvent(JSON.parse(body) as Event)] };
    case 'alertmanager':
      return new Alertmanager();
  }
}

const messageOf = ({ what, key, id, scope }: Message): Message => ({ what, key, id, scope });

/** developer.pagerduty.com/docs/events-api-v2: an event that ends an alert has no payload. */
interface Event {
  readonly event_action: 'trigger' | 'resolve';
  readonly dedup_key: string;
  readonly payload?: {
    readonly component: string;
    readonly custom_details: { readonly message: string; readonly what: Message['what'] };
  };
}

function ofEvent({ event_action: action, dedup_key: key, payload }: Event): Message {
  if (action === 'resolve') return { what: 'resolve', key, id: '', scope: '' };
  if (payload === undefined) throw new Error('an event that triggers needs a payload');
  const { component: scope, custom_details: details } = payload;
  return { what: details.what, key, id: details.message, scope };
}

interface Alert {
  readonly labels: {
    readonly key: string;
    readonly channel?: string;
    readonly group?: string;
    readonly engine?: string;
  };
  readonly endsAt?: string;
}

/**
 * An alert is its labels: others are another alert. A page is open while an alert with its key is, and one that is
 * posted again is nothing new. It forgets none: nobody here waits for its `resolve_timeout`.
 */
class Alertmanager implements ReceiverServer {
  readonly kind = 'alertmanager';
  readonly #open = new Map<string, Alert>();

  read(body: string): readonly Message[] {
    const alerts = JSON.parse(body) as readonly Alert[];
    const keys = [...new Set(alerts.map(({ labels }) => labels.key))];
    const before = keys.map((key) => this.#isOpen(key));
    for (const alert of alerts) {
      const identity = JSON.stringify(Object.entries(alert.labels).sort());
      if (alert.endsAt === undefined) this.#open.set(identity, alert);
      else this.#open.delete(identity);
    }
    return keys.flatMap((key, at) => {
      const isOpen = this.#isOpen(key);
      if (isOpen === before[at]) return [];
      const { labels } = alerts.findLast((alert) => alert.labels.key === key)!;
      return [{ what: isOpen ? 'trigger' : 'resolve', key, id: '', scope: scopeOf(labels) }];
    });
  }

  #isOpen(key: string): boolean {
    return [...this.#open.values()].some(({ labels }) => labels.key === key);
  }
}

function scopeOf({ channel, group, engine }: Alert['labels']): string {
  if (channel !== undefined) return `channel:${channel}`;
  if (group !== undefined) return `group:${group}`;
  return engine === undefined ? 'fleet' : `engine:${engine}`;
}
