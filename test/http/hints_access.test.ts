import { describe, expect, it } from 'vitest';
import { aServer, aWorld, keyOf } from '../hints/support.ts';
import { EXAMPLE } from '../support/hint_bundle.ts';

describe('a client that asks without end', () => {
  it('is asked to come back when a minute is full, and is answered again after it', async () => {
    const world = aWorld({ deps: { factsPerMinuteMax: 2 } });
    const { ask } = await aServer(world);
    const status = async (request: object = EXAMPLE) => (await ask('/api/v1/prompt/build', 'hints', request)).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    expect((await ask('/api/v1/prompt/build', 'hints', EXAMPLE)).headers.get('retry-after')).toBe('10');
    // What writes nothing is answered all the same.
    expect(await status({ ...EXAMPLE, error_log: 'emergency stop' })).toBe(200);
    await world.advance(60_000);
    expect(await status()).toBe(200);
  });

  it('cannot make a fact of the journal long', async () => {
    const world = aWorld();
    const { json } = await aServer(world);
    await json('/api/v1/prompt/build', 'hints', { ...EXAMPLE, previous_scores: Array(1_000).fill(0.123456789) });
    const [entry] = [...world.ledger.read({ types: ['hint.injected'] })];
    expect(JSON.stringify(entry).length).toBeLessThan(2_000);
  });
});

describe('who may ask', () => {
  const READS = [
    '/wiki/v1/stats',
    '/wiki/v1/blind_spots',
    '/wiki/v1/healthz',
    '/wiki/v1/outcomes/export',
    '/api/v1/hints',
  ];

  it('discloses nothing without a key: neither statistics nor blind spots are public here', async () => {
    const { ask } = await aServer(aWorld());
    for (const path of READS) expect({ path, status: (await ask(path)).status }).toEqual({ path, status: 401 });
    expect((await ask('/wiki/v1/prompt/build', undefined, EXAMPLE)).status).toBe(401);
  });

  it('lets a key for hints ask for them and see nothing else', async () => {
    const { ask } = await aServer(aWorld());
    for (const path of [...READS, '/api/v1/status'])
      expect({ path, status: (await ask(path, 'hints')).status }).toEqual({ path, status: 403 });
    expect((await ask('/wiki/v1/admin/reload', 'hints', {})).status).toBe(403);
    expect((await ask('/wiki/v1/admin/promote', 'read', {})).status).toBe(403);
    expect((await ask('/wiki/v1/prompt/build', 'read', EXAMPLE)).status).toBe(403);
  });

  it('takes the same token as a bearer token too', async () => {
    const { url } = await aServer(aWorld());
    const headers = { authorization: `Bearer ${keyOf('hints')}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(EXAMPLE) };
    expect((await fetch(`${url}/api/v1/prompt/build`, init)).status).toBe(200);
  });
});

describe('ROSClaw-How, API, GET /ui', () => {
  it('is one page of its own files, without any data before a person signs in', async () => {
    const { ask } = await aServer(aWorld());
    const page = await (await ask('/ui')).text();
    const script = await (await ask('/ui.js')).text();
    expect(page).toContain('<script src="/ui.js">');
    for (const text of [page, script]) expect(text).not.toMatch(/https?:\/\//);
    expect(page).not.toContain('pattern_output_saturation_clamp');
    expect(script).toContain('REFRESH_MS = 5000');
    for (const path of ['/api/v1/hints/health', '/api/v1/hints/stats', '/api/v1/hints/blind_spots'])
      expect(script).toContain(path);
    for (const bucket of ['staging', 'production', 'demoted', 'unbucketed'])
      expect(page).toContain(`<option>${bucket}`);
  });
});
