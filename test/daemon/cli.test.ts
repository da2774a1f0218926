import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aBundle } from '../support/hint_bundle.ts';
import { type Daemon, reeve, Rig, until } from '../support/rig.ts';

/** A process each, and each is a second of work. */
const AT_ONCE = 3;

/** Names below `Commands:` in a help text; `help` is commander's own. */
const commandsIn = (help: string): readonly string[] => {
  const [, list = ''] = help.split('\nCommands:\n');
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
};

interface Explained {
  readonly path: readonly string[];
  readonly help: string;
}

/** Every command with the groups above it. */
async function everyCommand(): Promise<readonly Explained[]> {
  const found: Explained[] = [];
  const waiting: (readonly string[])[] = [[]];
  const explain = async (path: readonly string[]): Promise<void> => {
    const { stdout: help } = await reeve([...path, '--help']);
    found.push({ path, help });
    waiting.push(...commandsIn(help).map((name) => [...path, name]));
  };
  while (waiting.length > 0) await Promise.all(waiting.splice(0, AT_ONCE).map(explain));
  return found;
}

describe('reeve, as people type it', { timeout: 120_000 }, () => {
  let rig: Rig;
  let daemon: Daemon;
  let incident = '';
  let commands: readonly { path: readonly string[]; help: string }[];
  beforeAll(async () => {
    rig = await Rig.open({ phase: 1, config: 'memory: { enabled: true }' });
    aBundle(join(rig.state, 'hints'));
    daemon = await rig.run();
    const status = () => daemon.get<{ channels: { healthy: boolean | null }[] }>('/api/v1/status');
    await until('news plays', async () => (await status()).channels[0]?.healthy === true);
    rig.die('news');
    await until('it is paged', () => rig.delivered.length > 0);
    incident = rig.delivered[0]!.incident!;
    writeFileSync(rig.at('excerpts.jsonl'), '{"id":"a","lines":["the encoder of news has ended"]}\n');
    commands = await everyCommand();
  }, 240_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  /** What follows `reeve` in a call that can be answered here. `ndjson`: any number of documents, one a line. */
  const CALLS: Readonly<
    Record<string, { args: () => readonly string[]; ndjson?: boolean; exits?: readonly number[]; says?: RegExp }>
  > = {
    check: { args: () => [] },
    schema: { args: () => ['persona'] },
    init: { args: () => [rig.at('fresh')] },
    classify: { args: () => [rig.at('news.log')], ndjson: true },
    'audit verify': { args: () => [] },
    'audit plans': { args: () => [] },
    teach: { args: () => [incident, '--symptom', 'stalled_output'], exits: [0, 1] },
    'patterns retire': { args: () => ['nothing', '--because', 'a test'], exits: [64] },
    'patterns demote': { args: () => ['nothing', '--because', 'a test'], exits: [64] },
    'audit export': { args: () => [], ndjson: true },
    backtest: { args: () => ['--logs', `news=${rig.at('news.log')}`] },
    status: { args: () => [] },
    incidents: { args: () => [], ndjson: true },
    trace: { args: () => [incident] },
    why: { args: () => ['news'] },
    'why-not': { args: () => ['news', 'restart_channel'] },
    approvals: { args: () => [] },
    pages: { args: () => [] },
    ask: {
      args: () => ['--backend', 'none', '--route', '--grant', 'read', 'is anything wrong with news?'],
      says: /^\[Model\]: none.*\n\[Routing\]: .*\n$/,
    },
    'tokens add': { args: () => ['ann', '--scope', 'read', '--because', 'a test'] },
    'tokens list': { args: () => [] },
    'tokens revoke': { args: () => ['nobody', '--because', 'a test'], exits: [64] },
    'blind-spots': { args: () => [] },
    stats: { args: () => [] },
    insights: { args: () => [] },
    reflect: { args: () => [] },
    'memory list': { args: () => ['--type', 'incident'], ndjson: true },
    'memory get': { args: () => [incident.slice(0, 9)] },
    'memory stat': { args: () => [] },
    'memory plan': { args: () => ['why did news fail?'] },
    'memory probe': { args: () => ['why did news fail?'] },
    'memory rebuild': { args: () => [] },
    'rules list': { args: () => [], ndjson: true },
    'rules show': { args: () => ['process_crashed'] },
    'rules test': { args: () => ['process_crashed', '--incident', incident], exits: [0, 1] },
    'rules demote': { args: () => ['nothing', '--because', 'a test'], exits: [64] },
    'rules retire': { args: () => ['nothing', '--because', 'a test'], exits: [64] },
    'dataset export': { args: () => ['--out', rig.at('golden')] },
    'hints list': { args: () => [], ndjson: true },
    'hints stats': { args: () => [] },
    'hints blind-spots': { args: () => [] },
    'hints export': { args: () => ['--out', rig.at('outcomes.jsonl')] },
    'hints verify': { args: () => [] },
    'hints trial': { args: () => ['--rollouts', '6'] },
    freeze: { args: () => ['--because', 'a test'] },
    // Asked while freeze is: it may be the first.
    thaw: { args: () => ['--because', 'a test'], exits: [0, 1] },
    lease: { args: () => ['news', '--for', '1m', '--because', 'a test'] },
    reset: { args: () => ['news', '--because', 'a test'] },
    release: { args: () => ['fleet', '--because', 'a test'] },
    phase: { args: () => [] },
    approve: { args: () => ['apr-none'], exits: [64] },
    deny: { args: () => ['apr-none'], exits: [64] },
    'maintenance add': { args: () => ['news', '--for', '1m', '--because', 'a test'] },
    'maintenance end': { args: () => ['win-none', '--because', 'a test'], exits: [64] },
    'maintenance list': { args: () => [] },
    page: { args: () => ['--test'] },
    ack: { args: () => ['nothing'], exits: [64] },
  };
  /** teach.test.ts has them, and the tests of the rulebook those of rules: they need a proposal. */
  const PATTERNS = ['list', 'show', 'diff', 'promote'].map((name) => `patterns ${name}`);
  /** hints.test.ts has them: they take the bundle away, or need one. */
  const HINTS = ['import', 'reload', 'promote'].map((name) => `hints ${name}`);
  /** The daemon itself, what reads standard input, and what takes long: cli_json.test.ts has them. */
  const WITHOUT = new Set([
    'run',
    'prompt',
    'simulate',
    'test',
    'memory walk',
    'rules diff',
    'rules promote',
    ...PATTERNS,
    ...HINTS,
  ]);

  it('explains every command with exactly one example that begins as it is typed', () => {
    const examples = commands.map(({ path, help }) => ({
      path: path.join(' '),
      examples: [...help.matchAll(/^Example: (.*)$/gm)].map(([, example]) => example!),
    }));
    const wrong = examples.filter(
      ({ path, examples: [first = '', ...more] }) =>
        more.length > 0 || !first.includes(path === '' ? 'reeve ' : `reeve ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has a call below for every command', () => {
    const leaves = commands.filter(({ path, help }) => path.length > 0 && commandsIn(help).length === 0);
    const names = leaves.map(({ path }) => path.join(' ')).filter((name) => !WITHOUT.has(name));
    expect(names.filter((name) => CALLS[name] === undefined)).toEqual([]);
  });

  it.concurrent.each(Object.keys(CALLS))('reeve %s --json prints JSON on stdout and nothing else', async (name) => {
    const { args, ndjson = false, exits = [0], says = /^$/ } = CALLS[name]!;
    const { code, stdout, stderr } = await rig.reeve(...name.split(' '), ...args(), '--json');
    expect({ code: exits.includes(code) ? 'as expected' : code, stderr }).toEqual({
      code: 'as expected',
      stderr: expect.stringMatching(says),
    });
    const documents = ndjson ? stdout.split('\n').filter((line) => line !== '') : [stdout];
    for (const document of documents) expect(JSON.parse(document)).toBeTypeOf('object');
    if (ndjson) expect(documents.length).toBeGreaterThan(0);
  });

  it.each([
    [['status', '--token-file', '/nonexistent/token'], 64, /token/],
    [['status', '--url', 'http://127.0.0.1:1'], 64, /is not sent to http:\/\/127\.0\.0\.1:1/],
    [['incidents', '--limit', 'many'], 64, /limit/],
    [['nonsense'], 64, /nonsense/],
    [['memory', 'get', 'inc-none'], 64, /there is no node inc-none/],
    [['memory', 'list', '--type', 'nonsense'], 64, /there is no type nonsense/],
    [['insights', '--state', 'both'], 64, /active or archived/],
    [['phase', '9'], 64, /phase from 0 to 4/],
    [['freeze'], 64, /because/],
    [['lease', 'news', '--for', 'ever', '--because', 'x'], 64, /--for/],
    [['trace', 'inc-none'], 64, /no such incident/],
    [['why', 'nobody'], 64, /no such channel/],
    [['schema', 'nonsense'], 64, /expected one of/],
  ])('says what is wrong with %j on stderr alone, and ends with %i', async (args, exit, text) => {
    const { code, stdout, stderr } = await rig.reeve(...args);
    expect({ code, stdout, stderr }).toEqual({ code: exit, stdout: '', stderr: expect.stringMatching(text) });
    expect(stderr).not.toContain('this is a bug');
  });

  it('reports that no daemon answers where none runs, and ends with 69', async () => {
    const { code, stderr } = await rig.reeve(
      ...['status', '--url', 'http://127.0.0.1:1', '--token-file', `${rig.state}/token`],
    );
    expect({ code, stderr }).toMatchObject({ code: 69, stderr: expect.stringContaining('no answer from') });
  });

  it('uses no colour where no terminal shows it', async () => {
    const { stdout } = await rig.reeve('status');
    expect(stdout).not.toContain('\u001b');
  });
});
