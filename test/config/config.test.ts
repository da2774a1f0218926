import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig, type Secret } from '../../src/config/config.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { aFolder, loadText, told, writeInto } from './support.ts';

/** A sound document with every key in use. Small pieces of it are changed by the tests. */
const FULL = `version: 1
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
const ENV = { TB_PASSWORD: 'tb-pw', HOOK_SECRET: 'hook-pw' };

const MINIMAL = `version: 1
engines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
channels: [{ id: a, engine: e }]
`;

describe('loadConfig', () => {
  it('settles every default', () => {
    const { config, cwd } = loadText(MINIMAL, { HOME: '/home/x' });
    expect(config).toMatchObject({
      file: join(cwd, 'config/reeve.yaml'),
      http: { listen: { host: '127.0.0.1', port: 7433 }, allowedHosts: [], metricsListen: undefined },
      metricsPrefix: 'reeve_',
      phase: 0,
      persona: 'system_admin',
      limits: DEFAULT_LIMITS,
      groups: [{ id: 'e', persona: undefined, phase: undefined }],
      channels: [{ id: 'a', name: 'a', group: 'e', engine: 'e', persona: 'system_admin', expected: 'always' }],
      escalation: { repeatEveryMs: 14_400_000, upstreamAfterMs: undefined },
      journal: { keepMs: 2_592_000_000 },
      log: { level: 'info' },
      origins: [],
    });
    expect(config?.channels[0]).toMatchObject({ logs: [], output: undefined, source: undefined, hasSource: false });
  });

  it('writes out channels, replaces {id}, resolves paths from the file, and settles each persona', () => {
    const { config, cwd, problems } = loadText(FULL, ENV);
    expect(told(problems)).toEqual([]);
    const folder = join(cwd, 'config');
    expect(config?.channels.map(({ id, group, persona }) => [id, group, persona])).toEqual([
      ['a', 'pull', 'cautious'],
      ['b', 'pull', 'cautious'],
      ['c', 'local', 'watcher'],
      ['d', 'local', 'system_admin'],
    ]);
    expect(config?.channels[1]).toMatchObject({
      name: 'ch:b',
      expected: 'on_demand',
      logs: [join(folder, 'log/b.err')],
      output: {
        kind: 'hls',
        url: 'http://127.0.0.1:8080/hls/b/index.m3u8',
        everyMs: 3_000,
        calmEveryMs: 12_000,
        stallAfterMs: 7_000,
      },
      source: { url: 'http://origin:8000/live/b.ts', everyMs: 20_000, calmEveryMs: 20_000, expect: 'mpegts' },
      hasSource: true,
      hasOutputProbe: true,
    });
    expect(config?.channels[2]?.output).toEqual({
      kind: 'tcp',
      host: '127.0.0.1',
      port: 8000,
      everyMs: 2_000,
      calmEveryMs: 12_000,
      stallAfterMs: 6_000,
    });
    expect(config?.groups).toEqual([
      { id: 'pull', persona: 'cautious', phase: 3 },
      { id: 'local', persona: undefined, phase: undefined },
    ]);
    expect(config?.engines[0]).toMatchObject({
      logs: [{ path: join(folder, 'log/supervisord.log') }],
      host: { disks: [join(folder, 'hls')], every: 5_000 },
      poll: 1_000,
    });
    expect(config?.folders).toEqual({
      personas: join(folder, 'p'),
      rules: join(folder, 'r'),
      actions: expect.stringMatching(/config\/actions$/),
      patterns: join(folder, 'q'),
    });
    expect(config?.limits).toMatchObject({ windowStartsMax: 9, windowMs: 90_000, poolPressureMax: 0.8 });
    expect(config?.escalation).toEqual({ repeatEveryMs: 7_200_000, upstreamAfterMs: 30_000 });
  });

  it('is frozen all the way down', () => {
    const { config } = loadText(FULL, ENV);
    const open: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) open.push(path);
      for (const [key, member] of Object.entries(value)) walk(member, `${path}.${key}`);
    };
    walk(config, 'config');
    expect(open).toEqual([]);
  });

  it('gives the same hash for the same configuration and another one for any change', () => {
    const cwd = aFolder({ 'config/reeve.yaml': FULL });
    const first = loadConfig({ cwd, env: ENV }).config?.sha256;
    expect(loadConfig({ cwd, env: ENV }).config?.sha256).toBe(first);
    writeInto(cwd, 'config/reeve.yaml', FULL.replace('window: 90s', 'window: 91s'));
    expect(loadConfig({ cwd, env: ENV }).config?.sha256).not.toBe(first);
  });

  it('reports every problem of every part at once, in order', () => {
    const { problems } = loadText(`version: 2
htp: {}
phase: 9
limits: { window: 60 }
engines:
  - { id: e, kind: supervisr, url: "http://127.0.0.1:9001/RPC2" }
  - { id: f, kind: supervisor, url: "http://127.0.0.1:9002/RPC2", pol: 1s }
channels:
  - { id: a, engine: ee, output: { hls: "http://x/{name}" } }
  - { id: "b b", engine: e }
receivers:
  - { id: r, kind: webhook, url: "ftp://x/" }
`);
    expect(told(problems)).toEqual([
      '1:10 version: expected 1, got the number 2 (The form of this file.)',
      '2:1 htp: unknown key "htp" (did you mean http?)',
      '3:8 phase: expected at most 4, got the number 9 (the nearest allowed value is 4)',
      '4:19 limits.window: expected a duration such as 30s, got the number 60 without a unit ' +
        '(write 60s for seconds, 60m for minutes)',
      '6:20 engines.0.kind: expected supervisor, http, command, exstreamtv, systemd or docker, got "supervisr" (did you mean supervisor?)',
      '7:67 engines.1.pol: unknown key "pol" (did you mean poll?)',
      '9:22 channels.0.engine: there is no engine ee (did you mean e?)',
      '9:41 channels.0.output.hls: unknown placeholder {name} (only {id} is replaced here)',
      '10:11 channels.1.id: expected an id, got "b b" (letters, digits, "_", "-" or ".", beginning with a letter or ' +
        'digit, at most 64, for example b_b)',
      '12:34 receivers.0.url: expected http:// or https://, got "ftp://x/" (write an address such as http://127.0.0.1:8080/path)',
    ]);
  });

  it('says what to do when there is no file, or it cannot be read', () => {
    const cwd = aFolder();
    expect(loadConfig({ cwd, env: {} }).problems[0]?.hint).toContain('reeve init');
    expect(loadConfig({ cwd, env: {}, file: 'nothing.yaml' }).problems[0]).toMatchObject({
      file: join(cwd, 'nothing.yaml'),
      line: 1,
    });
  });
});

describe('where values come from', () => {
  it('flags go before REEVE_ variables, these before the file, this before the defaults', () => {
    const text = `${MINIMAL}phase: 0\nhttp: { listen: "127.0.0.1:1001" }\n`;
    const env = { REEVE_LISTEN: '127.0.0.1:1002', REEVE_PHASE: '1', REEVE_LOG_LEVEL: 'warn' };
    expect(loadText(text).config?.http.listen?.port).toBe(1001);
    expect(loadText(text, env).config).toMatchObject({
      http: { listen: { port: 1002 } },
      phase: 1,
      log: { level: 'warn' },
    });
    const { config } = loadText(text, env, { listen: '127.0.0.1:1003' });
    expect(config?.http.listen?.port).toBe(1003);
    expect(config?.origins).toEqual([
      { path: 'http.listen', from: '--listen' },
      { path: 'log.level', from: 'REEVE_LOG_LEVEL' },
      { path: 'phase', from: 'REEVE_PHASE' },
    ]);
  });

  it('checks flags and variables as strictly as the file, and names them', () => {
    const { problems } = loadText(MINIMAL, { REEVE_PHASE: '7', REEVE_LISTEN: 'here' }, { logLevel: 'loud' });
    expect(problems.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([
      '--log-level:1 expected fatal, error, warn, info, debug or trace, got "loud"',
      'REEVE_LISTEN:1 expected an address, got "here"',
      'REEVE_PHASE:1 expected at most 4, got the number 7',
    ]);
  });

  it.each([
    [{ state: 's1' }, { REEVE_STATE: '/s2', STATE_DIRECTORY: '/s3', XDG_STATE_HOME: '/s4' }, '--state'],
    [{}, { REEVE_STATE: '/s2', STATE_DIRECTORY: '/s3', XDG_STATE_HOME: '/s4' }, '/s2'],
    [{}, { STATE_DIRECTORY: '/s3:/other', XDG_STATE_HOME: '/s4' }, '/s3'],
    [{}, { XDG_STATE_HOME: '/s4' }, '/s4/reeve'],
    [{}, { XDG_STATE_HOME: 'relative' }, 'file'],
    [{}, {}, 'file'],
  ])('finds the state directory by %j and %j: %s', (flags, env, expected) => {
    const { config, cwd } = loadText(`${MINIMAL}state: ./here\n`, env, flags);
    const places: Record<string, string> = { '--state': join(cwd, 's1'), file: join(cwd, 'config/here') };
    expect(config?.stateDirectory).toBe(places[expected] ?? expected);
  });

  it('looks for the file at --config, REEVE_CONFIG, then ./config/reeve.yaml', () => {
    const cwd = aFolder({ 'config/reeve.yaml': MINIMAL, 'a.yaml': MINIMAL, 'b.yaml': MINIMAL });
    const fileOf = (flags: { config?: string }, env: { REEVE_CONFIG?: string }) =>
      loadConfig({ cwd, flags, env }).config?.file;
    expect(fileOf({ config: 'a.yaml' }, { REEVE_CONFIG: 'b.yaml' })).toBe(join(cwd, 'a.yaml'));
    expect(fileOf({}, { REEVE_CONFIG: 'b.yaml' })).toBe(join(cwd, 'b.yaml'));
    expect(fileOf({}, {})).toBe(join(cwd, 'config/reeve.yaml'));
  });

  it('uses the folder beside the file when there is one, else the shipped one', () => {
    const cwd = aFolder({ 'config/reeve.yaml': MINIMAL, 'config/rules/x': '' });
    const folders = loadConfig({ cwd, env: {} }).config?.folders;
    expect(folders?.rules).toBe(join(cwd, 'config/rules'));
    expect(folders?.personas).toBe(join(import.meta.dirname, '../../personas'));
  });

  it('uses the personas beside the folder config, where there are none in it', () => {
    const foldersIn = (files: Record<string, string>) => {
      const cwd = aFolder({ 'config/reeve.yaml': MINIMAL, ...files });
      return { cwd, personas: loadConfig({ cwd, env: {} }).config?.folders.personas };
    };
    const above = foldersIn({ 'personas/x': '' });
    expect(above.personas).toBe(join(above.cwd, 'personas'));
    const both = foldersIn({ 'personas/x': '', 'config/personas/x': '' });
    expect(both.personas).toBe(join(both.cwd, 'config/personas'));
  });

  it('leaves alone what lies above a folder of another name', () => {
    const cwd = aFolder({ 'etc/reeve.yaml': MINIMAL, 'personas/x': '' });
    const folders = loadConfig({ cwd, env: {}, flags: { config: 'etc/reeve.yaml' } }).config?.folders;
    expect(folders?.personas).toBe(join(import.meta.dirname, '../../personas'));
  });
});

describe('${NAME} in a configuration', () => {
  it('is replaced in text values; a default serves where it is unset or empty; $${ is a plain ${', () => {
    const text = `${MINIMAL}sources:\n  - { id: s, path: "\${A}/\${B:-b}/\${C:-}x/$\${D}" }\n`;
    expect(loadText(text, { A: '/a', B: '' }).config?.sources[0]?.from).toEqual({ kind: 'file', path: '/a/b/x/${D}' });
  });

  it('does not look into what was put in', () => {
    const text = `${MINIMAL}sources: [{ id: s, path: "\${A}" }]\n`;
    expect(loadText(text, { A: '/${B}', B: 'no' }).config?.sources[0]?.from).toEqual({ kind: 'file', path: '/${B}' });
  });

  it('is a problem with its place where it is unset, empty or malformed; once for all its places', () => {
    const text = `version: 1
sources:
  - { id: a, path: "\${LOGS}/a" }
  - { id: b, path: "\${LOGS}/b" }
  - { id: c, path: "\${EMPTY}" }
  - { id: d, path: "\${not a name}" }
  - { id: e, path: "\${OPEN" }
`;
    expect(told(loadText(text, { LOG: 'x', EMPTY: '' }).problems)).toEqual([
      '3:20 sources.0.path: the environment variable LOGS is not set (also for line 4) (did you mean LOG?)',
      '5:20 sources.2.path: the environment variable EMPTY is empty (set it, or give a default: ${EMPTY:-…})',
      '6:20 sources.3.path: expected ${NAME} or ${NAME:-default} (write $${ for a plain ${)',
      '7:20 sources.4.path: expected "}" after "${" (write $${ for a plain ${)',
    ]);
  });

  it('never shows the value of a variable in a problem', () => {
    const text = `${MINIMAL}receivers: [{ id: r, kind: webhook, url: "\${HOOK}" }]\n`;
    const problems = told(loadText(text, { HOOK: 'hunter2' }).problems);
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('hunter2');
  });
});

describe('secrets in a configuration', () => {
  const hook = (keys: string) => `${MINIMAL}receivers: [{ id: r, kind: webhook, url: "http://127.0.0.1/", ${keys} }]\n`;

  it('come from a variable or from a file, without the line ending', () => {
    const cwd = aFolder({ 'config/secret': 'from file\n' });
    chmodSync(join(cwd, 'config/secret'), 0o600);
    writeInto(cwd, 'config/reeve.yaml', hook('secret_file: secret'));
    const secretOf = (config: ReturnType<typeof loadConfig>['config']): Secret | undefined => {
      const receiver = config?.receivers[0];
      return receiver?.secrets.secret;
    };
    expect(secretOf(loadConfig({ cwd, env: {} }).config)?.reveal()).toBe('from file');
    expect(secretOf(loadText(hook('secret_env: S'), { S: 'from env' }).config)?.reveal()).toBe('from env');
    expect(
      secretOf(loadText(`${MINIMAL}receivers: [{ id: r, kind: webhook, url: "http://127.0.0.1/" }]\n`).config),
    ).toBeUndefined();
  });

  it.each([
    [0o644, 'everybody may read'],
    [0o604, 'everybody may read'],
    [0o660, 'others may write'],
    [0o622, 'others may write'],
    [0o600, undefined],
    [0o640, undefined],
    [0o400, undefined],
  ])('a file of mode %o: %s', (mode, message) => {
    const cwd = aFolder({ 'config/secret': 'x', 'config/reeve.yaml': hook('secret_file: secret') });
    chmodSync(join(cwd, 'config/secret'), mode);
    const { problems } = loadConfig({ cwd, env: {} });
    if (message === undefined) expect(problems).toEqual([]);
    else
      expect(problems[0]).toMatchObject({ path: 'receivers.0.secret_file', message: expect.stringContaining(message) });
  });

  it.each([
    ['secret_env: S', 'the environment variable S is not set'],
    ['secret_file: nowhere', 'expected a readable file with the secret'],
    ['secret_env: S, secret_file: f', 'expected secret_env or secret_file, got both'],
  ])('refuses %s', (keys, message) => {
    expect(told(loadText(hook(keys)).problems).join('\n')).toContain(message);
  });

  it('show themselves to no log, no JSON and no template', () => {
    const { config } = loadText(FULL.replace('password_env: TB_PASSWORD', 'password: ${TB_PASSWORD}'), ENV);
    const engine = config?.engines[0];
    expect(engine?.kind === 'supervisor' && engine.password).toBe('tb-pw');
    const shownEverywhere = [
      JSON.stringify(config),
      inspect(config, { depth: 9 }),
      `${{ ...engine }}`,
      inspect({ ...engine }),
    ];
    expect(shownEverywhere.join('\n')).not.toMatch(/tb-pw|hook-pw/);
  });

  it('in clear are for loopback only', () => {
    const engine = (url: string) => `version: 1\nengines: [{ id: e, kind: supervisor, url: "${url}", password: x }]\n`;
    expect(loadText(engine('http://127.0.0.1:9001/RPC2')).problems).toEqual([]);
    expect(told(loadText(engine('http://192.0.2.1:9001/RPC2')).problems).join()).toContain('loopback');
  });

  it.each([
    ['receivers: [{ id: r, kind: alertmanager, url: "http://u:hunter2@127.0.0.1/" }]', 'no user and no password'],
    [
      'receivers: [{ id: r, kind: alertmanager, url: "http://127.0.0.1/?api_key=hunter2" }]',
      'api_key holds a secret in clear',
    ],
    [
      'engines: [{ id: e, kind: http, url: "http://u:hunter2@127.0.0.1/", list: { path: /, fields: { name: "" } } }]',
      'credentials',
    ],
  ])('in an address are refused and not repeated: %s', (line, message) => {
    const problems = told(loadText(`version: 1\n${line}\n`).problems).join('\n');
    expect(problems).toContain(message);
    expect(problems).not.toContain('hunter2');
  });

  it('in an address may come from the environment', () => {
    const text = `version: 1\nreceivers: [{ id: r, kind: alertmanager, url: "http://127.0.0.1/?api_key=\${KEY}" }]\n`;
    expect(loadText(text, { KEY: 'k' }).config?.receivers[0]).toHaveProperty('url', 'http://127.0.0.1/?api_key=k');
  });
});

describe('what a configuration may not say', () => {
  const channels = (...lines: string[]) =>
    `version: 1\nengines: [{ id: e, kind: supervisor, socket: /run/s.sock }]\nchannels:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
  const engines = (...lines: string[]) => `version: 1\nengines:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
  const SUP = 'kind: supervisor, socket: /run/s.sock';

  it.each([
    [
      'the same channel twice',
      channels('{ id: a, engine: e }', '{ ids: [b, a], engine: e }'),
      '5:16 channels.1.ids.1: the channel a stands here a second time (the first is in line 4)',
    ],
    ['neither id nor ids', channels('{ engine: e }'), 'expected either id or ids, got neither'],
    ['both id and ids', channels('{ id: a, ids: [b], engine: e }'), 'expected either id or ids, got both'],
    [
      'an id that is a number',
      channels('{ id: 7, engine: e }'),
      'expected text, got the number 7 (put it in quotes: "7")',
    ],
    ['an id that means everything', channels('{ id: fleet, engine: e }'), 'the id fleet means everything'],
    ['an id with a colon', channels('{ id: "a:b", engine: e }'), 'for example a_b'],
    ['an id that is too long', channels(`{ id: ${'a'.repeat(65)}, engine: e }`), 'expected an id'],
    [
      'one name for two channels',
      channels('{ ids: [a, b], engine: e, name: x }'),
      '2 channels would share this (put {id} where they differ)',
    ],
    [
      'one name in two entries',
      channels('{ id: a, engine: e, name: x }', '{ id: b, engine: e, name: x }'),
      'b and a have the same name in one engine',
    ],
    [
      'one output for two channels',
      channels(
        '{ id: a, engine: e, output: { http: "http://h/x" } }',
        '{ id: b, engine: e, output: { http: "http://h/x" } }',
      ),
      'b and a have the same output',
    ],
    [
      'one log for two channels',
      channels('{ id: a, engine: e, logs: [/l] }', '{ id: b, engine: e, logs: [/l] }'),
      'b and a have the same log file',
    ],
    [
      'two kinds of output',
      channels('{ id: a, engine: e, output: { http: "http://h/x", tcp: "h:1" } }'),
      'expected one of hls, file, http, tcp, dash and status, got 2',
    ],
    [
      'no kind of output',
      channels('{ id: a, engine: e, output: { every: 2s } }'),
      'expected one of hls, file, http, tcp, dash and status, got 0',
    ],
    [
      'a stall sooner than two looks',
      channels('{ id: a, engine: e, output: { http: "http://h/x", every: 4s, stall_after: 7s } }'),
      'expected at least twice the interval of 4000 ms',
    ],
    [
      'a port out of range',
      channels('{ id: a, engine: e, output: { tcp: "h:65536" } }'),
      'expected a port from 1 to 65535, got 65536',
    ],
    ['port 0', channels('{ id: a, engine: e, output: { tcp: "h:0" } }'), 'expected a port from 1 to 65535, got 0'],
    ['an engine that is not there', channels('{ id: a, engine: f }'), 'there is no engine f'],
    [
      'a group without channels',
      `${channels('{ id: a, engine: e, group: pull }')}groups: [{ id: pul }]\n`,
      'no channel belongs to the group pul (did you mean pull?)',
    ],
    ['a source of a missing engine', 'version: 1\nsources: [{ id: s, path: /l, engine: e }]\n', 'there is no engine e'],
    [
      'a log that is followed twice',
      `${channels('{ id: a, engine: e, logs: [/l] }')}sources: [{ id: s, path: /l }]\n`,
      'channel a follows this file already',
    ],
    [
      'two engines of one id',
      engines(`{ id: e, ${SUP} }`, '{ id: e, kind: supervisor, socket: /run/t.sock }'),
      'the id e stands here a second time (the first is in line 3)',
    ],
    [
      'two engines on one service',
      engines(`{ id: e, ${SUP} }`, `{ id: f, ${SUP} }`),
      'the engine e has this address already',
    ],
    [
      'two receivers of one id',
      'version: 1\nreceivers: [{ id: r, kind: alertmanager, url: "http://h/" }, { id: r, kind: alertmanager, url: "http://i/" }]\n',
      'the id r stands here a second time',
    ],
    [
      'an engine that is looked at once a day',
      engines(`{ id: e, ${SUP}, poll: 1d }`),
      'expected 100ms to 1m, got 1d (the nearest allowed value is 1m)',
    ],
    ['a call that may take forever', engines(`{ id: e, ${SUP}, timeout: 300d }`), 'expected 100ms to 2m'],
    [
      'both socket and url',
      engines('{ id: e, kind: supervisor, socket: /s, url: "http://127.0.0.1:9001/RPC2" }'),
      'expected either url or socket',
    ],
    [
      'evidence that is never fresh',
      `${channels('{ id: a, engine: e, output: { http: "http://h/x", every: 4s } }')}limits: { evidence_age_max: 7s }\n`,
      '4s is too seldom: evidence keeps 7s',
    ],
    [
      'a listener for everybody without names',
      'version: 1\nhttp: { listen: "0.0.0.0:7433" }\n',
      'open to other machines',
    ],
    [
      'two listeners on one port',
      'version: 1\nhttp: { metrics_listen: "127.0.0.1:7433" }\n',
      'the port 7433 is taken by listen',
    ],
    [
      'an acting phase and nobody to call',
      'version: 1\nphase: 2\n',
      'phase 2 changes things, and no receiver could call a person',
    ],
    [
      'an acting group and nobody to call',
      `${channels('{ id: a, engine: e, group: g }')}groups: [{ id: g, phase: 3 }]\n`,
      '5:26 groups.0.phase: phase 3 changes things',
    ],
    ['an empty file', '', 'expected a mapping'],
    ['a list', '- version: 1\n', 'expected a mapping (lines of "key: value"), got a list'],
  ])('%s', (_, text, message) => {
    expect(told(loadText(text).problems).join('\n')).toContain(message);
  });

  it('more than 20,000 channels', () => {
    const entries = (count: number) =>
      Array.from({ length: Math.ceil(count / 5_000) }, (_, part) => {
        const ids = Array.from({ length: Math.min(5_000, count - part * 5_000) }, (_, index) => `c${part}_${index}`);
        return `{ ids: [${ids.join(',')}], engine: e }`;
      });
    const exact = loadText(channels(...entries(20_000)));
    expect(exact.config?.channels).toHaveLength(20_000);
    expect(told(loadText(channels(...entries(20_001))).problems).join()).toContain(
      'expected at most 20000 channels, got 20001',
    );
  });
});

/** Values that mean "off", "forever" or nothing at all somewhere else. */
const POISON = [
  '',
  '~',
  '0',
  '-1',
  '.nan',
  '.inf',
  '-.inf',
  '1e300',
  '""',
  '"x y"',
  'true',
  'false',
  '[]',
  '{}',
  '60',
  '0s',
  '-1s',
  '400d',
  '5 min',
  'off',
];

describe('fail-open audit: every key of the document', () => {
  const parsed = parseYaml('full', FULL).value;
  const paths: (string | number)[][] = [];
  const walk = (value: unknown, path: (string | number)[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) walk(item, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  walk(parsed, []);

  const MARK = '"@@poison@@"';
  const withValue = (path: readonly (string | number)[], text: string | undefined): string => {
    const copy = structuredClone(parsed) as Record<string | number, unknown>;
    const parent = path
      .slice(0, -1)
      .reduce<Record<string | number, unknown>>((at, key) => at[key] as typeof copy, copy);
    const last = path.at(-1)!;
    if (text !== undefined) parent[last] = JSON.parse(MARK);
    else if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
    return JSON.stringify(copy, undefined, 1).replace(MARK, () => text ?? '');
  };

  it.each(paths.map((path) => [path.join('.'), path] as const))(
    '%s: absent or poisoned, it loosens no limit',
    (_, path) => {
      for (const text of [undefined, ...POISON]) {
        const { config, problems } = loadText(withValue(path, text), ENV);
        if (!config) {
          expect(problems[0]!.line).toBeGreaterThanOrEqual(1);
          expect(problems[0]!.message).not.toBe('');
          continue;
        }
        expect(config.limits.windowStartsMax).toBeLessThanOrEqual(DEFAULT_LIMITS.windowStartsMax);
        expect(config.limits.windowMs).toBeGreaterThanOrEqual(DEFAULT_LIMITS.windowMs);
        expect(config.limits.poolPressureMax).toBeLessThanOrEqual(DEFAULT_LIMITS.poolPressureMax);
        expect({ ...config.limits, windowStartsMax: 0, windowMs: 0, poolPressureMax: 0 }).toEqual({
          ...DEFAULT_LIMITS,
          windowStartsMax: 0,
          windowMs: 0,
          poolPressureMax: 0,
        });
        expect(config.acceptedRisks).toEqual([]);
        const times = [config.escalation.repeatEveryMs, config.escalation.upstreamAfterMs, config.journal.keepMs];
        const looks = config.channels.flatMap(({ output, source }) => [
          output?.everyMs,
          output?.stallAfterMs,
          source?.everyMs,
        ]);
        for (const ms of [...times, ...looks, ...config.engines.map(({ poll }) => poll)]) {
          if (ms !== undefined) expect(Number.isSafeInteger(ms) && ms > 0 && ms <= 365 * 86_400_000).toBe(true);
        }
        if (config.phase >= 2) expect(config.receivers.length).toBeGreaterThan(0);
      }
    },
  );
});
