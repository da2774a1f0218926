import { createSocket } from 'node:dgram';
import { BlockList, createServer, isIPv6, type Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { ChannelId } from '../core/scope.ts';
import type { LineFeed } from './feed.ts';
import { Frames } from './syslog/frames.ts';
import { parseSyslog, type SyslogMessage } from './syslog/message.ts';

export interface SyslogOptions {
  readonly udp: { readonly host: string; readonly port: number } | undefined;
  readonly tcp: { readonly host: string; readonly port: number } | undefined;
  /** Addresses or subnets (`10.0.0.0/8`) besides loopback from which messages are taken. */
  readonly allowFrom: readonly string[];
  readonly feed: LineFeed;
  /** Whose words these are; undefined where the text must say. */
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
}

const MESSAGE_BYTES_MAX = 64 * 1024;
const CONNECTIONS_MAX = 256;
const AGAIN_MS = 30_000;
const RECEIVE_BYTES = 4 * 1024 * 1024;

type Way = { readonly port: number; close(): void };

export function createSyslog(options: SyslogOptions): Syslog {
  const { feed, channelOf, clock, report } = options;
  const isAllowed = allowance(options.allowFrom);
  const ways = new Map<'udp' | 'tcp', Way>();
  const waiting = new Set<Disposable>();
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
      const way = await listen(address, { take, isAllowed, tooLong: () => feed.lost('line_too_long', 1) });
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
    async start() {
      await Promise.all([open('udp'), open('tcp')]);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const timer of waiting) timer[Symbol.dispose]();
      for (const way of ways.values()) way.close();
      ways.clear();
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
}

function listenUdp({ host, port }: { host: string; port: number }, { take, isAllowed }: Taking): Promise<Way> {
  const { promise, resolve, reject } = Promise.withResolvers<Way>();
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BYTES });
  socket.on('message', (bytes, { address }) => {
    if (isAllowed(address)) take(bytes);
  });
  socket.on('error', reject);
  socket.bind({ address: host, port }, () => {
    resolve({ port: socket.address().port, close: () => socket.close() });
  });
  return promise;
}

function listenTcp({ host, port }: { host: string; port: number }, taking: Taking): Promise<Way> {
  const { promise, resolve, reject } = Promise.withResolvers<Way>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    if (!taking.isAllowed(socket.remoteAddress)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    const { take, tooLong } = taking;
    const frames = new Frames({ bytesMax: MESSAGE_BYTES_MAX, take, tooLong });
    socket.on('data', (bytes: Buffer) => frames.add(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      frames.end();
      sockets.delete(socket);
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on('error', reject);
  server.listen({ host, port }, () => {
    const address = server.address();
    const close = (): void => {
      for (const socket of sockets) socket.destroy();
      server.close();
    };
    resolve({ port: typeof address === 'object' && address !== null ? address.port : port, close });
  });
  return promise;
}
