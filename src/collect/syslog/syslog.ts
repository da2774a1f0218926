/** Receives syslog over UDP and TCP. */
import { createSocket } from 'node:dgram';
import { BlockList, createServer, isIPv6 } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { LineFeed } from '../feed/feed.ts';
import { Frames } from './frames.ts';
import { parseSyslog, type SyslogMessage } from './message.ts';
import { type ClosedFor, type Sender, Senders } from './senders.ts';

export interface SyslogOptions {
  readonly udp: { readonly host: string; readonly port: number } | undefined;
  readonly tcp: { readonly host: string; readonly port: number } | undefined;
  /** Addresses or subnets (`10.0.0.0/8`) besides loopback from which messages are taken. */
  readonly allowFrom: readonly string[];
  readonly feed: LineFeed;
  /** Whose text it is; undefined where the text itself must say. */
  readonly channelOf: (message: Pick<SyslogMessage, 'app' | 'host'>) => ChannelId | undefined;
  readonly clock: Clock;
  readonly report: (because: string) => void;
}

/** Takes syslog messages (RFC 5424 and 3164) over UDP and TCP. It never makes a sender wait: a host's syslog would. */
export interface Syslog extends AsyncDisposable {
  /** Listens, and tries again every 30 s where it cannot. Resolves after the first try. */
  start(): Promise<void>;
  /** Where it listens. Undefined while it does not. */
  readonly udpPort: number | undefined;
  readonly tcpPort: number | undefined;
  /** TCP connections that were closed from this end, exact since the start. */
  closed(): readonly { readonly reason: ClosedFor; readonly count: number }[];
}

const MESSAGE_BYTES_MAX = 64 * 1024;
/** A peer that is gone without closing is asked after this long. */
const KEEP_ALIVE_MS = MINUTE_MS;
const AGAIN_MS = 30_000;
const RECEIVE_BYTES = 4 * 1024 * 1024;

type Way = { readonly port: number; close(): void };

export function createSyslog(options: SyslogOptions): Syslog {
  const { feed, channelOf, clock, report } = options;
  const isAllowed = allowance(options.allowFrom);
  const ways = new Map<'udp' | 'tcp', Way>();
  const waiting = new Set<Disposable>();
  const senders = new Senders(clock, report);
  let isClosed = false;
  const take = (bytes: Buffer): void => {
    const text = bytes.toString('utf8');
    const message = parseSyslog(text);
    if (message === undefined) return feed.push({ text: oneLine(text) });
    feed.push({ text: oneLine(message.line), channel: channelOf(message), at: message.at });
  };
  const open = async (kind: 'udp' | 'tcp'): Promise<void> => {
    const address = options[kind];
    if (address === undefined || isClosed) return;
    const listen = kind === 'udp' ? listenUdp : listenTcp;
    try {
      const tooLong = (): void => feed.lost('line_too_long', 1);
      const way = await listen(address, { take, isAllowed, tooLong, senders });
      if (isClosed) way.close();
      else ways.set(kind, way);
    } catch (thrown) {
      report(`cannot listen on ${kind} ${address.host}:${address.port}: ${messageOf(thrown)}`);
      const timer = clock.after(AGAIN_MS, () => {
        waiting.delete(timer);
        void open(kind);
      });
      waiting.add(timer);
    }
  };
  return {
    get udpPort() {
      return ways.get('udp')?.port;
    },
    get tcpPort() {
      return ways.get('tcp')?.port;
    },
    closed: () => senders.closed(),
    async start() {
      await Promise.all([open('udp'), open('tcp')]);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const timer of waiting) timer[Symbol.dispose]();
      for (const way of ways.values()) way.close();
      ways.clear();
      senders[Symbol.dispose]();
    },
  };
}

/** A message is one line, whatever was put into it. */
const oneLine = (text: string): string => text.replace(/[\r\n\0]+$/, '').replace(/[\r\n\0]+/g, ' ');

function allowance(addresses: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8);
  list.addAddress('::1', 'ipv6');
  for (const each of addresses) {
    const [address, bits] = each.split('/') as [string, string | undefined];
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    if (address === undefined) return false;
    // A listener for both families shows IPv4 in IPv6's clothes.
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

interface Taking {
  readonly take: (message: Buffer) => void;
  readonly tooLong: () => void;
  readonly isAllowed: (address: string | undefined) => boolean;
  readonly senders: Senders;
}

function listenUdp({ host, port }: { host: string; port: number }, { take, isAllowed }: Taking): Promise<Way> {
  const { promise, resolve, reject } = Promise.withResolvers<Way>();
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BYTES });
  socket.on('message', (bytes, { address }) => {
    if (isAllowed(address)) take(bytes);
  });
  socket.on('error', reject);
  // A socket that could not be bound is open all the same, and another one is tried soon.
  promise.catch(() => socket.close());
  socket.bind({ address: host, port }, () => {
    resolve({ port: socket.address().port, close: () => socket.close() });
  });
  return promise;
}

function listenTcp({ host, port }: { host: string; port: number }, taking: Taking): Promise<Way> {
  const { promise, resolve, reject } = Promise.withResolvers<Way>();
  const { take, tooLong, isAllowed, senders } = taking;
  const server = createServer({ keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, (socket) => {
    socket.on('error', () => undefined);
    if (!isAllowed(socket.remoteAddress)) {
      senders.refused();
      socket.destroy();
      return;
    }
    const sender: Sender = { address: socket.remoteAddress ?? '', close: () => socket.destroy() };
    senders.add(sender);
    const frames = new Frames({ bytesMax: MESSAGE_BYTES_MAX, take, tooLong });
    socket.on('data', (bytes: Buffer) => {
      senders.heard(sender);
      frames.add(bytes);
    });
    socket.on('close', () => {
      frames.end();
      senders.remove(sender);
    });
  });
  server.on('error', reject);
  server.listen({ host, port }, () => {
    const address = server.address();
    const taken = typeof address === 'object' && address !== null ? address.port : port;
    resolve({ port: taken, close: () => server.close() });
  });
  return promise;
}
