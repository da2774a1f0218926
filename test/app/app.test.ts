import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type App, createApp, startAnew } from '../../src/app/app.ts';
import { type Configuration, loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds, systemRandom } from '../../src/core/id.ts';
import { entryOf } from '../../src/journal/entry.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { persona } from '../config/sound.ts';
import { aFolder, writeInto } from '../config/support.ts';

const PATTERNS = `software: rig
patterns: [{ id: ended, symptom: process_crash, confidence: 0.9, regex: 'has ended', match: ['it has ended'] }]
`;

/** The files of a daemon, which is started in this process, as often as the test wants. */
function aPlace({ phase = 1, http = '127.0.0.1:0' } = {}) {
  const folder = aFolder({ 'patterns/rig.yaml': PATTERNS });
  const state = join(folder, 'state');
  const text = (more = '') => `version: 1
http: { listen: "${http}" }
phase: ${phase}
patterns: ${folder}/patterns
engines: [{ id: local, kind: supervisor, socket: ${folder}/socket }]
channels: [{ id: news, engine: local }]
${phase > 1 ? 'receivers: [{ id: hook, kind: webhook, url: "http://127.0.0.1:1/hook" }]\n' : ''}${more}`;
  const file = writeInto(folder, 'reeve.yaml', text());
  const load = () => loadConfiguration({ file, env: {}, flags: { state }, tools: [] });
  const logged: string[] = [];
  const note = (_: object, message: string) => void logged.push(message);
  const levels: string[] = [];
  const begin = async (wanted: Configuration): Promise<App> => {
    const app = await createApp(wanted, {
      setLogLevel: (level) => void levels.push(level),
      ...{ clock: systemClock, ids: systemIds, random: systemRandom, version: '7', load },
      ...{ log: { info: note, warn: note, error: note }, secret: () => expect.unreachable('there is no secret') },
    });
    onTestFinished(() => app[Symbol.asyncDispose]());
    return app;
  };
  const start = (): Promise<App> => {
    expect(load().problems).toEqual([]);
    return begin(load().configuration!);
  };
  const anew = (app: App) => startAnew(app, { load, start: begin });
  /** Once it has stopped. */
  const facts = () => {
    const store = SqliteStore.openForReading(join(state, 'journal.db'));
    const read = [...store.read({})].map((row) => entryOf(row).fact);
    store.close();
    return read;
  };
  const types = () => facts().map(({ type }) => type);
  const edit = (more: string, from = '', to = '') => writeFileSync(file, text(more).replace(from, to));
  return { start, anew, facts, types, logged, levels, state, folder, edit };
}
interface Status {
  readonly phase: number;
  readonly problems: readonly string[];
  readonly containment: readonly { readonly scope: string; readonly reason: string }[];
  readonly channels: readonly { readonly persona: string }[];
}
async function statusOf(app: App, state: string): Promise<Status> {
  const token = readFileSync(join(state, 'token'), 'utf8').trim();
  const answer = await fetch(`${app.url}/api/v1/status`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as Status;
}
const stop = (app: App) => app[Symbol.asyncDispose]();

describe('a daemon', () => {
  it('answers at its address once it is up, and no more after it has stopped', async () => {
    const app = await aPlace().start();
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    await stop(app);
    await expect(fetch(`${app.url}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('writes down its start with its version, and its stop', async () => {
    const { start, facts, types } = aPlace();
    await stop(await start());
    expect(facts()).toContainEqual(expect.objectContaining({ type: 'reeve.started', version: '7' }));
    expect(types().filter((type) => type.startsWith('reeve.'))).toEqual(['reeve.started', 'reeve.stopped']);
    await stop(await start());
    expect(types().filter((type) => type === 'reeve.started')).toHaveLength(2);
  });

  it('says what it would do about a dead channel before it says that it is up', async () => {
    const { start, logged } = aPlace();
    await start();
    const rehearsed = logged.findIndex((line) => line.startsWith('rehearsed in memory'));
    expect(rehearsed).toBeGreaterThanOrEqual(0);
    expect(logged.indexOf('Reeve watches')).toBeGreaterThan(rehearsed);
  });

  it('holds a phase that changes things at its first start, and at no later one', async () => {
    const held = async (phase: number) => {
      const { start, types } = aPlace({ phase });
      const count = () => types().filter((type) => type === 'control.phase_held').length;
      await stop(await start());
      const first = count();
      await stop(await start());
      return [first, count()];
    };
    expect(await held(4)).toEqual([1, 1]);
    expect(await held(2)).toEqual([0, 0]);
  });

  it('does not start on the state directory of another daemon, which keeps running', async () => {
    const { start } = aPlace();
    const first = await start();
    await expect(start()).rejects.toMatchObject({ code: 'JOURNAL_UNWRITABLE' });
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
  });

  it('that finds its port taken leaves its journal to the next one', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { start, state } = aPlace({ http: `127.0.0.1:${(taken.address() as AddressInfo).port}` });
    await expect(start()).rejects.toMatchObject({ code: 'PORT_UNAVAILABLE' });
    SqliteStore.open(join(state, 'journal.db')).close();
  });
});

describe('an edit of the configuration', () => {
  it('that is sound is in force and in the journal', async () => {
    const { start, edit, types, state } = aPlace();
    const app = await start();
    expect((await statusOf(app, state)).channels).toMatchObject([{ persona: 'system_admin' }]);
    edit('persona: lab');
    expect(app.reload().ok).toBe(true);
    expect((await statusOf(app, state)).channels).toMatchObject([{ persona: 'lab' }]);
    await stop(app);
    expect(types()).toContain('config.loaded');
  });

  it('of the phase is in force at once, where no person has set one', async () => {
    const { start, edit, state } = aPlace({ phase: 2 });
    const app = await start();
    expect((await statusOf(app, state)).phase).toBe(2);
    edit('', 'phase: 2', 'phase: 0');
    expect(app.reload()).toMatchObject({ ok: true, applied: ['phase'], needsRestart: [] });
    expect((await statusOf(app, state)).phase).toBe(0);
  });

  it('of how much is logged is in force at once', async () => {
    const { start, edit, levels } = aPlace();
    const app = await start();
    edit('log: { level: debug }');
    expect(app.reload()).toMatchObject({ applied: ['log'] });
    expect(levels).toEqual(['debug']);
  });

  it('is in force still where everything is opened anew over one that is not sound, which is told again', async () => {
    const { start, anew, edit, state } = aPlace();
    const first = await start();
    edit('persona: lab');
    first.reload();
    edit('escalations: {}');
    first.reload();
    const app = await anew(first);
    const { channels, problems } = await statusOf(app, state);
    expect([channels, problems]).toMatchObject([[{ persona: 'lab' }], [expect.stringContaining('escalations')]]);
    edit('persona: watcher');
    expect(await statusOf(await anew(app), state)).toMatchObject({ channels: [{ persona: 'watcher' }], problems: [] });
  });

  it('leaves personas in force whose folder is gone where everything is opened anew', async () => {
    const { start, anew, edit, state, folder } = aPlace();
    writeInto(folder, 'personas/lab.yaml', persona('lab'));
    edit('persona: lab');
    const first = await start();
    rmSync(join(folder, 'personas'), { recursive: true });
    const app = await anew(first);
    expect(app.configuration().personas).toHaveLength(1);
    expect((await statusOf(app, state)).problems).toEqual([expect.stringContaining('is gone')]);
  });

  it('that is not sound leaves the last one in force, and its problem in the journal', async () => {
    const { start, edit, facts } = aPlace();
    const app = await start();
    const before = app.reload().configuration.sha256;
    edit('escalations: {}');
    const change = app.reload();
    expect([change.ok, change.configuration.sha256]).toEqual([false, before]);
    await stop(app);
    const rejected = { type: 'config.rejected', problems: 1, first: expect.stringContaining('escalations') };
    expect(facts()).toContainEqual(rejected);
  });
});

describe('a journal whose chain is broken', () => {
  it('is not trusted: everything is contained, and Reeve says that it is not ready and why', async () => {
    const { start, state, logged } = aPlace();
    await stop(await start());
    using db = new DatabaseSync(join(state, 'journal.db'));
    db.exec(`UPDATE entry SET body = replace(body, '"7"', '"8"') WHERE type = 'reeve.started'`);
    db.close();
    const app = await start();
    expect((await statusOf(app, state)).containment).toMatchObject([{ scope: 'fleet', reason: 'journal_error' }]);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
    expect(logged).toContainEqual(expect.stringMatching(/^journal: it is broken: entry \d+ does not match its hash/));
  });
});

describe('a journal whose file is damaged', () => {
  const tear = (state: string) => {
    const path = join(state, 'journal.db');
    writeFileSync(path, readFileSync(path).fill(0xff, 100, 300));
  };
  const kept = (state: string) => readdirSync(state).filter((name) => name.startsWith('journal.db.damaged-'));

  it('is put aside, and Reeve watches and stays at phase 1 over restarts until a person sets one', async () => {
    const { start, state, facts, logged } = aPlace({ phase: 4 });
    await stop(await start());
    tear(state);
    await stop(await start());
    const [name] = kept(state);
    const saying = expect.stringContaining(`; it is kept as ${join(state, name!)}`);
    const held = { type: 'control.phase_held', phase: 1, configured: 4, because: saying, cause: 'damaged' };
    expect(facts().filter(({ type }) => type === 'control.phase_held')).toEqual([held]);
    expect(logged).toContain('the journal was damaged: a new one is begun');
    const app = await start();
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    const because = expect.stringMatching(
      /^the journal was damaged: .*: held at phase 1 until reeve phase N sets one$/,
    );
    expect(await statusOf(app, state)).toMatchObject({ phase: 1, problems: [because] });
    expect(kept(state)).toHaveLength(1);
  });

  it('is paged where no phase has to be held, too', async () => {
    const { start, state, facts } = aPlace({ phase: 1 });
    await stop(await start());
    tear(state);
    await stop(await start());
    const pages = facts().flatMap((fact) => (fact.type === 'escalation.raised' ? [fact.escalation] : []));
    expect(pages).toMatchObject([{ key: 'reeve/internal/journal', severity: 'critical' }]);
    expect(pages[0]?.details).toContain(kept(state)[0]);
  });
});

describe('a state directory of which something is damaged', () => {
  const DAMAGES: readonly [string, (path: string) => void][] = [
    ['garbage', (path) => writeFileSync(path, 'garbage '.repeat(1_000), { mode: 0o600 })],
    ['nothing', (path) => writeFileSync(path, '', { mode: 0o600 })],
    ['a directory', (path) => mkdirSync(join(path, 'within'), { recursive: true })],
  ];
  const NAMES = [
    ...['collect.db', 'journal.db.lock', 'hints.db', 'hints.db.lock', 'memory.db', 'memory.db.lock'],
    ...['aside', 'token', 'address', 'certificate', 'journald.cursor', 'proposals/rules', 'proposals/patterns'],
  ];
  const cases = NAMES.flatMap((name) => DAMAGES.map(([what, damage]) => [name, what, damage] as const));

  it('pages that the place in the logs is lost, once', async () => {
    const { start, state, facts } = aPlace();
    await stop(await start());
    writeFileSync(join(state, 'collect.db'), 'garbage '.repeat(1_000));
    await stop(await start());
    await stop(await start());
    const pages = facts().flatMap((fact) => (fact.type === 'escalation.raised' ? [fact.escalation] : []));
    expect(pages).toMatchObject([{ key: 'reeve/internal/collect', scope: { kind: 'fleet' } }]);
    expect(pages[0]?.details).toContain('it was put aside as collect.db.broken and is begun anew');
    expect(readdirSync(state)).toContain('collect.db.broken');
  });

  it.each(cases)('is started on all the same: %s is %s', async (name, _, damage) => {
    const { start, state, edit, types } = aPlace();
    edit('memory: { enabled: true }');
    await stop(await start());
    rmSync(join(state, name), { recursive: true, force: true });
    mkdirSync(dirname(join(state, name)), { recursive: true });
    damage(join(state, name));
    for (const count of [2, 3]) {
      const app = await start();
      expect((await statusOf(app, state)).phase).toBe(1);
      await stop(app);
      expect(types().filter((type) => type === 'reeve.started')).toHaveLength(count);
    }
  });
});
