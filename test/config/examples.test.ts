import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkAll, formatProblem } from '../../src/config/check.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { accessOf } from '../../src/core/persona.ts';
import { TOOLS } from './support.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the shipped configuration', () => {
  it('is sound as a whole, with the shipped personas and rules', () => {
    expect(checkAll({ files: [], cwd: ROOT, env: {}, tools: TOOLS }).map(formatProblem)).toEqual([]);
  });

  it('watches nothing, changes nothing and listens on loopback until it is configured otherwise', () => {
    const { configuration } = loadConfiguration({ cwd: ROOT, env: {}, tools: TOOLS });
    expect(configuration?.config).toMatchObject({
      phase: 0,
      engines: [],
      channels: [],
      http: { listen: { host: '127.0.0.1' } },
    });
  });
});

describe('config/examples/supervisor.yaml', () => {
  const file = 'config/examples/supervisor.yaml';
  const { configuration, problems } = loadConfiguration({ cwd: ROOT, file, env: { TB_WORK: '/tb' }, tools: TOOLS });

  it('is sound', () => {
    expect(problems.map(formatProblem)).toEqual([]);
  });

  it('describes every channel with its group, its log, its playlist and its own source', () => {
    const channels = configuration?.config.channels ?? [];
    const ids = ['gen', 'pull'].flatMap((kind) => [1, 2, 3, 4].map((index) => `${kind}${index}`));
    expect(channels.map(({ id }) => id)).toEqual([...ids, 'rtmp1', 'nats0', 'nats1', 'nats2', 'nats3']);
    for (const { id, logs, output, source, group } of channels.slice(0, 9)) {
      expect(logs).toEqual([`/tb/log/${id}.err`]);
      expect(output).toMatchObject({ kind: 'hls', url: `http://127.0.0.1:21000/hls/${id}/index.m3u8` });
      expect(group).toBe(id.replace(/\d$/, ''));
      const port = 21030 + Number(id.at(-1));
      expect(source?.url).toBe(id.startsWith('pull') ? `http://127.0.0.1:${port}/live/${id}.ts` : undefined);
    }
  });

  it('lets Reeve act there: phase 4 and a persona that restarts on evidence', () => {
    expect(configuration?.config.phase).toBe(4);
    for (const channel of configuration?.config.channels ?? []) {
      const persona = configuration?.personas.find(({ id }) => id === channel.persona);
      expect(persona && accessOf(persona, 'restart_channel')).toBe('require_evidence');
    }
  });

  it('reads the disk and the logs of the servers, and pages Alertmanager and the webhook', () => {
    expect(configuration?.config.engines[0]).toMatchObject({
      url: 'http://127.0.0.1:21002/RPC2',
      username: 'tb',
      host: { disks: ['/tb/hls'] },
      logs: [{ path: '/tb/log/supervisord.log' }],
    });
    expect(configuration?.config.sources.map(({ from }) => from)).toEqual([
      { kind: 'file', path: '/tb/log/nginx-error.log' },
      { kind: 'file', path: '/tb/log/icecast-error.log' },
    ]);
    expect(configuration?.config.receivers.map((each) => 'url' in each && each.url)).toEqual([
      'http://127.0.0.1:21005',
      'http://127.0.0.1:21006/webhook',
    ]);
  });

  it('takes no limit laxer than the default', () => {
    expect(configuration?.config.acceptedRisks).toEqual([]);
  });
});
