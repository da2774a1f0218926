/** The servers of receivers: each reads what the real adapter posts to it as the product of that name would. */
import { MINUTE_MS, SECOND_MS } from '../core/duration.ts';
import type { Delivery } from './effect_log.ts';
import { streamOf } from './random_streams.ts';

/** All but mail, which nothing but a socket carries. */
export const SERVER_KINDS = ['webhook', 'pagerduty', 'alertmanager', 'ntfy', 'slack'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

/** What a person there hears. */
export type Message = Pick<Delivery, 'what' | 'key' | 'id' | 'scope'>;

export interface ReceiverServer {
  readonly kind: ServerKind;
  /** What is new to a person in this body. Throws for one that the product would not take. The answer may be lost. */
  read(body: string, nowMs: number, isAnswered?: boolean): readonly Message[];
  /** It says no to this body. */
  refuse?(body: string, nowMs: number): void;
  /** What it has ended by itself since it was asked last. */
  lapse(nowMs: number): readonly Lapse[];
}

export interface Lapse extends Message {
  readonly lapsed: NonNullable<Delivery['lapsed']>;
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

  lapse(nowMs: number): readonly Delivery[] {
    return [...this.#servers].flatMap(([receiver, server]) =>
      server.lapse(nowMs).map((lapse) => ({ receiver, ...lapse, atMs: nowMs, taken: true })),
    );
  }
}

export function serverOf(kind: ServerKind): ReceiverServer {
  switch (kind) {
    case 'webhook':
      return { kind, read: (body) => [(JSON.parse(body) as { readonly data: Message }).data].map(messageOf), lapse };
    case 'pagerduty':
      return { kind, read: (body) => [ofEvent(JSON.parse(body) as Event)], lapse };
    case 'alertmanager':
      return new Alertmanager();
    case 'ntfy':
      return { kind, read: (body) => [ofNotification(JSON.parse(body) as Notification)], lapse };
    case 'slack':
      return {
        kind,
        read: (body) => [ofBlocks((JSON.parse(body) as { readonly blocks: readonly Block[] }).blocks)],
        lapse,
      };
  }
}

/** Its pages end by hand, or with a resolve. */
const lapse = (): readonly Lapse[] => [];

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

/** docs.ntfy.sh/publish: a longer message becomes an attachment, which a phone does not show. */
interface Notification {
  readonly title: string;
  readonly message: string;
}
const MESSAGE_BYTES_MAX = 4_096;

function ofNotification({ title, message }: Notification): Message {
  if (Buffer.byteLength(message) > MESSAGE_BYTES_MAX) throw new Error('a phone does not show a message this long');
  return asRead(title, message.split('\n'));
}

/** docs.slack.dev/reference/block-kit/blocks: what is longer is refused as `invalid_blocks`. */
interface Block {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly fields?: readonly { readonly text: string }[];
}
const HEADER_CHARACTERS_MAX = 150;
const SECTION_CHARACTERS_MAX = 3_000;
const FIELDS_MAX = 10;
const FIELD_CHARACTERS_MAX = 2_000;

function ofBlocks(blocks: readonly Block[]): Message {
  const isTaken = ({ type, text, fields = [] }: Block): boolean =>
    (text === undefined || text.text.length <= (type === 'header' ? HEADER_CHARACTERS_MAX : SECTION_CHARACTERS_MAX)) &&
    fields.length <= FIELDS_MAX &&
    fields.every((field) => field.text.length <= FIELD_CHARACTERS_MAX);
  if (!blocks.every(isTaken)) throw new Error('invalid_blocks');
  const header = blocks.find(({ type }) => type === 'header')?.text?.text ?? '';
  return asRead(
    header,
    blocks.flatMap(({ fields = [] }) => fields.map(({ text }) => text)),
  );
}

/** As a person reads it: the headline says what it is, and the lines below what it is about. */
function asRead(headline: string, lines: readonly string[]): Message {
  const factOf = (name: string): string => {
    const line = lines.find((one) => one.startsWith(`${name}: `));
    if (line === undefined) throw new Error(`the message does not say its ${name}`);
    return line.slice(name.length + 2);
  };
  const [first] = headline.split(' ');
  const what = first === 'RESOLVED' ? 'resolve' : first === 'STILL' ? 'repeat' : 'trigger';
  return { what, key: factOf('key'), id: '', scope: factOf('about') };
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

interface OpenAlert {
  readonly labels: Alert['labels'];
  readonly postedMs: number;
  /** When it was posted last, though it was refused. */
  readonly offeredMs: number;
}

/** `resolve_timeout`, as it is shipped: an alert without an end that is not posted again has ended after so long. */
const RESOLVE_TIMEOUT_MS = 5 * MINUTE_MS;
/** An alert that is open is posted once a minute; what is posted later than this without it has left it out. */
const REFRESHED_MS = MINUTE_MS + SECOND_MS;
/** The first of such posts may be a page that came before the others were due; one so much later may not. */
const POSTS_APART_MS = 10 * SECOND_MS;

/**
 * An alert is its labels: others are another alert. A page is open while an alert with its key is, and one that is
 * posted again is nothing new.
 */
class Alertmanager implements ReceiverServer {
  readonly kind = 'alertmanager';
  readonly #open = new Map<string, OpenAlert>();
  /** What was taken, in the time in which an alert is kept. */
  #taken: { readonly atMs: number; readonly isAnswered: boolean }[] = [];

  read(body: string, nowMs: number, isAnswered = true): readonly Message[] {
    const alerts = JSON.parse(body) as readonly Alert[];
    const kept = this.#taken.filter(({ atMs }) => nowMs - atMs <= RESOLVE_TIMEOUT_MS);
    this.#taken = [...kept, { atMs: nowMs, isAnswered }];
    const keys = [...new Set(alerts.map(({ labels }) => labels.key))];
    const before = keys.map((key) => this.#isOpen(key));
    for (const { labels, endsAt } of alerts) {
      const identity = identityOf(labels);
      if (endsAt === undefined) this.#open.set(identity, { labels, postedMs: nowMs, offeredMs: nowMs });
      else this.#open.delete(identity);
    }
    return keys.flatMap((key, at) => {
      const isOpen = this.#isOpen(key);
      if (isOpen === before[at]) return [];
      const { labels } = alerts.findLast((alert) => alert.labels.key === key)!;
      return [{ what: isOpen ? 'trigger' : 'resolve', key, id: '', scope: scopeOf(labels) }];
    });
  }

  refuse(body: string, nowMs: number): void {
    for (const { labels } of JSON.parse(body) as readonly Alert[]) {
      const open = this.#open.get(identityOf(labels));
      if (open !== undefined) this.#open.set(identityOf(labels), { ...open, offeredMs: nowMs });
    }
  }

  lapse(nowMs: number): readonly Lapse[] {
    const over = [...this.#open].filter(([, { postedMs }]) => nowMs - postedMs > RESOLVE_TIMEOUT_MS);
    for (const [identity] of over) this.#open.delete(identity);
    const last = new Map(over.map(([, alert]) => [alert.labels.key, alert]));
    return [...last].flatMap(([key, alert]) => {
      if (this.#isOpen(key)) return [];
      const lapsed = this.#hasLeftOut(alert) ? 'neglect' : 'silence';
      return [{ what: 'resolve', key, id: '', scope: scopeOf(alert.labels), lapsed }];
    });
  }

  /** Whether others were taken when this one was due. Only an answer tells that it is no longer refused. */
  #hasLeftOut({ postedMs, offeredMs }: OpenAlert): boolean {
    const later = this.#taken
      .filter(({ atMs, isAnswered }) => atMs > (isAnswered ? postedMs : offeredMs) + REFRESHED_MS)
      .map(({ atMs }) => atMs);
    const [first, last] = [later.at(0), later.at(-1)];
    return first !== undefined && last !== undefined && last - first >= POSTS_APART_MS;
  }

  #isOpen(key: string): boolean {
    return [...this.#open.values()].some(({ labels }) => labels.key === key);
  }
}

const identityOf = (labels: Alert['labels']): string => JSON.stringify(Object.entries(labels).sort());

function scopeOf({ channel, group, engine }: Alert['labels']): string {
  if (channel !== undefined) return `channel:${channel}`;
  if (group !== undefined) return `group:${group}`;
  return engine === undefined ? 'fleet' : `engine:${engine}`;
}
