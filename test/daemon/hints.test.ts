import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aBundle, EXAMPLE } from '../support/hint_bundle.ts';
import { type Daemon, Rig } from '../support/rig.ts';

interface Built {
  readonly strategy: string;
  readonly injection_id: string;
  readonly pattern_id: string;
}

describe('the hints of a running daemon', { timeout: 120_000 }, () => {
  let rig: Rig;
  let daemon: Daemon;
  let key = '';
  beforeAll(async () => {
    rig = await Rig.open({ phase: 1, config: 'hints: { similarity_floor: 0.2 }' });
    daemon = await rig.run();
    const { stdout } = await rig.reeve('tokens', 'add', 'agent', '--scope', 'hints', '--because', 'a test', '--json');
    key = (JSON.parse(stdout) as { more: { token: string } }).more.token;
  }, 120_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  const post = (path: string, body: unknown) =>
    fetch(daemon.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(body),
    });
  const build = async (): Promise<Built> => (await (await post('/wiki/v1/prompt/build', EXAMPLE)).json()) as Built;
  const stats = async () => JSON.parse((await rig.reeve('hints', 'stats', '--json')).stdout) as unknown;

  it('are not loaded before the first request', async () => {
    expect(existsSync(join(rig.state, 'hints.db'))).toBe(false);
    const safe = { ...EXAMPLE, error_log: 'emergency stop pressed' };
    expect(await (await post('/wiki/v1/prompt/build', safe)).json()).toMatchObject({ strategy: 'SAFETY' });
    expect(existsSync(join(rig.state, 'hints.db'))).toBe(true);
  });

  it('come from a bundle that one command puts in place', async () => {
    const { code, stdout } = await rig.reeve('hints', 'import', aBundle(rig.at('bundle')), '--json');
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      ...{ code: 0, clusters: 3, patterns: 1, folder: join(rig.state, 'hints') },
      reloaded: { symptoms: 2, symptoms_detail: { added: 2 }, demoted_skipped: 1 },
    });
    const again = await rig.reeve('hints', 'reload', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ symptoms_detail: { unchanged: 2 } });
    const wrong = await rig.reeve('hints', 'import', rig.at('nothing'));
    expect(wrong).toMatchObject({ code: 78, stderr: expect.stringContaining('bridge_index.json') });
  });

  it('are answered, reported on, counted, exported and exposed as metrics', async () => {
    const { injection_id, strategy } = await build();
    expect(strategy).toBe('CATALYST');
    expect((await post('/wiki/v1/prompt/feedback', { injection_id, post_score: 0.83 })).status).toBe(204);
    expect(await stats()).toMatchObject({
      production: { pattern_output_saturation_clamp: { n: 1, avg_uplift: 0.37 } },
    });
    const out = rig.at('outcomes.jsonl');
    expect(JSON.parse((await rig.reeve('hints', 'export', '--out', out, '--json')).stdout)).toMatchObject({ rows: 1 });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ injection_id, delta_score: 0.37, who: 'agent' });
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toContain('reeve_hint_injections_total{asker="client"} 1');
    expect(metrics).toContain('reeve_hint_feedback_total 1');
    expect(metrics).toContain('reeve_hint_uplift{bucket="production"} 0.37');
    expect(metrics).toContain('reeve_hint_clusters 2');
    expect(metrics).toContain('reeve_hint_blind_spots 0');
  });

  it('are trusted as a person says, and the journal has who and why', async () => {
    const promote = (...rest: string[]) =>
      rig.reeve('hints', 'promote', 'pattern_output_saturation_clamp', '--because', 'a test', '--json', ...rest);
    const { stdout } = await promote('--delta', '-1');
    expect(JSON.parse(stdout)).toMatchObject({ old_priority: 1, new_priority: 0 });
    expect(await (await post('/api/v1/prompt/build', EXAMPLE)).json()).toMatchObject({ is_staging: true });
    expect(await promote()).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('either --delta or --priority'),
    });
    expect((await rig.reeve('audit', 'export', '--json')).stdout).toMatch(
      /"type":"hint.priority_set".*"because":"a test"|"because":"a test".*"type":"hint.priority_set"/,
    );
  });

  it('are checked with everything else, by name and by the configuration', async () => {
    mkdirSync(rig.at('hints'));
    writeFileSync(rig.at('hints/mine.md'), '---\nid: mine\ndescribe: []\n---\n## Fix\nHold it.\n');
    for (const args of [['check'], ['check', rig.at('hints/mine.md')]]) {
      const { code, stdout } = await rig.reeve(...args, '--json');
      const { problems } = JSON.parse(stdout) as { problems: { file: string; line: number; message: string }[] };
      expect({ code, problems }).toMatchObject({ code: 1, problems: [{ line: 2 }, { line: 3 }] });
    }
    expect(await rig.reeve('hints', 'reload')).toMatchObject({ code: 78, stderr: expect.stringContaining('mine.md') });
    expect(await build()).toMatchObject({ strategy: 'CATALYST' });
    rmSync(rig.at('hints'), { recursive: true });
  });

  it('are verified by four requests of a stuck agent', async () => {
    const { code, stdout } = await rig.reeve('hints', 'verify', '--json');
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({ code: 0, pass: true, router_backend: 'store' });
  });

  it('are as they were after a restart', async () => {
    const before = await stats();
    await daemon.kill('SIGTERM');
    daemon = await rig.run();
    expect(await stats()).toEqual(before);
    expect(await build()).toMatchObject({ is_staging: true, pattern_id: 'pattern_output_saturation_clamp' });
  });
});

describe('ROSClaw-How, router backends: a daemon whose file of hints is broken', { timeout: 120_000 }, () => {
  it.each([
    ['auto', 200],
    ['store', 503],
  ])('with router %s watches on, and answers %i', async (router, status) => {
    await using rig = await Rig.open({ phase: 1, config: `hints: { router: ${router} }` });
    mkdirSync(rig.state, { mode: 0o700 });
    writeFileSync(join(rig.state, 'hints.db'), 'no database', { mode: 0o600 });
    const daemon = await rig.run();
    const headers = { authorization: `Bearer ${daemon.token}` };
    expect((await fetch(`${daemon.url}/api/v1/status`, { headers })).status).toBe(200);
    expect((await fetch(`${daemon.url}/api/v1/hints/health`, { headers })).status).toBe(status);
    expect(existsSync(join(rig.state, 'hints.db.broken'))).toBe(router === 'auto');
  });
});
