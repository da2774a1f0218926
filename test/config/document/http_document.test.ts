import { describe, expect, it } from 'vitest';
import { loadText, problemLines } from '../support.ts';

const BASE = `version: 1
engines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
channels: [{ id: a, engine: e }]
`;

const problemsOf = (more: string) => problemLines(loadText(BASE + more).problems).join('\n');

describe('the proxies', () => {
  it('is refused proxies that are no addresses, and a socket whose path is too long', () => {
    for (const proxy of ['proxy.example', '10.0.0.0/0', '10.0.0.0/33', '10.0.0.0/8/8', '::/129', 'Unix', '']) {
      expect(problemsOf(`http: { trusted_proxies: ["${proxy}"] }`), proxy).toContain('trusted_proxies');
    }
    expect(problemsOf(`http: { socket: "/${'x'.repeat(100)}" }`)).toContain('at most 100 characters');
    expect(problemsOf(`http: { socket: "/${'x'.repeat(99)}" }`)).toBe('');
  });
});
