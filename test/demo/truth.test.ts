import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { generatedChannel, pathsIn, type StagePaths } from '../../demo/channels.ts';
import { parseStates, type Supervisor } from '../../demo/supervisor.ts';
import { DOWN_AFTER_MS, startsIn, truthOf } from '../../demo/truth.ts';
import { changeIn } from '../../demo/change_recorder.ts';

describe('the truth about a channel', () => {
  let paths: StagePaths;
  beforeEach(async () => {
    paths = pathsIn(await mkdtemp(join(tmpdir(), 'reeve-truth-')));
    await mkdir(join(paths.hls, 'gen1'), { recursive: true });
  });
  afterEach(() => rm(paths.dir, { recursive: true }));

  const supervisorSaying = (state: string): Supervisor => ({
    states: async () => [{ name: 'gen1', state, pid: 7 }],
    start: async () => {},
    restart: async () => {},
    shutdown: async () => {},
  });
  async function truth(state: string, { ageMs = 0, bytes = 10 } = {}) {
    const playlist = join(paths.hls, 'gen1/index.m3u8');
    await writeFile(join(paths.hls, 'gen1/seg00001.ts'), Buffer.alloc(bytes));
    await writeFile(playlist, `#EXTM3U\n#EXTINF:2,\nseg00000.ts\n#EXTINF:2,\n${paths.hls}/gen1/seg00001.ts\n`);
    const at = (systemClock.now() - ageMs) / 1_000;
    await utimes(playlist, at, at);
    const ports = { paths, supervisor: supervisorSaying(state), clock: systemClock };
    const [found] = await truthOf([generatedChannel('gen1', false)], ports);
    return found!;
  }

  it('plays when it runs and a new segment that holds something came in time', async () => {
    expect(await truth('RUNNING', { ageMs: DOWN_AFTER_MS - 2_000 })).toMatchObject({ playing: true, pid: 7 });
  });

  it.each([
    ['its playlist is old', 'RUNNING', { ageMs: DOWN_AFTER_MS + 1 }],
    ['its newest segment is empty', 'RUNNING', { bytes: 0 }],
    ['it ended, though it wrote its playlist once more', 'EXITED', {}],
  ])('is that no output plays when %s', async (_, state, output) => {
    expect(await truth(state, output)).toMatchObject({ state, playing: false });
  });

  it('is that no output plays when there is no playlist at all', async () => {
    const ports = { paths, supervisor: supervisorSaying('RUNNING'), clock: systemClock };
    const found = await truthOf([generatedChannel('gen2', false)], ports);
    expect(found).toMatchObject([{ state: 'UNKNOWN', playing: false, playlistAgeMs: undefined }]);
  });
});

describe('counting starts in the log of the supervisor', () => {
  const log = [
    "2026-01-01 00:00:00,000 INFO spawned: 'gen1' with pid 10",
    '2026-01-01 00:00:01,000 INFO success: gen1 entered RUNNING state',
    "2026-01-01 00:00:02,000 INFO spawned: 'gen11' with pid 11",
    "2026-01-01 00:00:03,000 INFO spawned: 'gen1' with pid 12",
  ].join('\n');

  it('counts one per spawned line of exactly this channel', () => {
    expect(startsIn(log, 0, 'gen1')).toBe(2);
    expect(startsIn(log, 0, 'gen11')).toBe(1);
  });

  it('does not count what was before the mark', () => {
    expect(startsIn(log, log.indexOf('success'), 'gen1')).toBe(1);
    expect(startsIn(log, log.length, 'gen1')).toBe(0);
  });
});

describe('the record of calls to supervisor', () => {
  const call = (method: string, params: string) =>
    `<?xml version="1.0"?><methodCall><methodName>supervisor.${method}</methodName><params>${params}</params></methodCall>`;

  it.each([
    [
      'startProcess',
      '<param><value><string>gen1</string></value></param><param><value><boolean>0</boolean></value></param>',
    ],
    ['stopProcess', '<param><value>gen1</value></param>'],
    ['startProcess', '<param><value><string>gen1:gen1</string></value></param>'],
  ])('notes %s with its channel', (method, params) => {
    expect(changeIn(call(method, params))).toEqual({ method, channel: 'gen1' });
  });

  it('notes a change of everything', () => {
    expect(changeIn(call('stopAllProcesses', ''))).toEqual({ method: 'stopAllProcesses', channel: '' });
  });

  it.each(['getAllProcessInfo', 'getState', 'tailProcessStderrLog'])(
    'does not note %s, which changes nothing',
    (method) => {
      expect(changeIn(call(method, '<param><value><string>gen1</string></value></param>'))).toBeUndefined();
    },
  );
});

describe('reading what the supervisor says', () => {
  it('reads name, state and pid of each program', () => {
    const struct = (name: string, state: string, pid: number) =>
      `<value><struct><member><name>pid</name><value><int>${pid}</int></value></member>
       <member><name>name</name><value><string>${name}</string></value></member>
       <member><name>statename</name><value><string>${state}</string></value></member></struct></value>`;
    expect(parseStates(`<array>${struct('gen1', 'RUNNING', 5)}${struct('gen2', 'FATAL', 0)}</array>`)).toEqual([
      { name: 'gen1', state: 'RUNNING', pid: 5 },
      { name: 'gen2', state: 'FATAL', pid: 0 },
    ]);
  });
});
