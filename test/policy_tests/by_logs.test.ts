import { describe, expect, it } from 'vitest';
import { detectorOf, policyTestFiles } from '../../src/app/policy_tests.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { answerByLogs } from '../../src/policy_tests/by_logs.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { aFrame } from './support.ts';

const { personas, rules, patterns } = policyTestFiles({ tools: [...TOOL_SPECS.values()], cwd: '/', env: {} });
const createDetector = detectorOf({ patterns });
const answer = (given: object) =>
  answerByLogs(aFrame(given, {}, { personas, rules, limits: DEFAULT_LIMITS }), createDetector);
const KILLED = { process: 'exited', exit_signal: 9 };

describe('the answer to what logs and probes show', () => {
  it('is the run to its end, of what was concluded from them', async () => {
    expect(await answer({ probes: KILLED })).toMatchObject({
      ...{ classification: 'process_crashed', tools: ['restart_channel'], outcome: { kind: 'resolved' }, failures: [] },
    });
  });

  it('is no run while all is well, and no classification', async () => {
    expect(await answer({ probes: {} })).toMatchObject({ classification: undefined, plan: undefined, tools: [] });
  });

  it('takes the lines of the log into account', async () => {
    const probes = { output: 'still' };
    const logs = [
      '[https @ 0x55] HTTP error 403 Forbidden',
      'http://origin.example/a.m3u8: Server returned 403 Forbidden (access denied)',
    ];
    expect(await answer({ probes })).toMatchObject({ classification: 'output_stalled', tools: ['restart_channel'] });
    expect(await answer({ probes, logs })).toMatchObject({
      ...{ classification: 'upstream_url_expired', tools: ['invalidate_cache'] },
    });
  });

  it('calls a person where a restart helps nothing', async () => {
    const { tools, outcome } = await answer({ probes: KILLED, effect: 'unchanged' });
    expect(tools).toContain('restart_channel');
    expect(outcome).toMatchObject({ kind: 'escalated' });
  });

  it('counts what happened before the trouble', async () => {
    const freeze = { at: '5m ago', freeze: true };
    const toolsAfter = async (...history: readonly object[]) => (await answer({ probes: KILLED, history })).tools;
    expect(await toolsAfter(freeze)).toEqual([]);
    expect(await toolsAfter({ at: '2m ago', thaw: true }, freeze)).toEqual(['restart_channel']);
  });

  it('is a refusal while a storm is contained, also where its starts have left the window, and not for ever', async () => {
    const decided = async (at: string) =>
      (await answer({ probes: KILLED, history: [{ at, start: 'unknown', times: 10 }] })).decisions[0];
    expect(await decided('100s ago')).toMatchObject({ verdict: 'deny', code: 'containment' });
    expect(await decided('2h ago')).toMatchObject({ verdict: 'allow' });
  });
});
