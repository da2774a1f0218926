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
export const told = (
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
