import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressWithin, peerName } from '../../src/core/peer.ts';

const SRC = resolve(import.meta.dirname, '../../src');

describe('the name of a peer', () => {
  it.each([
    ['http://user:pass@h:8080/USER/PASS/4711.ts?token=x#y', 'http://h:8080'],
    ['https://hooks.example/services/T0/B0/KEY', 'https://hooks.example'],
    ['rtmp://ingest.example/app/KEY', 'rtmp://ingest.example'],
  ])('of %s holds no secret', (url, name) => expect(peerName(url)).toBe(name));

  it('is the socket where it is asked through one', () => {
    expect(peerName('http://docker/v1.45/info', '/run/docker.sock')).toBe('/run/docker.sock');
  });
});

describe('an address that an answer names', () => {
  const BASE = 'http://origin.example:8080/live/a.m3u8';
  it.each([
    ['b.ts', 'http://origin.example:8080/live/b.ts'],
    ['/c.ts?x=1', 'http://origin.example:8080/c.ts?x=1'],
    ['http://origin.example:8080/d.ts', 'http://origin.example:8080/d.ts'],
    ['http://origin.example/d.ts', undefined],
    ['https://origin.example:8080/d.ts', undefined],
    ['//127.0.0.1:8080/d.ts', undefined],
    ['file:///etc/passwd', undefined],
    ['http://[', undefined],
  ])('%s leads to %s', (address, target) => expect(addressWithin(address, BASE)?.href).toBe(target));

  it('may lead to an origin that the configuration names, by scheme, host and port', () => {
    const allowed = ['https://cdn.example:8443'];
    expect(addressWithin('https://cdn.example:8443/x', BASE, allowed)?.host).toBe('cdn.example:8443');
    expect(addressWithin('http://cdn.example:8443/x', BASE, allowed)).toBeUndefined();
    expect(addressWithin('https://cdn.example/x', BASE, allowed)).toBeUndefined();
  });

  it('never leads anywhere else, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.webPath()), (address) => {
        const target = addressWithin(address, BASE);
        expect(target?.origin ?? 'http://origin.example:8080').toBe('http://origin.example:8080');
      }),
    );
  });
});

describe('the sources', () => {
  it('name a peer in messages by peerName alone: no template holds a whole address', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const whole = /\$\{(?:[\w.]+\.)?(?:url|href)\}[^/`'"]/;
    // They speak of Reeve's own address, which holds nothing.
    const OWN = /^(cli|http)\/|^app\/servers\.ts$|^config\//;
    const strays = files
      .filter((path) => !OWN.test(path))
      .filter((path) => whole.test(readFileSync(join(SRC, path), 'utf8')));
    expect(strays).toEqual([]);
  });
});
