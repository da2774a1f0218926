import { describe, expect, it } from 'vitest';
import { aServer, aWorld } from '../hints/support.ts';
import { aBundle, aCluster, CLUSTERS, EXAMPLE } from '../support/hint_bundle.ts';

interface Built {
  readonly prompt_snippet: string;
  readonly injected: boolean;
  readonly strategy: string;
  readonly injection_id: string;
}

const STAGED = { ...EXAMPLE, error_log: 'the planner loses its route after a map update' };
const DEMOTED = { ...EXAMPLE, error_log: 'the gripper drops its part when it is turned' };
const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

describe.each(['/api/v1', '/wiki/v1'])('ROSClaw-How, API, POST %s/prompt/build', (prefix) => {
  it('answers the documented request with a catalyst and every documented field', async () => {
    const { json } = await aServer(aWorld());
    const answer = await json<Built>(`${prefix}/prompt/build`, 'hints', EXAMPLE);
    expect(answer).toEqual({
      prompt_snippet: expect.stringMatching(/^## 🔧 Engineering Heuristics from ROSClaw-How\n/),
      injected: true,
      strategy: 'CATALYST',
      symptom: 'Oscillation_Divergence',
      matched_symptom: expect.any(String),
      similarity: expect.any(Number),
      injection_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      pattern_id: 'pattern_output_saturation_clamp',
      latency_ms: expect.any(Number),
    });
    expect(answer.prompt_snippet).toContain('cap the running state');
    expect(answer.prompt_snippet).toContain('+v = clamp(step(error), -V_MAX, V_MAX)');
    expect(answer.prompt_snippet.length).toBeLessThanOrEqual(1_600);
  });

  it('marks a staging cluster, and leaves the key out for one in production', async () => {
    const { json } = await aServer(aWorld());
    const staged = await json<Built>(`${prefix}/prompt/build`, 'hints', STAGED);
    expect(staged).toMatchObject({ strategy: 'CATALYST', is_staging: true, pattern_id: 'pattern_20260518_1bfb99e13c' });
    expect(await json(`${prefix}/prompt/build`, 'hints', EXAMPLE)).not.toHaveProperty('is_staging');
  });

  it('never sends a demoted cluster', async () => {
    const { json } = await aServer(aWorld());
    const answer = await json<Built>(`${prefix}/prompt/build`, 'hints', DEMOTED);
    expect(answer).not.toMatchObject({ pattern_id: 'pattern_bad_habit' });
  });

  it('answers a safety symptom with a fixed constraint of 50 to 100 tokens, without ids, also without an index (deploying)', async () => {
    const { json } = await aServer(aWorld({ clusters: undefined }));
    const unsafe = { ...EXAMPLE, error_log: 'FATAL: collision with the fixture', current_iteration: 1 };
    const answer = await json<Built>(`${prefix}/prompt/build`, 'hints', unsafe);
    expect(answer).toMatchObject({ strategy: 'SAFETY', injected: true, symptom: 'Collision_Detected' });
    expect(answer.prompt_snippet.length / 4).toBeGreaterThan(50);
    expect(answer.prompt_snippet.length / 4).toBeLessThan(100);
    expect(Object.keys(answer)).not.toContain('injection_id');
    expect(Object.keys(answer)).not.toContain('pattern_id');
  });

  it.each([
    ['the third iteration', { ...EXAMPLE, current_iteration: 3 }],
    ['an improving score', { ...EXAMPLE, previous_scores: [0.4, 0.5, 0.6] }],
  ])('leaves %s alone, without an index too (deploying)', async (_, request) => {
    const { json } = await aServer(aWorld({ clusters: undefined }));
    const answer = await json<Built>(`${prefix}/prompt/build`, 'hints', request);
    expect(answer).toMatchObject({ strategy: 'FREE_EXPLORATION', injected: false, prompt_snippet: '' });
    expect(answer).not.toHaveProperty('injection_id');
  });

  it('refuses a body that is not sound with every problem', async () => {
    const { ask } = await aServer(aWorld());
    const answer = await ask(`${prefix}/prompt/build`, 'hints', { previous_scores: ['a'], current_iteration: 0.5 });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ problems: [{}, {}] });
  });
});

describe('ROSClaw-How, API, POST /prompt/feedback', () => {
  const report = (injection_id: string) => ({
    injection_id,
    post_score: 0.83,
    iterations_to_resolve: 3,
    agent_notes: 'anti-windup clamp fixed it',
  });

  it('answers 204 and counts the change from the last score before the hint; 404 for an unknown id', async () => {
    const world = aWorld();
    const { ask, json } = await aServer(world);
    const { injection_id } = await json<Built>('/wiki/v1/prompt/build', 'hints', EXAMPLE);
    const answer = await ask('/wiki/v1/prompt/feedback', 'hints', report(injection_id));
    expect(answer.status).toBe(204);
    expect(world.store.outcome(injection_id)).toMatchObject({ preScore: 0.46, postScore: 0.83, deltaScore: 0.37 });
    expect((await ask('/wiki/v1/prompt/feedback', 'hints', report('0'.repeat(32)))).status).toBe(404);
  });

  it('keeps no secret of the notes', async () => {
    const world = aWorld();
    const { ask, json } = await aServer(world);
    const { injection_id } = await json<Built>('/wiki/v1/prompt/build', 'hints', EXAMPLE);
    const notes = { ...report(injection_id), agent_notes: 'used https://ann:hunter2@host/ and password=hunter2' };
    await ask('/api/v1/prompt/feedback', 'hints', notes);
    expect(JSON.stringify([...world.ledger.read({})])).not.toContain('hunter2');
  });
});

describe('ROSClaw-How, API, GET /stats', () => {
  it('groups finished outcomes by how far each hint is trusted, the gone ones apart', async () => {
    const world = aWorld();
    const { ask, json } = await aServer(world);
    const give = async (request: object, ...scores: number[]) => {
      for (const post_score of scores) {
        const { injection_id } = await json<Built>('/wiki/v1/prompt/build', 'hints', request);
        await ask('/wiki/v1/prompt/feedback', 'hints', { injection_id, post_score });
      }
    };
    await give(EXAMPLE, 0.76, 0.51);
    await give(STAGED, 0.66);
    await json<Built>('/wiki/v1/prompt/build', 'hints', STAGED);
    const stats = await json<Record<string, Record<string, object>>>('/wiki/v1/stats', 'read');
    expect(stats).toEqual({
      staging: {
        pattern_20260518_1bfb99e13c: {
          n: 1,
          avg_uplift: 0.2,
          win_rate: 1,
          last_seen_iso: expect.stringMatching(SECONDS),
        },
      },
      production: {
        pattern_output_saturation_clamp: { n: 2, avg_uplift: 0.175, win_rate: 0.5, last_seen_iso: expect.any(String) },
      },
      demoted: {},
      unbucketed: {},
    });
    aBundle(world.folder, { other: aCluster('Something else', 'pattern_other') });
    world.hints.reload();
    const { unbucketed } = await json<{ unbucketed: object }>('/api/v1/hints/stats', 'read');
    expect(Object.keys(unbucketed).sort()).toEqual(['pattern_20260518_1bfb99e13c', 'pattern_output_saturation_clamp']);
  });
});

describe('ROSClaw-How, API, GET /outcomes/export', () => {
  it('streams pending and finished outcomes as NDJSON, from a time on and at most so many', async () => {
    const world = aWorld();
    const { ask, json } = await aServer(world);
    const { injection_id } = await json<Built>('/wiki/v1/prompt/build', 'hints', EXAMPLE);
    await ask('/wiki/v1/prompt/feedback', 'hints', { injection_id, post_score: 0.83, iterations_to_resolve: 3 });
    await world.advance(60_000);
    await json<Built>('/wiki/v1/prompt/build', 'hints', EXAMPLE);
    const rows = async (query: string) => {
      const answer = await ask(`/wiki/v1/outcomes/export${query}`, 'read');
      expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
      return (await answer.text())
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as object);
    };
    const all = await rows('');
    expect(all).toMatchObject([
      { injection_id, pre_score: 0.46, post_score: 0.83, delta_score: 0.37, iterations_to_resolve: 3 },
      { pattern_id: 'pattern_output_saturation_clamp', post_score: null, delta_score: null },
    ]);
    const since = encodeURIComponent(new Date(world.clock.now()).toISOString());
    expect(await rows(`?since=${since}`)).toEqual([all[1]]);
    expect(await rows(`?since=${new Date(world.clock.now()).toISOString().replace('Z', '+00:00')}`)).toEqual([all[1]]);
    expect(await rows('?limit=1')).toEqual([all[0]]);
    for (const query of ['?since=yesterday', '?limit=0', '?limit=x'])
      expect((await ask(`/wiki/v1/outcomes/export${query}`, 'read')).status).toBe(422);
  });
});

describe('ROSClaw-How, API, GET /healthz', () => {
  it('answers a key with the documented fields, and anybody else that it runs', async () => {
    const { ask, json } = await aServer(aWorld());
    expect(await json('/healthz')).toEqual({ ok: true, status: 'ok' });
    for (const path of ['/healthz', '/wiki/v1/healthz', '/api/v1/hints/health'])
      expect(await json(path, 'read')).toMatchObject({
        status: 'ok',
        version: '0.1.0',
        auth_enabled: true,
        seekdb_mode: 'off',
        router_backend: 'store',
        cluster_count: 2,
        embedding_dim: 262_144,
        bridge_index_mtime: expect.stringMatching(SECONDS),
        similarity_floor: 0.2,
        blind_spot_count: 0,
      });
    expect((await ask('/healthz', 'metrics')).status).toBe(403);
  });
});

describe('ROSClaw-How, API, POST /admin/reload', () => {
  it('counts what was added, updated, left alone and deleted, and what is demoted', async () => {
    const world = aWorld();
    const { ask, json } = await aServer(world);
    const none = { added: 0, updated: 0, unchanged: 2, deleted: 0 };
    expect(await json('/wiki/v1/admin/reload', 'operate', {})).toEqual({
      symptoms: 2,
      patterns: 1,
      demoted_skipped: 1,
      symptoms_detail: none,
      patterns_detail: { ...none, unchanged: 1 },
      rebuild: false,
      duration_ms: expect.any(Number),
    });
    const { output_saturation_clamp, ...rest } = CLUSTERS;
    const changed = {
      ...rest,
      bad_habit: { ...rest.bad_habit, priority: 1 },
      fresh: aCluster('A new one', 'pattern_fresh'),
    };
    changed['20260518_1bfb99e13c'] = { ...changed['20260518_1bfb99e13c'], standard_name: 'Reworded' };
    aBundle(world.folder, changed);
    expect(await json('/api/v1/hints/reload', 'operate', {})).toMatchObject({
      symptoms: 3,
      demoted_skipped: 0,
      symptoms_detail: { added: 2, updated: 1, unchanged: 0, deleted: 1 },
    });
    const rebuilt = { symptoms_detail: { added: 3, updated: 0, unchanged: 0, deleted: 0 }, rebuild: true };
    expect(await json('/wiki/v1/admin/reload', 'operate', { rebuild: true })).toMatchObject(rebuilt);
    expect(output_saturation_clamp).toBeDefined();
    expect((await ask('/wiki/v1/admin/reload', 'operate')).status).toBe(404);
  });

  it('says what is wrong with a bundle, and the last good one stays in use', async () => {
    const world = aWorld();
    const { ask, json } = await aServer(world);
    aBundle(world.folder, { broken: { standard_name: '' } });
    const answer = await ask('/wiki/v1/admin/reload', 'operate', {});
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('broken.standard_name') });
    expect(await json('/wiki/v1/prompt/build', 'hints', EXAMPLE)).toMatchObject({ strategy: 'CATALYST' });
  });
});

describe('ROSClaw-How, API, POST /admin/promote', () => {
  it('changes the trust by a step or to a value, capped, and the next answer shows it', async () => {
    const world = aWorld();
    const { json } = await aServer(world);
    const pattern_id = 'pattern_20260518_1bfb99e13c';
    expect(await json('/wiki/v1/admin/promote', 'operate', { pattern_id, delta: 1 })).toEqual({
      pattern_id,
      cluster_id: '20260518_1bfb99e13c',
      old_priority: 0,
      new_priority: 1,
    });
    expect(await json('/wiki/v1/prompt/build', 'hints', STAGED)).not.toHaveProperty('is_staging');
    expect(await json('/api/v1/promote', 'operate', { pattern_id, delta: 5 })).toMatchObject({ new_priority: 1 });
    expect(await json('/wiki/v1/admin/promote', 'operate', { pattern_id, priority: -7 })).toMatchObject({
      new_priority: -1,
    });
    expect(await json('/wiki/v1/prompt/build', 'hints', STAGED)).not.toMatchObject({ pattern_id });
    expect(await json('/wiki/v1/healthz', 'read')).toMatchObject({ cluster_count: 1 });
    const set = [...world.ledger.read({ types: ['hint.priority_set'] })].map(({ fact }) => fact);
    expect(set).toMatchObject([{ from: 0, to: 1, who: 'operate' }, { to: 1 }, { from: 1, to: -1 }]);
  });

  it('answers 404 for an unknown hint, and 422 for both or neither of delta and priority', async () => {
    const { ask } = await aServer(aWorld());
    const status = async (body: object) => (await ask('/wiki/v1/admin/promote', 'operate', body)).status;
    expect(await status({ pattern_id: 'pattern_none', delta: 1 })).toBe(404);
    expect(await status({ pattern_id: 'pattern_bad_habit' })).toBe(422);
    expect(await status({ pattern_id: 'pattern_bad_habit', delta: 1, priority: 1 })).toBe(422);
    expect(await status({ pattern_id: 'pattern_bad_habit', delta: 0.5 })).toBe(422);
  });
});

describe('ROSClaw-How, API, GET /blind_spots', () => {
  it('lists beginnings of unknown errors at the threshold, with the documented fields', async () => {
    const world = aWorld();
    const { json } = await aServer(world);
    const unknown = 'RuntimeError: undocumented quirk in controller stage';
    for (let n = 0; n < 3; n += 1) {
      await json('/wiki/v1/prompt/build', 'hints', { ...EXAMPLE, error_log: `${unknown} ${n}` });
      await world.advance(1_000);
    }
    await json('/wiki/v1/prompt/build', 'hints', { ...EXAMPLE, error_log: 'zzz qqq' });
    expect(await json('/wiki/v1/blind_spots', 'read')).toEqual({
      window_seconds: 3_600,
      threshold: 3,
      active: [
        {
          prefix_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          count: 3,
          first_seen: expect.stringMatching(SECONDS),
          last_seen: expect.stringMatching(SECONDS),
          sample_excerpt: `${unknown} 2`,
          is_blind_spot: true,
        },
      ],
      total_unique_prefixes: 2,
      total_events: 4,
    });
    expect(await json('/wiki/v1/healthz', 'read')).toMatchObject({ blind_spot_count: 1 });
  });
});
