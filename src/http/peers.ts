// Who is at the other end: the sender itself, or a proxy that speaks for it.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What is known of a request's connection. A `local` one came over the unix socket. */
export interface Peer {
  /** The address of the sender; undefined over a socket without a trusted proxy. */
  readonly address: string | undefined;
  /** TLS between the sender and us, or between the sender and a proxy that we trust. */
  readonly secure: boolean;
  /** False for who comes past the proxies, where there are any. */
  readonly welcome: boolean;
}

export type PeerOf = (request: IncomingMessage | undefined) => Peer;

/** IPv4 in the form that a listener for both families shows it. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

function listOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/**
 * Reads the sender of a request. Only what a trusted proxy says of it is believed: the last address in
 * X-Forwarded-For that is no proxy of ours, and X-Forwarded-Proto. `unix` in the list trusts whoever reaches the
 * socket.
 */
export function createPeers(trustedProxies: readonly string[]): PeerOf {
  const isProxy = listOf(trustedProxies.filter((proxy) => proxy !== 'unix'));
  const isOwn = listOf(['127.0.0.0/8', '::1']);
  const trustsSocket = trustedProxies.includes('unix');
  return (request) => {
    if (request === undefined) return { address: undefined, secure: false, welcome: true };
    const { socket, headers } = request;
    const from = socket.remoteAddress === undefined ? undefined : plain(socket.remoteAddress);
    const trusted = from === undefined ? trustsSocket : isProxy(from);
    const welcome = trustedProxies.length === 0 || from === undefined || trusted || isOwn(from);
    if (!trusted) return { address: from, secure: socket instanceof TLSSocket, welcome };
    const hops = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((hop) => plain(hop.trim()));
    const sender = hops.findLast((hop) => isIP(hop) !== 0 && !isProxy(hop)) ?? from;
    return { address: sender, secure: headers['x-forwarded-proto'] === 'https', welcome };
  };
}
