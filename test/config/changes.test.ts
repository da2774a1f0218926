import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APPLIED_AT_ONCE, merged, NEEDS_RESTART } from '../../src/config/changes.ts';
import { configDocument } from '../../src/config/document/document.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aFolder, problemLines, writeInto } from './support.ts';
import { CONFIG, FILES, loaded, watching } from './reloaded.ts';
import { persona } from './sound.ts';

describe('what a reload changes', () => {
  const edit = (from: string | RegExp, to: string, more: Record<string, string> = {}) => {
    const cwd = aFolder(FILES);
    const before = loaded(cwd);
    for (const [name, text] of Object.entries(more)) writeInto(cwd, name, text);
    writeInto(cwd, 'config/reeve.yaml', CONFIG.replace(from, to));
    return merged(before, loaded(cwd));
  };

  it.each([
    ['version: 1\n', 'version: 1\nlimits: { daily_restart_cap: 3 }\n', 'limits'],
    ['version: 1\n', 'version: 1\nescalation: { repeat_every: 1h }\n', 'escalation'],
    ['version: 1\n', 'version: 1\nlog: { level: debug }\n', 'log'],
    ['version: 1\n', 'version: 1\nphase: 1\n', 'phase'],
    ['{ id: a, engine: e }', '{ id: a, engine: e, persona: other }', 'persona'],
  ])('%j to %j applies at once as %s', (from, to, name) => {
    const { applied, needsRestart, configuration } = edit(from, to, { 'config/personas/other.yaml': persona('other') });
    expect(applied).toContain(name);
    expect(needsRestart).toEqual([]);
    if (name === 'limits') expect(configuration.config.limits.dailyRestartCap).toBe(3);
    if (name === 'persona') expect(configuration.config.channels[0]?.persona).toBe('other');
  });

  it('gives a group as a whole, and what has no persona of its own, another persona at once', () => {
    const grouped = CONFIG.replace('{ id: b, engine: e }', '{ id: b, engine: e, group: g }');
    const cwd = aFolder({ ...FILES, 'config/reeve.yaml': grouped });
    const before = loaded(cwd);
    writeInto(cwd, 'config/personas/other.yaml', persona('other'));
    writeInto(cwd, 'config/reeve.yaml', `${grouped}groups: [{ id: g, persona: other }]\n`);
    const { applied, needsRestart, configuration } = merged(before, loaded(cwd));
    expect(configuration.config.groups.find(({ id }) => id === 'g')?.persona).toBe('other');
    expect([applied.includes('persona'), needsRestart]).toEqual([true, []]);
    const loose = loaded(aFolder({ ...FILES, 'config/reeve.yaml': CONFIG }));
    const kept = merged(configuration, loose).configuration.config.groups;
    expect(kept.find(({ id }) => id === 'g')?.persona).toBe('other');
  });

  it('gives a group another phase at once, for it may be a lower one', () => {
    const grouped = CONFIG.replace('{ id: b, engine: e }', '{ id: b, engine: e, group: g }');
    const cwd = aFolder({ ...FILES, 'config/reeve.yaml': `${grouped}phase: 1\n` });
    const before = loaded(cwd);
    writeInto(cwd, 'config/reeve.yaml', `${grouped}phase: 1\ngroups: [{ id: g, phase: 0 }]\n`);
    const { applied, needsRestart, configuration } = merged(before, loaded(cwd));
    expect([applied, needsRestart]).toEqual([['phase'], []]);
    expect(configuration.config.groups.find(({ id }) => id === 'g')?.phase).toBe(0);
    expect(configuration.config.phase).toBe(1);
  });

  it.each([
    ['9001', '9002', 'engines'],
    ['http://127.0.0.1:9001/RPC2" }', 'http://127.0.0.1:9001/RPC2", password: other }', 'engines'],
    ['{ id: b, engine: e }', '{ id: b, engine: e, name: bb }', 'channels'],
    ['  - { id: b, engine: e }\n', '', 'channels'],
    ['{ id: b, engine: e }', '{ id: b, engine: e, group: g }', 'groups'],
    ['version: 1\n', 'version: 1\nsources: [{ id: s, path: /l }]\n', 'sources'],
    ['version: 1\n', 'version: 1\nreceivers: [{ id: r, kind: alertmanager, url: "http://h/" }]\n', 'receivers'],
    ['version: 1\n', 'version: 1\nhttp: { listen: "127.0.0.1:1" }\n', 'http'],
    ['version: 1\n', 'version: 1\nmetrics_prefix: x_\n', 'metrics_prefix'],
    ['version: 1\n', 'version: 1\nstate: /elsewhere\n', 'state'],
    ['version: 1\n', 'version: 1\njournal: { keep: 9d }\n', 'journal'],
    ['version: 1\n', 'version: 1\nhints: { router: memory }\n', 'hints'],
  ])('%j to %j waits for a restart as %s, and the running part stays as it was', (from, to, name) => {
    const before = loaded(aFolder(FILES)).config;
    const { needsRestart, configuration } = edit(from, to);
    expect(needsRestart).toContain(name);
    const { engines, channels, receivers, http, journal, stateDirectory } = configuration.config;
    expect({ engines, channels, receivers, http, journal, stateDirectory }).toEqual({
      engines: before.engines,
      channels: before.channels,
      receivers: before.receivers,
      http: before.http,
      journal: before.journal,
      stateDirectory: before.stateDirectory,
    });
  });

  it.each([
    ['http', 'http: { metrics_token_file: ../key }\n'],
    ['journal', 'journal: { witness: { file: ../heads, key_file: ../key } }\n'],
    ['intake', 'intake: { tokens: [{ name: t, token_file: ../key }] }\n'],
    ['receivers', 'receivers: [{ id: r, kind: webhook, url: "http://127.0.0.1/", secret_file: ../key }]\n'],
    ['models', 'models: { servers: [{ id: m, kind: ollama, key_file: ../key }], primary: m/x }\n'],
    [
      'prometheus',
      'prometheus: [{ id: p, url: "http://127.0.0.1", token_file: ../key, queries: [{ query: q, means: up }] }]\n',
    ],
  ])('a new secret in the same file waits for a restart as %s', (name, lines) => {
    const cwd = aFolder({ ...FILES, 'config/reeve.yaml': CONFIG + lines });
    const write = (secret: string) => writeFileSync(join(cwd, 'key'), secret, { mode: 0o600 });
    write('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const before = loaded(cwd);
    write('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD');
    expect(merged(before, loaded(cwd)).needsRestart).toEqual([name]);
  });

  it('refuses to take the persona of a channel that still runs', () => {
    const cwd = aFolder({
      ...FILES,
      'config/personas/other.yaml': persona('other'),
      'config/reeve.yaml': CONFIG.replace('{ id: b, engine: e }', '{ id: b, engine: e, persona: other }'),
    });
    const { reloader } = watching(fakeClock().clock, cwd);
    rmSync(join(cwd, 'config/personas/other.yaml'));
    writeInto(cwd, 'config/reeve.yaml', CONFIG.replace('  - { id: b, engine: e }\n', ''));
    const change = reloader.reload();
    expect(change.ok).toBe(false);
    expect(problemLines(reloader.problems())[0]).toContain(
      'the channel b still runs with the persona other, which is gone',
    );
    expect(reloader.current().personas.map(({ id }) => id)).toEqual(['mine', 'other']);
  });

  it('refuses a phase that changes things while no receiver runs', () => {
    const { cwd, reloader } = watching(fakeClock().clock);
    const hook = 'receivers: [{ id: r, kind: alertmanager, url: "http://h/" }]\n';
    writeInto(cwd, 'config/reeve.yaml', `${CONFIG}${hook}phase: 2\n`);
    expect(reloader.reload().ok).toBe(false);
    expect(problemLines(reloader.problems())[0]).toContain('phase 2 changes things, and no receiver runs yet');
    writeInto(cwd, 'config/reeve.yaml', `${CONFIG}${hook}phase: 1\n`);
    expect(reloader.reload()).toMatchObject({ ok: true, applied: ['phase'], needsRestart: ['receivers'] });
  });

  it('knows of every key of the file whether it applies at once or waits', () => {
    const known: readonly string[] = [...APPLIED_AT_ONCE, ...NEEDS_RESTART];
    const keys = Object.keys(configDocument.shape);
    /** `actions` are expanded into the rules. */
    const elsewhere = ['version', 'actions'];
    expect(keys.filter((key) => !known.includes(key) && !elsewhere.includes(key))).toEqual([]);
  });

  it('says of each part one thing only', () => {
    expect(APPLIED_AT_ONCE.filter((name) => (NEEDS_RESTART as readonly string[]).includes(name))).toEqual([]);
  });
});
