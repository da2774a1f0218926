import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { aFolder, ENV, FULL, loadText, MINIMAL, problemLines, writeInto } from './support.ts';

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
    expect(problemLines(problems)).toEqual([]);
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
    expect(problemLines(problems)).toEqual([
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

describe('what a configuration may not contain', () => {
  const channels = (...lines: string[]) =>
    `version: 1\nengines: [{ id: e, kind: supervisor, socket: /run/s.sock }]\nchannels:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
  const engines = (...lines: string[]) => `version: 1\nengines:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
  const SUP = 'kind: supervisor, socket: /run/s.sock';

  it.each([
    [
      'a group without channels',
      `${channels('{ id: a, engine: e, group: pull }')}groups: [{ id: pul }]\n`,
      'no channel belongs to the group pul (did you mean pull?)',
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
    ['an empty file', '', 'expected a mapping'],
    ['a list', '- version: 1\n', 'expected a mapping (lines of "key: value"), got a list'],
  ])('%s', (_, text, message) => {
    expect(problemLines(loadText(text).problems).join('\n')).toContain(message);
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
