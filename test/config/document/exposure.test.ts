import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, loadText, problemLines } from '../support.ts';

const BASE = `version: 1
engines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
channels: [{ id: a, engine: e }]
`;

const FIXTURES = join(import.meta.dirname, '../../http/fixtures');

/** `path: message` of each warning; throws where the text has problems. */
function warnings(more: string, env: Record<string, string> = {}, base = BASE): readonly string[] {
  const { config, problems } = loadText(base + more, env);
  if (config === undefined) throw new Error(problemLines(problems).join('\n'));
  return config.warnings.map(({ path, message }) => `${path}: ${message}`);
}

function aPair(key = 'key.pem', mode = 0o600): string {
  const folder = aFolder();
  copyFileSync(join(FIXTURES, 'cert.pem'), join(folder, 'cert.pem'));
  copyFileSync(join(FIXTURES, key), join(folder, 'key.pem'));
  chmodSync(join(folder, 'key.pem'), mode);
  return `tls: { cert_file: "${folder}/cert.pem", key_file: "${folder}/key.pem" }`;
}

const OPEN = 'listen: "0.0.0.0:7433", allowed_hosts: [reeve.example]';

describe('a warning', () => {
  it('is not given where everything stays on this machine', () => {
    expect(warnings('')).toEqual([]);
    expect(warnings('receivers: [{ id: r, kind: webhook, url: "http://localhost:9/x" }]')).toEqual([]);
    expect(warnings('http: { socket: /run/reeve.sock }')).toEqual([]);
  });

  it.each([
    ['8s', 0],
    ['9s', 1],
    ['1m', 1],
  ])('is given for an engine that is looked at too seldom to know its processes: %s', (poll, count) => {
    const base = BASE.replace('id: e, kind', `id: e, poll: ${poll}, kind`);
    expect(warnings('', {}, base)).toHaveLength(count);
    expect(warnings('', {}, base).join()).toMatch(count === 0 ? /^$/ : /^engines\.0\.poll: looked at this seldom/);
  });

  it('is given for a port that other machines reach in clear, and for metrics that everybody may read', () => {
    expect(warnings(`http: { ${OPEN} }`)).toEqual([
      'http.listen: 0.0.0.0 is open to other machines without TLS: who listens on the way reads tokens',
      'http.listen: /metrics is open to every machine that reaches it: it names channels and counts',
    ]);
    const apart = warnings('http: { metrics_listen: "0.0.0.0:9100" }');
    expect(apart).toEqual([
      expect.stringContaining('http.metrics_listen'),
      expect.stringContaining('/metrics is open'),
    ]);
  });

  it('is not given for TLS, or for a trusted proxy, with a token for metrics', () => {
    const token = { SCRAPE: 'x'.repeat(32) };
    expect(warnings(`http: { ${OPEN}, ${aPair()}, metrics_token_env: SCRAPE }`, token)).toEqual([]);
    expect(warnings(`http: { ${OPEN}, trusted_proxies: [10.0.0.5], metrics_token_env: SCRAPE }`, token)).toEqual([]);
  });

  it('is given for what is sent to another machine in clear to be let in', () => {
    const engines = `version: 1
engines:
  - { id: far, kind: supervisor, url: "http://10.0.0.9:9001/RPC2", username: u, password_env: PW }
  - { id: near, kind: supervisor, url: "http://127.0.0.1:9001/RPC2", username: u, password_env: PW }
  - { id: safe, kind: supervisor, url: "https://10.0.0.9:9001/RPC2", username: u, password_env: PW }
channels: [{ id: a, engine: far }]
`;
    expect(warnings('', { PW: 'pw' }, engines)).toEqual([
      'engines.0.url: what username names goes over the network in clear',
    ]);
    const prometheus = `prometheus: [{ id: p, url: "http://prom:9090", token_env: PW, queries: [{ query: up, means: symptom, symptom: unknown_error }] }]`;
    expect(warnings(prometheus.replace('unknown_error', 'stalled_output'), { PW: 'x'.repeat(20) })).toEqual([
      'prometheus.0.url: what token_env names goes over the network in clear',
    ]);
    const inAddress = `version: 1
engines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
channels: [{ id: a, engine: e, output: { hls: "http://cdn.example/x.m3u8?token=\${T}" } }]
`;
    const [warning] = warnings('', { T: 'geheim-geheim' }, inAddress);
    expect(warning).toContain('the secret in this address goes over the network in clear');
    expect(warning).not.toContain('geheim');
  });

  it('is given for pages that go to another machine unsigned, and not for those that are signed', () => {
    const hook = (more: string) => `receivers: [{ id: r, kind: webhook, url: "https://hooks.example/x"${more} }]`;
    expect(warnings(hook(''))).toEqual([
      expect.stringContaining('receivers.0.url: pages go to another machine unsigned'),
    ]);
    expect(warnings(hook(', secret_env: S'), { S: 'x'.repeat(32) })).toEqual([]);
  });
});
