import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { backtestFiles } from '../../src/app/backtest.ts';
import { policyTestFiles } from '../../src/app/policy_tests.ts';
import { backtest } from '../../src/backtest/run.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { at, ndjson, ORDER, recorded } from './support.ts';

const DIES = 30;
const OUT_S = 180;

/** Two encoders end with the Icecast that they publish to; its status page says each second whether it is there. */
function samplesOf(isServerBackAt: number, until: number): readonly object[] {
  return Array.from({ length: until }, (_, second) => second).flatMap((second) =>
    ['jazz', 'rock'].flatMap((channel) => {
      const base = { at: at(second), channel };
      const isUp = second < DIES || second >= isServerBackAt;
      const ended = second >= DIES ? { state: 'exited', exit_code: 1 } : { state: 'running', cpu_ms: second * 100 };
      const page = isUp ? { failure: 'not_listed' } : { failure: 'refused', server_failed: true };
      return [
        { kind: 'process', ...base, engine: 'local', generation: `${channel}:1`, ...ended },
        { kind: 'reach', ...base, ok: second < DIES, ...(second < DIES ? {} : page) },
      ];
    }),
  );
}

it('starts nothing before the server answers that its channels publish to, as the daemon does', async () => {
  const backAt = DIES + OUT_S;
  const refused = (channel: string) =>
    `${new Date(at(DIES - 1)).toISOString()} icecast://127.0.0.1:8000/${channel}.mp3: Connection refused\n`;
  const [samples, jazz, rock, config] = recorded({
    'samples.ndjson': ndjson(samplesOf(backAt, backAt + 60)),
    'jazz.err': refused('jazz'),
    'rock.err': refused('rock'),
    'reeve.yaml': [
      'version: 1',
      'engines: [{ id: local, kind: supervisor, socket: /run/nowhere.sock }]',
      'channels:',
      '  - ids: [jazz, rock]',
      '    engine: local',
      '    group: encoders',
      '    output: { status: { kind: icecast, url: "http://127.0.0.1:8000", mount: "/{id}.mp3" } }',
      'groups: [{ id: encoders }]',
    ].join('\n'),
  });
  const tools = [...TOOL_SPECS.values()];
  const files = policyTestFiles({ tools, cwd: dirname(config!), env: {}, flags: { config: config! } });
  const { base, failures } = await backtest({ ...ORDER, samples, logs: [jazz!, rock!] }, await backtestFiles(files));
  expect(failures).toEqual([]);
  expect(base.wouldAct[0]).toMatchObject({ tool: 'restart_channel' });
  expect(base.wouldAct[0]!.at).toBeGreaterThanOrEqual(at(backAt));
});
