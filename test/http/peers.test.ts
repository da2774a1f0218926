import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createPeers } from '../../src/http/peers.ts';

const request = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

describe('where proxies are named', () => {
  const peerOf = createPeers(['10.0.0.0/8', '2001:db8::5']);

  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['2001:db8::5', true],
    ['127.0.0.1', true],
    ['::1', true],
    [undefined, true],
    ['192.0.2.1', false],
    ['2001:db8::6', false],
  ])('%s is welcome: %s', (address, welcome) => expect(peerOf(request(address)).welcome).toBe(welcome));

  it.each([
    ['203.0.113.1', '203.0.113.1'],
    ['203.0.113.1, 10.9.9.9', '203.0.113.1'],
    ['8.8.8.8, 203.0.113.1', '203.0.113.1'],
    ['garbage', '10.1.2.3'],
    ['', '10.1.2.3'],
    ['<script>, 10.0.0.1', '10.1.2.3'],
  ])('of %j the sender is %s', (hops, sender) => {
    expect(peerOf(request('10.1.2.3', { 'x-forwarded-for': hops })).address).toBe(sender);
  });

  it('believes nothing that comes past the proxies', () => {
    const forged = { 'x-forwarded-for': '203.0.113.1', 'x-forwarded-proto': 'https' };
    expect(peerOf(request('127.0.0.1', forged))).toEqual({ address: '127.0.0.1', secure: false, welcome: true });
  });
});

describe('where none is named', () => {
  it('every peer may ask, and none can pass for another', () => {
    const forged = { 'x-forwarded-for': '203.0.113.1', 'x-forwarded-proto': 'https' };
    const peer = createPeers([])(request('192.0.2.1', forged));
    expect(peer).toEqual({ address: '192.0.2.1', secure: false, welcome: true });
  });

  it('believes the socket only where that is configured', () => {
    const behind = request(undefined, { 'x-forwarded-for': '203.0.113.1', 'x-forwarded-proto': 'https' });
    expect(createPeers([])(behind)).toMatchObject({ address: undefined, secure: false });
    expect(createPeers(['unix'])(behind)).toMatchObject({ address: '203.0.113.1', secure: true });
  });
});
