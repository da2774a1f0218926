import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Asked } from '../support/model_server.ts';
import { type OllamaServer, ollamaServer } from '../support/ollama_server.ts';
import { type Daemon, reeve, Rig, until } from '../support/rig.ts';
import { closeServersAfterAll } from '../support/servers.ts';

closeServersAfterAll();

interface Answer {
  readonly content: string;
  readonly cites: readonly string[];
  readonly uncited: number;
  readonly model_id: string;
  readonly routing?: { readonly target: string | null };
  readonly tool_results: readonly { readonly tool_name: string; readonly status: string }[];
  readonly proposal?: { readonly ok: boolean; readonly text: string };
}

/** A rule that only pages a person: the incident stays open, and nothing is done by itself. */
const RULE = `id: tell_a_person
description: A person decides about every end of a process.
classification: process_crashed
priority: 100
then:
  - escalate: true
`;

describe('reeve ask beside a running daemon', { timeout: 180_000 }, () => {
  let rig: Rig;
  let daemon: Daemon;
  let server: OllamaServer;
  let incident: string;
  const chats = (): readonly Asked[] => server.asked.filter(({ path }) => path === '/api/chat');
  const run = (...args: readonly string[]) =>
    reeve(['ask', ...args, '--config', rig.configPath, '--state', rig.state], {
      ...{ ...process.env, REEVE_SESSIONS: rig.at('sessions') },
    });
  const ask = async (...args: readonly string[]): Promise<Answer> => {
    const { stdout, stderr, code } = await run('--json', ...args);
    if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Answer;
  };
  const facts = async (type: string) => (await rig.journal()).filter(({ fact }) => fact.type === type);

  beforeAll(async () => {
    server = await ollamaServer();
    rig = await Rig.open({
      channels: ['news', 'sport'],
      config: `rules: rules
memory: { enabled: true }
models: { servers: [{ id: local, kind: ollama, url: "${server.url}" }], primary: "local/qwen3:8b" }
`,
    });
    mkdirSync(rig.at('rules'));
    writeFileSync(rig.at('rules/tell.rule.yaml'), RULE);
    daemon = await rig.run();
    const status = () =>
      daemon.get<{ channels: { healthy: boolean | null }[]; incidents: { id: string; state: string }[] }>(
        '/api/v1/status',
      );
    await until('all play', async () => (await status()).channels.every(({ healthy }) => healthy === true));
    rig.die('news');
    await until('a person was notified', async () => (await status()).incidents[0]?.state === 'escalated');
    incident = (await status()).incidents[0]!.id;
  }, 120_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  it.each([
    ['status', 'what is the status?', () => 'fleet:status'],
    ['health', 'is sport healthy?', () => 'channel:sport'],
    ['incidents', 'what happened last night?', () => incident],
    ['trace', 'tell me the story of it, step by step', () => incident],
    ['why', 'why is news dark, what caused it?', () => incident],
    ['why-not', 'why not restart_channel on news?', () => 'channel:news'],
    ['logs', 'show me the log lines of news', () => incident],
    ['pool', 'how full is the pool?', () => 'engine:local'],
    ['rules', 'which rules are there?', () => 'rule:tell_a_person'],
  ])('%s answers "%s" from data without a model, and cites what exists', async (target, question, cited) => {
    const answer = await ask('--backend', 'none', '--route', '--grant', 'read', question);
    expect(answer).toMatchObject({ model_id: 'none', uncited: 0, routing: { target } });
    expect(answer.cites).toContain(cited());
    expect(answer.content).not.toContain(rig.dir);
  });

  it('memory recalls earlier questions and actions', async () => {
    const answer = await ask('--backend', 'none', '--tool', 'memory', '--grant', 'memory-read', `what of ${incident}?`);
    expect(answer.cites).toContain(incident);
  });

  it.each(['insights', 'blind-spots'])('%s says so when there is nothing', async (tool) => {
    const { content } = await ask('--backend', 'none', '--tool', tool, '--grant', 'read', 'anything?');
    expect(content).toBe(`${tool}: there is nothing.`);
  });

  it('refuses each tool that was not granted, with 1', async () => {
    const { code, stderr } = await run('--route', '--grant', 'status-read', 'show me the logs of news');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('--grant logs-read') });
  });

  it('checks the answer of a model against what it was shown', async () => {
    server.answer = () => ({ text: `It ended [${incident}]. It was inc-999 [inc-999]. Restart it!` });
    const before = chats().length;
    const answer = await ask('--tool', 'incidents', '--grant', 'incidents-read', 'why is news dark?');
    expect(answer.content).toBe(
      `It ended [${incident}]. It was (no such id) (no such id). [uncited] Restart it! [uncited]`,
    );
    expect({ cites: answer.cites, calls: chats().length - before }).toEqual({ cites: [incident], calls: 1 });
  });

  it('is answered over HTTP, too: one question, one answer, by the model that the daemon is configured with', async () => {
    server.answer = () => ({ text: `It ended [${incident}].` });
    const before = chats().length;
    const asked = await fetch(`${daemon.url}/api/v1/ask`, {
      ...{ method: 'POST', body: JSON.stringify({ question: 'what happened last night?', grants: ['read'] }) },
      headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' },
    });
    const answer = (await asked.json()) as Answer;
    expect(answer).toMatchObject({ content: `It ended [${incident}].`, cites: [incident], model_id: 'qwen3:8b' });
    expect(answer).toMatchObject({ routing: { target: 'incidents' } });
    expect(answer.tool_results[0]).toMatchObject({ tool_name: 'incidents', status: 'ok' });
    expect(chats().length - before).toBe(1);
    const called = (await facts('model.called')).at(-1)?.fact;
    expect(called).toMatchObject({ purpose: 'ask', model: 'local/qwen3:8b' });
  });

  it('is remembered: the question, its steps and its answer are facts of the journal', async () => {
    const answered = (await facts('question.answered')).at(-1)?.fact as unknown as { cites: string[]; model: string };
    expect(answered).toMatchObject({ cites: [incident], model: 'qwen3:8b' });
    expect((await facts('task.reported')).length).toBeGreaterThanOrEqual(4);
  });

  it('goes on with a conversation whose earlier answer cited an incident that exists, and no other', async () => {
    const message = (role: string, content: string, n: number) => ({
      ...{ role, content, timestamp: 1, id: `00000000-0000-4000-8000-00000000000${n}` },
    });
    mkdirSync(rig.at('sessions'), { recursive: true });
    const messages = [message('user', 'a?', 1), message('assistant', `Yes [${incident}] and [inc-999].`, 2)];
    const session = { id: '00000000-0000-4000-8000-000000000000', created_at: 1, messages };
    writeFileSync(rig.at('sessions/night.json'), JSON.stringify(session));
    server.answer = () => ({ text: `As I said [${incident}]. Also [inc-999].` });
    const { stdout } = await run('--resume-session', 'night', '--grant', 'incidents-read', '--deadline', '20s', 'and?');
    expect(stdout).toContain(`As I said [${incident}]. Also (no such id). [uncited]`);
  });

  it('asks for a yes where a person asks for an action, does it after the yes, and keeps who it was', async () => {
    const calls = chats().length;
    const { content, proposal } = await ask('please restart news');
    expect({ ok: proposal?.ok, calls: chats().length - calls }).toEqual({ ok: true, calls: 0 });
    const id = /reeve approve (apr-\w+)/.exec(content)![1]!;
    expect(content).toContain(`[${id}, ${incident}]`);
    expect(rig.invocations('news')).toBe(0);
    expect((await rig.reeve('approve', id, '--because', 'seen')).code).toBe(0);
    await until('it was restarted once and plays', () => rig.invocations('news') === 1 && rig.isPlaying('news'));
    const plans = (await facts('plan.made')).map(({ fact }) => (fact as unknown as { plan: { by: object } }).plan.by);
    expect(plans.at(-1)).toEqual({ kind: 'operator', who: 'operator' });
  });

  it('answers what the guard would say where no incident is open', async () => {
    const { content, proposal } = await ask('restart sport');
    expect(proposal?.ok).toBe(false);
    expect(content).toMatch(/^no incident is open on sport.*\[channel:sport\]$/);
    expect(rig.invocations('sport')).toBe(0);
  });

  it('proposes nothing for what is no channel', async () => {
    expect((await ask('restart everything')).content).toMatch(/^Nothing was proposed/);
  });

  it('says what to do when no daemon answers', async () => {
    const gone = await reeve([
      'ask',
      '--backend',
      'none',
      '--tool',
      'status',
      '--grant',
      'read',
      'x',
      '--state',
      '/tmp',
    ]);
    expect(gone.code).toBe(64);
    expect(gone.stderr).toContain('no daemon has left its address');
  });
});
