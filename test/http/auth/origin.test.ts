import { describe, expect, it } from 'vitest';
import { hostsOf, refusalOf, type RequestOrigin } from '../../../src/http/auth/origin.ts';

const HOSTS = hostsOf({ host: '127.0.0.1', port: 7433 }, ['reeve.example']);
const refusal = (with_: Partial<RequestOrigin> = {}) =>
  refusalOf({ method: 'GET', host: 'localhost:7433', origin: undefined, fetchSite: undefined, ...with_ }, HOSTS);

describe('the hosts of a listener', () => {
  it('are its address, the names of loopback and the listed ones, with its port and without it only where listed', () => {
    expect([...HOSTS]).toEqual([
      ...['127.0.0.1:7433', 'localhost:7433', '[::1]:7433', 'reeve.example', 'reeve.example:7433'],
    ]);
  });

  it('keep the port that a listed name has', () => {
    const hosts = hostsOf({ host: '::1', port: 1 }, ['Reeve.example:8443']);
    expect([hosts.has('[::1]:1'), hosts.has('reeve.example:8443'), hosts.has('reeve.example:1')]).toEqual([
      ...[true, true, false],
    ]);
  });

  it('have no port behind a socket', () => {
    expect(hostsOf({ host: 'localhost', port: undefined }, []).has('localhost')).toBe(true);
  });
});

describe('a request', () => {
  it.each<[string, Partial<RequestOrigin>]>([
    ['of a program', {}],
    ['to a host in capitals', { host: 'LOCALHOST:7433' }],
    ['of the own page', { origin: 'http://localhost:7433', fetchSite: 'same-origin' }],
    ['typed by a person', { fetchSite: 'none' }],
    ['of the page behind a proxy with TLS', { host: 'reeve.example', origin: 'https://reeve.example' }],
  ])('%s is taken', (_, with_) => expect(refusal(with_)).toBeUndefined());

  it.each<[string, Partial<RequestOrigin>, string]>([
    ['without a host', { host: undefined }, 'Host header'],
    ['to a name that was bound to this address', { host: 'evil.example:7433' }, 'Host header'],
    ['to another port', { host: 'localhost:80' }, 'Host header'],
    ['of another origin', { origin: 'http://evil.example' }, 'origin'],
    ['of a sandboxed page', { origin: 'null' }, 'origin'],
    ['of an origin with a path', { origin: 'http://localhost:7433/x' }, 'origin'],
    ['across sites', { fetchSite: 'cross-site' }, 'cross-site'],
    ['of another port of this site', { fetchSite: 'same-site' }, 'cross-site'],
  ])('%s is refused', (_, with_, because) => expect(refusal(with_)).toContain(because));
});
