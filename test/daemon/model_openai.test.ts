import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { ModelTurn } from '../support/model_server.ts';
import { type OpenAiServer, openAiServer } from '../support/openai_server.ts';
import { openModelRig } from '../support/model_rig.ts';
import { type Daemon, type Rig, until } from '../support/rig.ts';
import { closeServersAfterAll } from '../support/servers.ts';

closeServersAfterAll();

const DEADLINE_MS = 1_500;
const EVIDENCE = '"evidence_ids":["s1"],"because_code":"evidence_fits_tool"';
/** What a hostile server does, the channel that it does it to, and how the answer is counted. */
const MISDEEDS: readonly (readonly [string, ModelTurn, string])[] = [
  ['hangs', { does: 'hang' }, 'deadline'],
  ['misshapes', { text: '{"action":"restart_channel","target":"channel:misshapes"}' }, 'wrong_shape'],
  ['invents', { text: `{"choice":42,${EVIDENCE}}` }, 'unknown_choice'],
  ['lacks', { status: 404, error: 'The model `qwen3-8b` does not exist', code: 'model_not_found' }, 'model_not_found'],
];

describe('the daemon with a model behind an OpenAI-compatible server', { timeout: 180_000 }, () => {
  let rig: Rig;
  let daemon: Daemon;
  let server: OpenAiServer;
  const channels = MISDEEDS.map(([name]) => name);
  const rejected = async (reason: string): Promise<number> => {
    const headers = { authorization: `Bearer ${daemon.token}` };
    const text = await (await fetch(`${daemon.url}/metrics`, { headers })).text();
    return Number(new RegExp(`^reeve_plan_rejections_total\\{reason="${reason}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  };
  /** Until the channel was started again and plays; how long that took. */
  const cured = async (channel: string): Promise<number> => {
    const startedMs = systemClock.monotonicMs();
    rig.die(channel);
    await until(`${channel} is started again`, () => rig.invocations(channel) > 0 && rig.isPlaying(channel));
    return systemClock.monotonicMs() - startedMs;
  };
  /** What was asked of the engine for that channel, in order. */
  const callsOn = async (channel: string): Promise<readonly string[]> =>
    (await rig.journal()).flatMap(({ fact }) =>
      fact.type === 'tool.started' && fact.permit?.call.target.id === channel ? [fact.permit.call.tool] : [],
    );

  beforeAll(async () => {
    server = await openAiServer();
    const options = { channels, kind: 'openai', url: server.url, model: 'qwen3-8b', deadlineMs: DEADLINE_MS } as const;
    ({ rig, daemon } = await openModelRig(options));
  }, 240_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  it.each(MISDEEDS)('does what the rules alone would do when the server %s', async (channel, turn, reason) => {
    server.answer = () => turn;
    const [before, asked] = [await rejected(reason), server.asked.length];
    const tookMs = await cured(channel);
    expect(server.asked.length).toBeGreaterThan(asked);
    expect(await rejected(reason)).toBeGreaterThan(before);
    expect(tookMs).toBeLessThan(DEADLINE_MS + 10_000);
    expect(await callsOn(channel)).toContain('restart_channel');
    expect(rig.invocations(channel)).toBe(1);
  });
});
