import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { knowsChannel, startLiving } from '../../bench/living_daemon.ts';
import { peerMissing, startPeer } from '../../bench/living_peer.ts';
import { inTurn, LivingService } from '../../bench/living_service.ts';

describe('the living service', () => {
  let folder: string;
  let service: LivingService;
  let origin: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'reeve-living-test-'));
    service = new LivingService(folder, 4);
    origin = `http://127.0.0.1:${await service.start()}`;
  });
  afterEach(() => {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const playlist = (headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}/hls/ch1/live.m3u8`, { headers });

  it('moves its playlists, and answers 304 to who has the newest one', async () => {
    const first = await playlist();
    const etag = first.headers.get('etag') ?? '';
    expect((await playlist({ 'if-none-match': etag })).status).toBe(304);
    expect(service.counts()).toMatchObject({ playlists: 2, unchanged: 1 });
    await vi.waitFor(async () => expect((await playlist({ 'if-none-match': etag })).status).toBe(200), 8_000);
  });

  it('writes progress that ends in returns, and stops when the channel is killed', async () => {
    const log = (): string => readFileSync(join(folder, 'log', 'ch2.err'), 'latin1');
    await vi.waitFor(() => expect(log()).toMatch(/^(?:frame=.*speed=1\.01x +\r){2,}$/), 8_000);
    expect(service.hurt('ch2', 'killed')).toBe(true);
    expect(service.hurt('ch2', 'frozen')).toBe(false);
    expect(service.counts().troubled).toBe(1);
    const [before, other] = [log(), readFileSync(join(folder, 'log', 'ch3.err')).length];
    await vi.waitFor(() => expect(readFileSync(join(folder, 'log', 'ch3.err')).length).toBeGreaterThan(other), 8_000);
    expect(log()).toBe(before);
    expect(readFileSync(join(folder, 'engine.log'), 'utf8')).toContain('exited: ch2 (terminated by SIGKILL');
    const rows = (await (await fetch(`${origin}/list`)).json()) as { name: string; state: string; code: number }[];
    expect(rows.find(({ name }) => name === 'ch2')).toMatchObject({ state: 'exited', code: -9 });
    service.heal('ch2');
    expect(service.counts().troubled).toBe(0);
  });

  it('answers who asks for the head of a source alone, and sends to who reads it', async () => {
    const head = await fetch(`${origin}/source/ch1`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'video/mp2t', '']);
    const whole = await fetch(`${origin}/source/ch1`);
    const reader = whole.body!.getReader();
    expect((await reader.read()).value?.[0]).toBe(0x47);
    await reader.cancel();
  });

  it('breaks no channel that was repaired a moment ago: its incident may still be open', () => {
    expect(service.hurt('ch1', 'stalled')).toBe(true);
    service.heal('ch1');
    expect(service.hurt('ch1', 'killed')).toBe(false);
    expect(service.hurt('ch2', 'killed')).toBe(true);
  });
});

describe('the round in which troubles come', () => {
  it.each([1, 2, 4, 10, 100, 500, 2_000, 10_000])('takes each of %d channels once before one comes again', (count) => {
    const taken = Array.from({ length: count }, (_, n) => inTurn(n, count));
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, at) => at));
  });

  it('takes none of the next forty from the group of one', () => {
    const groups = Array.from({ length: 2_000 }, (_, n) => Math.floor(inTurn(n, 2_000) / 12));
    for (const [n, group] of groups.entries()) expect(groups.slice(n + 1, n + 40)).not.toContain(group);
  });
});

describe.skipIf(peerMissing() !== undefined)('the peer beside it (needs prometheus and its blackbox exporter)', () => {
  it('finds every playlist, every source and the list of the engine good', { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reeve-living-test-'));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const service = new LivingService(folder, 3);
    stack.defer(() => service.close());
    const origin = `http://127.0.0.1:${await service.start()}`;
    const outputs = ['ch1', 'ch2', 'ch3'].map((name) => `/hls/${name}/live.m3u8`);
    const watched = { work: folder, origin, outputs, sources: ['/source/ch1'] };
    const peer = stack.use(await startPeer(watched, { outputS: 1, sourceS: 1 }));
    await expect.poll(() => peer.good(), { timeout: 30_000 }).toBe(5);
    expect(peer.outside().rssMb).toBeGreaterThan(1);
  });
});

describe('the daemon beside it', () => {
  it('is told to ask about one channel where its schema knows the key, whatever is said of it there', () => {
    const home = resolve(import.meta.dirname, '../..');
    expect(knowsChannel(JSON.parse(readFileSync(join(home, 'config/schemas/config.schema.json'), 'utf8')))).toBe(true);
    const schemaOf = (kind: string, key: string) => ({
      properties: { engines: { items: { oneOf: [{ properties: { kind: { const: kind }, [key]: {} } }] } } },
    });
    expect(knowsChannel(schemaOf('http', 'channel'))).toBe(true);
    expect(knowsChannel(schemaOf('http', 'channels'))).toBe(false);
    expect(knowsChannel(schemaOf('command', 'channel'))).toBe(false);
    expect(knowsChannel({})).toBe(false);
  });

  it('looks at playlists, reads progress and classifies a channel that died', { timeout: 60_000 }, async () => {
    await using daemon = await startLiving({ channels: 2, home: resolve(import.meta.dirname, '../..') });
    const before = daemon.outside();
    await vi.waitFor(async () => expect((await daemon.served()).playlists).toBeGreaterThan(1), 20_000);
    expect(await daemon.inside(300)).toEqual({
      lagWallMs: expect.any(Number),
      lagCpuMs: expect.any(Number),
      gcShare: expect.any(Number),
      loopShare: expect.any(Number),
    });
    const [verdict, ...others] = await daemon.verdicts(['ch1', 'ch2'], 1);
    expect(others).toEqual([]);
    expect(verdict?.latencyMs).toBeGreaterThan(0);
    expect(verdict?.facts).toContainEqual(expect.stringMatching(/^guard\.decided \d+$/));
    const after = daemon.outside();
    expect(after.wakeUps).toBeGreaterThan(before.wakeUps);
    expect(after.bytesRead).toBeGreaterThan(before.bytesRead);
  });
});
