import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkAll, formatProblem } from '../../src/config/check.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type FoundManager, findManagers } from '../../src/config/find_managers.ts';
import type { FoundSupervisor } from '../../src/config/find_supervisor.ts';
import { init, starterFiles } from '../../src/config/init.ts';
import { withShortFiles } from '../support/limited_process.ts';
import { aFolder, TOOLS, writeInto } from './support.ts';

const FOUND: FoundSupervisor = {
  from: '/etc/supervisor/supervisord.conf',
  socket: '/run/supervisor.sock',
  url: undefined,
  username: undefined,
  logFile: '/var/log/supervisor/supervisord.log',
  programs: ['news', '7', 'true', 'a b', 'fleet'],
};

async function listening(path: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(path === '' ? { port: 0, host: '127.0.0.1' } : { path }, done));
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('init', () => {
  it.each([
    ['a socket', FOUND],
    [
      'a url with a user',
      { ...FOUND, socket: undefined, url: 'http://127.0.0.1:9001/RPC2', username: 'admin', logFile: undefined },
    ],
    ['no programs', { ...FOUND, programs: [] }],
  ])('writes a configuration that is sound as it stands: %s', async (_, found) => {
    const folder = aFolder();
    const { written, kept } = await init(folder, found);
    expect(written).toEqual([
      'config/reeve.yaml',
      'config/schemas/persona.schema.json',
      'config/schemas/config.schema.json',
      'config/schemas/rule.schema.json',
      'config/schemas/action.schema.json',
      'config/schemas/policy.schema.json',
      'test/policy/example.yaml',
    ]);
    expect(kept).toEqual([]);
    const env = { SUPERVISOR_PASSWORD: 'x' };
    expect(checkAll({ files: [], cwd: folder, env, tools: TOOLS }).map(formatProblem)).toEqual([]);
    const { config } = loadConfig({ cwd: folder, env });
    expect(config?.engines[0]).toMatchObject({ id: 'local', kind: 'supervisor' });
    expect(config?.channels.map(({ id }) => id)).toEqual(found.programs.length === 0 ? [] : ['news', '7', 'true']);
    expect(config?.phase).toBe(0);
  });

  it('writes the shipped starter where nothing is found', () => {
    const shipped = readFileSync(join(import.meta.dirname, '../../config/reeve.yaml'), 'utf8');
    expect(starterFiles(undefined)[0]).toEqual({ path: 'config/reeve.yaml', text: shipped });
    expect(starterFiles(FOUND)[0]?.text).not.toBe(shipped);
  });

  it('beside a supervisor without programs writes channels that are sound once their # is taken away', () => {
    const folder = aFolder();
    const [file] = starterFiles({ ...FOUND, programs: [] });
    const text = file!.text.replace('channels: []\n', '');
    const [from, until] = [text.indexOf('# channels:'), text.indexOf('# Persona and first phase for a whole group')];
    const part = text
      .slice(from, until)
      .replace(/^# /gm, '')
      .replace(/^( *)# (?=logs|output)/gm, '$1');
    writeInto(folder, file!.path, text.slice(0, from) + part + text.slice(until));
    expect(checkAll({ files: [], cwd: folder, env: {}, tools: TOOLS }).map(formatProblem)).toEqual([]);
    expect(loadConfig({ cwd: folder, env: {} }).config?.channels.map(({ id }) => id)).toEqual(['news', 'sport']);
  });

  it.each<[string, FoundSupervisor | undefined, readonly string[]]>([
    ['nothing else', undefined, ['docker', 'systemd']],
    ['a supervisor', FOUND, ['supervisor']],
  ])('beside %s writes Docker and systemd so that it is sound as it stands', async (_, supervisor, kinds) => {
    const folder = aFolder();
    const places = { systemd: folder, dockerSockets: [join(folder, 'no.sock'), join(folder, 'docker.sock')] };
    await listening(join(folder, 'docker.sock'));
    const managers = findManagers(places);
    expect(managers.map(({ kind }) => kind)).toEqual(['docker', 'systemd']);
    for (const { path, text } of starterFiles(supervisor, managers)) writeInto(folder, path, text);
    const env = { SUPERVISOR_PASSWORD: 'x' };
    expect(checkAll({ files: [], cwd: folder, env, tools: TOOLS }).map(formatProblem)).toEqual([]);
    const { config } = loadConfig({ cwd: folder, env });
    expect(config?.engines.map(({ kind }) => kind)).toEqual(kinds);
    const text = readFileSync(join(folder, 'config/reeve.yaml'), 'utf8');
    expect(text).toMatch(/docker was found/);
    expect(text).toMatch(/systemd was found/);
  });

  it.each<[string, FoundSupervisor | undefined, readonly FoundManager['kind'][]]>([
    ['Docker', undefined, ['docker']],
    ['systemd', undefined, ['systemd']],
    ['both', undefined, ['docker', 'systemd']],
    ['a supervisor', FOUND, ['systemd']],
  ])('has every example below the channels right where %s was found', (_, supervisor, kinds) => {
    const managers = kinds.map((kind) => ({ kind, from: 'a look', socket: '/run/docker.sock' }));
    const [file] = starterFiles(supervisor, managers);
    const [head, rest = ''] = file!.text.split('# Persona and first phase for a whole group of channels.\n');
    const uncommented = /^# (?=channels:| +- ids| +(?:engine|name|group|output):)|(?<=^ {4})# (?=(?:group|output):)/gm;
    const channels = head!.replace('channels: []\n', '').replace(uncommented, '');
    const sources = rest.replace(/^# (?=groups:|sources:| +- \{ id: (?:encoders|nginx))/gm, '');
    const folder = aFolder();
    writeInto(folder, file!.path, channels + sources);
    const env = { SUPERVISOR_PASSWORD: 'x' };
    expect(checkAll({ files: [], cwd: folder, env, tools: TOOLS }).map(formatProblem)).toEqual([]);
    const { config } = loadConfig({ cwd: folder, env });
    expect(config?.groups.map(({ id }) => id)).toEqual(['encoders']);
    expect(config?.sources.map(({ id }) => id)).toEqual(['nginx']);
  });

  it('finds neither Docker nor systemd where there is none', () => {
    const folder = aFolder({ 'docker.sock': 'a file' });
    const places = { systemd: join(folder, 'no'), dockerSockets: [join(folder, 'docker.sock')] };
    expect(findManagers(places)).toEqual([]);
  });

  it('never touches a file that exists', async () => {
    const folder = aFolder({ 'config/reeve.yaml': 'mine' });
    const { written, kept } = await init(folder, FOUND);
    expect(kept).toEqual(['config/reeve.yaml']);
    expect(written).not.toContain('config/reeve.yaml');
    expect(readFileSync(join(folder, 'config/reeve.yaml'), 'utf8')).toBe('mine');
    expect((await init(folder, FOUND)).written).toEqual([]);
  });

  it('leaves no part of a file where the disk takes only a part: the next one would keep it as it is', () => {
    const directory = aFolder();
    const { stdout } = withShortFiles(
      { init: 'src/config/init.ts' },
      `try { await init(${JSON.stringify(directory)}); } catch ({ code }) { console.log(code); }`,
    );
    expect([stdout, existsSync(join(directory, 'config/reeve.yaml'))]).toEqual(['CONFIG_INVALID\n', false]);
  });

  it('reports a directory that it may not write to', async () => {
    const folder = aFolder({ config: 'a file in the way' });
    await expect(init(folder, FOUND)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('reeve init DIR'),
    });
    const closed = aFolder({});
    // Refused whatever the rights, also to root.
    symlinkSync('config', join(closed, 'config'));
    await expect(init(closed, FOUND)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^cannot write .*reeve\.yaml: ELOOP/),
    });
  });

  it('calls nothing kept that is no file: something else stands in its way', async () => {
    const folder = aFolder({ 'config/reeve.yaml/in the way': '' });
    await expect(init(folder, FOUND)).rejects.toMatchObject({ message: expect.stringContaining('config/reeve.yaml') });
    const other = aFolder({ 'test/policy': 'a file in the way' });
    await expect(init(other, FOUND)).rejects.toMatchObject({ message: expect.stringContaining('test/policy') });
  });

  it('the shipped starter has every example right: each key uncommented is sound', () => {
    const shipped = readFileSync(join(import.meta.dirname, '../../config/reeve.yaml'), 'utf8');
    const text = shipped
      .replace(/^(engines|channels|receivers): \[\]\n/gm, '')
      .replace(/^# (?=( *- |[a-z_]+:| {2}))(?! {3,}\d watch)/gm, '')
      .replace(/^ {2}# (allowed_hosts|metrics_listen):/gm, '  $1:')
      .replace(/^ {2,}0 watch only.*\n/m, '');
    const folder = aFolder({ 'reeve.yaml': text, 'personas/x': '', 'rules/x': '', 'patterns/x': '' });
    const { problems, config } = loadConfig({
      cwd: folder,
      file: 'reeve.yaml',
      env: {
        HOOK_SECRET: 'x'.repeat(16),
        REEVE_HEARTBEAT_URL: 'https://switch.example.org/ping',
        REEVE_INGEST_TOKEN: 'x'.repeat(32),
      },
    });
    expect(problems.map(formatProblem)).toEqual([]);
    expect(config?.channels.map(({ id }) => id)).toEqual(['news', 'sport']);
    expect(config?.receivers).toHaveLength(2);
    expect(config?.limits.viewerSecondsPerHourMax).toBe(5_000);
    expect(config?.acceptedRisks).toEqual([]);
  });
});
