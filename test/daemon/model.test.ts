import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { Asked, ModelTurn } from '../support/model_server.ts';
import { type OllamaServer, ollamaServer } from '../support/ollama_server.ts';
import { openModelRig } from '../support/model_rig.ts';
import { type Daemon, type Rig, until } from '../support/rig.ts';
import { closeServersAfterAll } from '../support/servers.ts';

closeServersAfterAll();

const DEADLINE_MS = 1_500;
/**
 * What a hostile server does, the channel that it does it to, and how the answer is counted. Answers first: after as
 * many failures of a server as these its breaker is open, and it is not asked.
 */
const MISDEEDS: readonly (readonly [string, ModelTurn, string])[] = [
  ['chatters', { text: 'You should restart it.' }, 'not_json'],
  ['forges', { text: '{"choice":0,"evidence_ids":["e99"],"because_code":"too_risky"}' }, 'forged_evidence'],
  ['redirects', { does: 'redirect' }, 'redirected'],
  ['hangs', { does: 'hang' }, 'deadline'],
  ['drips', { does: 'drip' }, 'deadline'],
  ['pours', { does: 'gigabyte' }, 'too_large'],
  ['fails', { status: 500, error: 'out of memory' }, 'unreachable'],
];

/** Picks the restart, on whatever the prompt shows first. */
function restarting({ body }: Asked): ModelTurn {
  const [{ content }] = body.messages as [{ content: string }];
  const choice = Number(/^(\d+): restart_channel /m.exec(content)?.[1] ?? 99);
  const id = /^([se]\d+): /m.exec(content)?.[1] ?? 'e1';
  return {
    text: JSON.stringify({ choice, evidence_ids: [id], because_code: 'evidence_fits_tool' }),
    promptTokens: 700,
  };
}

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

describe('the daemon with a model that goes before the rules', { timeout: 180_000 }, () => {
  let rig: Rig;
  let daemon: Daemon;
  let server: OllamaServer;
  const channels = ['good', 'asked', ...MISDEEDS.map(([name]) => name)];
  const metric = async (line: RegExp): Promise<number> => {
    const text = await (
      await fetch(`${daemon.url}/metrics`, { headers: { authorization: `Bearer ${daemon.token}` } })
    ).text();
    return Number(line.exec(text)?.[1] ?? 0);
  };
  /** Until the channel was started again and plays; how long that took. */
  const cured = async (channel: string): Promise<number> => {
    const before = rig.invocations(channel);
    const startedMs = systemClock.monotonicMs();
    rig.die(channel);
    await until(`${channel} is started again`, () => rig.invocations(channel) > before && rig.isPlaying(channel));
    return systemClock.monotonicMs() - startedMs;
  };

  beforeAll(async () => {
    server = await ollamaServer({ answer: restarting });
    const options = { channels, kind: 'ollama', url: server.url, model: 'qwen3:8b', deadlineMs: DEADLINE_MS } as const;
    ({ rig, daemon } = await openModelRig(options));
  }, 240_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  it('does what the model chose, verifies it, counts it, and proposes a rule of it', async () => {
    await cured('good');
    await until('it is verified', async () =>
      (await rig.journal()).some(({ fact }) => fact.type === 'attempt.verified'),
    );
    expect(await metric(/^reeve_planner_decisions_total\{by="model"\} (\d+)/m)).toBe(1);
    expect(await metric(/^reeve_llm_tokens_total\{purpose="plan",direction="prompt"\} (\d+)/m)).toBe(700);
    await until('a rule is proposed', () => readdirSync(`${rig.state}/proposals/rules`).length === 1);
    await until('the share is reported', async () => (await metric(/^reeve_llm_needed_ratio (\d+)/m)) === 1);
    const { code, stdout } = await rig.reeve('audit', 'plans', '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, ok: true, plans: 1, bad: [] });
  });

  it('sends the model no host, no path, and of a log no text but that of the pattern that fits', () => {
    const prompts = server.asked.map(({ body }) => JSON.stringify(body));
    expect(prompts.length).toBeGreaterThan(0);
    for (const prompt of prompts) {
      expect(prompt).toMatch(/e\d: log: rig_ended: <str> the encoder of <str> has ended/);
      expect(prompt).not.toContain(rig.dir);
      expect(prompt).not.toContain('127.0.0.1');
    }
  });

  it('shows with `reeve prompt` what a model would be sent about the open incident, with its choices', async () => {
    interface AskedPrompt {
      readonly id: string;
      readonly prompt: string | null;
      readonly choices: readonly { readonly index: number; readonly tool: string }[];
    }
    const seen: AskedPrompt[] = [];
    rig.die('asked');
    await until('an incident is open', async () => {
      seen.push(await daemon.get<AskedPrompt>('/api/v1/prompt/asked'));
      return seen.at(-1)!.prompt !== null;
    });
    const { prompt, choices } = seen.at(-1)!;
    expect(prompt).toMatch(/^A streaming channel is in trouble\.[\s\S]*channel_id: asked\n/);
    for (const { index, tool } of choices) expect(prompt).toContain(`\n${index}: ${tool} `);
    const { code, stdout } = await rig.reeve('prompt', 'asked', '--json');
    expect([code, (JSON.parse(stdout) as AskedPrompt).id]).toEqual([0, 'asked']);
    await until('it is started again', () => rig.isPlaying('asked'));
  });

  it('shows a person the same choices', async () => {
    const { choices } = await daemon.get<{ choices: { tool: string; target: string }[] }>('/api/v1/why/hangs');
    expect(choices.map(({ tool }) => tool)).toEqual(['get_channel_health', 'wait', 'stop', 'escalate']);
  });

  it.each(MISDEEDS)('decides as with rules alone when the server %s', async (channel, turn, reason) => {
    server.answer = () => turn;
    const counted = new RegExp(`^reeve_plan_rejections_total\\{reason="${reason}"\\} (\\d+)`, 'm');
    const before = { rejected: await metric(counted), rss: rssOf(daemon.child.pid!) };
    const tookMs = await cured(channel);
    expect(await metric(counted)).toBe(before.rejected + 1);
    expect(tookMs).toBeLessThan(DEADLINE_MS + 10_000);
    expect(rssOf(daemon.child.pid!) - before.rss).toBeLessThan(20 * 1_024 * 1_024);
  });
});
