import { describe, expect, it } from 'vitest';
import { isLoopback, listenField, parseAddress, tcpField } from '../../../src/core/document/address.ts';

describe('an address', () => {
  it.each([
    ['127.0.0.1:7433', { host: '127.0.0.1', port: 7_433 }],
    ['[::1]:1', { host: '::1', port: 1 }],
    ['origin-2.example:65535', { host: 'origin-2.example', port: 65_535 }],
  ])('%s is taken', (text, ok) => expect(parseAddress(text)).toEqual({ ok }));

  it.each(['127.0.0.1', ':80', '::1:80', '[::1]', 'a b:80', 'host:123456', 'host:-1', ''])(
    '%j is refused, with what was expected and an example',
    (text) =>
      expect(parseAddress(text)).toEqual({
        no: expect.stringContaining('expected an address, got'),
        hint: expect.stringContaining('127.0.0.1:7433'),
      }),
  );

  it('is a text: a list that reads like one is refused', () => {
    expect(parseAddress(['127.0.0.1:7433'])).toMatchObject({ no: expect.stringContaining('expected an address') });
  });

  it('has a port within bounds', () => {
    expect(parseAddress('host:0')).toMatchObject({ no: 'expected a port from 1 to 65535, got 0' });
    expect(parseAddress('host:0', 0)).toEqual({ ok: { host: 'host', port: 0 } });
    expect(parseAddress('host:65536')).toMatchObject({ no: 'expected a port from 1 to 65535, got 65536' });
  });
});

describe('an address to listen on', () => {
  it('may leave the port to the system, other addresses may not', () => {
    expect(listenField('x').safeParse('127.0.0.1:0').data).toEqual({ host: '127.0.0.1', port: 0 });
    expect(tcpField('x').safeParse('127.0.0.1:0').success).toBe(false);
  });
});

describe('the address of an output', () => {
  it('may hold the id of its channel and is kept as it is written', () => {
    expect(tcpField('x').safeParse('{id}.example:8000').data).toBe('{id}.example:8000');
  });
});

describe('loopback', () => {
  it.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('is %s', (host) => expect(isLoopback(host)).toBe(true));
  it.each(['0.0.0.0', '::', '127.0.0.1.example.org', 'localhost.example.org', '10.0.0.1'])('is not %s', (host) =>
    expect(isLoopback(host)).toBe(false),
  );
});
