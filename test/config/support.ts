import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { configFrom, type Environment, type Flags } from '../../src/config/config.ts';
import type { RuleTool } from '../../src/config/rules.ts';
import { parseYaml } from '../../src/config/yaml.ts';

/** A folder that is gone after the test. */
export function aFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeInto(folder, name, text);
  return folder;
}

export function writeInto(folder: string, name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Reads one text as if it were `config/reeve.yaml` of a folder that does not exist. */
export function loadText(text: string, env: Environment = {}, flags: Flags = {}) {
  const cwd = '/nowhere/reeve';
  return { cwd, ...configFrom(parseYaml(join(cwd, 'config/reeve.yaml'), text), { env, flags, cwd }) };
}

/** `line:column path: message (hint)` of each problem. */
export const problemLines = (
  problems: readonly { line: number; column: number; path: string; message: string; hint?: string }[],
) => problems.map(({ line, column, path, message, hint }) => `${line}:${column} ${path}: ${message} (${hint ?? ''})`);

/** What the seven tools cure. */
export const TOOLS: readonly RuleTool[] = [
  {
    name: 'restart_channel',
    effect: 'change',
    cures: ['process_crashed', 'output_stalled', 'hls_window_slip', 'publisher_lost'],
  },
  { name: 'refresh_credentials', effect: 'change', cures: ['upstream_auth_expired', 'upstream_url_expired'] },
  { name: 'fetch_recent_logs', effect: 'observe', cures: [] },
  { name: 'inspect_pool_status', effect: 'observe', cures: [] },
  { name: 'get_channel_health', effect: 'observe', cures: [] },
  { name: 'rebuild_playout', effect: 'change', cures: ['playout_empty', 'media_unplayable'] },
  { name: 'invalidate_cache', effect: 'change', cures: ['upstream_url_expired', 'guide_stale'] },
];

/** A sound document with every key in use. Small pieces of it are changed by the tests. */
export const FULL = `version: 1
state: ./state
http: { listen: "127.0.0.1:7433", allowed_hosts: [reeve.example.org], metrics_listen: "127.0.0.1:9433" }
metrics_prefix: exstreamtv_
phase: 2
persona: system_admin
personas: p/
rules: r/
patterns: q/
limits: { window_starts_max: 9, window: 90s, pool_pressure_max: 0.8 }
engines:
  - id: local
    kind: supervisor
    url: http://127.0.0.1:9001/RPC2
    username: tb
    password_env: TB_PASSWORD
    poll: 1s
    timeout: 15s
    local: auto
    autorestart_grace: 1s
    logs: [{ path: log/supervisord.log }]
    host: { disks: [hls], every: 5s }
groups:
  - { id: pull, persona: cautious, phase: 3 }
channels:
  - ids: [a, b]
    engine: local
    name: "ch:{id}"
    group: pull
    expected: on_demand
    logs: ["log/{id}.err"]
    output: { hls: "http://127.0.0.1:8080/hls/{id}/index.m3u8", every: 3s, stall_after: 7s }
    source: { url: "http://origin:8000/live/{id}.ts", every: 20s, expect: mpegts }
  - id: c
    engine: local
    persona: watcher
    output: { tcp: "127.0.0.1:8000" }
  - id: d
    engine: local
    output: { http: "http://127.0.0.1:8080/{id}" }
sources:
  - { id: nginx, path: /var/log/nginx/error.log, engine: local }
receivers:
  - { id: oncall, kind: alertmanager, url: "http://127.0.0.1:9093" }
  - { id: hook, kind: webhook, url: "http://127.0.0.1:9000/hook", secret_env: HOOK_SECRET }
escalation: { repeat_every: 2h, upstream_after: 30s }
journal: { keep: 7d }
log: { level: debug }
`;
/** The variables that `FULL` names. */
export const ENV = { TB_PASSWORD: 'tb-pw', HOOK_SECRET: 'hook-pw-of-16-bytes' };

/** The least that is sound. */
export const MINIMAL = `version: 1
engines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
channels: [{ id: a, engine: e }]
`;
