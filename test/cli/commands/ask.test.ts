import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAskBackend } from '../../../src/app/ask.ts';
import { addAsk } from '../../../src/cli/commands/ask.ts';
import { runCli } from '../../../src/cli/program.ts';
import { redact } from '../../../src/collect/redact.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { ModelsSettings } from '../../../src/model/open.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import type { Asked, ModelTurn } from '../../support/model_server.ts';
import { ollamaServer } from '../../support/ollama_server.ts';
import { openAiServer } from '../../support/openai_server.ts';
import { closeServersAfterAll } from '../../support/servers.ts';

closeServersAfterAll();

type Kind = 'ollama' | 'openai';
interface Server {
  readonly url: string;
  readonly asked: Asked[];
  answer: (request: Asked) => ModelTurn;
}

const serverOf = (kind: Kind): Promise<Server> => (kind === 'ollama' ? ollamaServer() : openAiServer());
const settingsOf = (kind: Kind, url: string): ModelsSettings => ({
  servers: [
    {
      ...{ id: 'local', kind, url, key: undefined, keepAliveMs: 1_000 },
      price: { promptPerMillion: 0, replyPerMillion: 0 },
    },
  ],
  primary: { server: 'local', model: kind === 'ollama' ? 'qwen3:8b' : 'qwen3-8b' },
  ...{ secondary: undefined, embeddings: undefined, answerBytesMax: 262_144 },
  budget: {
    ...{ callsPerIncident: 9, tokensPerIncident: 9_999, tokensPerDay: 99_999 },
    ...{ moneyPerIncident: 1, moneyPerDay: 1 },
  },
});

interface Given {
  readonly stdin?: string;
  readonly atTerminal?: boolean;
}

/** The command line with one model server, or none, and no daemon. */
function aCli(settings: ModelsSettings | undefined) {
  const sessions = join(temporaryDirectory(), 'sessions');
  const ask = async (args: readonly string[], { stdin = '', atTerminal = false }: Given = {}) => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      out: (text: string) => void out.push(text),
      err: (text: string) => void err.push(text),
      stdin: (async function* () {
        if (stdin !== '') yield stdin;
      })(),
      ...{ colours: false, stdinIsTerminal: atTerminal },
    };
    const code = await runCli(['ask', ...args], {
      ...{ terminal, version: '0', fetch, parseDuration: (text) => Number.parseInt(text, 10) * 1_000 },
      clientOptions: () => ({ state: '/nowhere', url: undefined, token: undefined }),
      addLocal: (program, cli) =>
        addAsk(program, cli, () => ({
          open: (choice) => openAskBackend(settings, choice, systemClock),
          ...{ sessions, redact, clock: systemClock, uuid: randomUUID },
        })),
    });
    return { code, out: out.join(''), err: err.join('') };
  };
  return { ask, sessions };
}

const messagesOf = ({ body }: Asked) => body.messages as readonly { role: string; content: string }[];
const chats = ({ asked }: Server) =>
  asked.filter(({ path }) => path.endsWith('/chat') || path.endsWith('/completions'));

describe.each<Kind>(['ollama', 'openai'])('Execution Modes, asked of a server that speaks %s', (kind) => {
  const open = async (text = 'Hello [inc-7].') => {
    const server = await serverOf(kind);
    server.answer = () => ({ text, promptTokens: 250, replyTokens: 3 });
    return { server, ...aCli(settingsOf(kind, server.url)) };
  };

  it('single turn: one call, one answer, metadata hidden', async () => {
    const { server, ask } = await open();
    expect(await ask(['how', 'are you'])).toEqual({
      code: 0,
      out: '[Reeve]: Hello (no such id). [uncited]\n',
      err: '',
    });
    expect(chats(server)).toHaveLength(1);
    expect(messagesOf(chats(server)[0]!).map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('--verbose shows what it cost', async () => {
    const { ask } = await open();
    const { out } = await ask(['hi', '-v']);
    const shown = JSON.parse(/\[Metadata\]: (.*)/.exec(out)![1]!) as object;
    expect(shown).toMatchObject({ eval_count: 3, prompt_eval_count: 250, uncited: 1, cites: [] });
    if (kind === 'ollama')
      expect(shown).toMatchObject({ eval_duration: 4_535_599_000, prompt_eval_duration: 342_546_000 });
  });

  it('the question may come on stdin', async () => {
    const { server, ask } = await open();
    expect((await ask([], { stdin: 'why?\n' })).code).toBe(0);
    expect(messagesOf(chats(server)[0]!).at(-1)).toEqual({ role: 'user', content: 'why?' });
  });

  it('--stream gives the same text', async () => {
    const { ask } = await open('One. Two? Three.');
    const [whole, streamed] = [await ask(['hi']), await ask(['hi', '-s'])];
    expect(streamed.out).toBe(whole.out);
  });

  it('--json is one document', async () => {
    const { ask } = await open();
    const { out } = await ask(['-j', 'hi']);
    expect(JSON.parse(out)).toMatchObject({
      content: 'Hello (no such id). [uncited]',
      metadata: { eval_count: 3 },
      uncited: 1,
    });
  });

  it('-i keeps turns apart, -c lets them add up, and neither keeps a file', async () => {
    const { server, ask, sessions } = await open();
    const lines = 'one\ntwo\nquit\nnever\n';
    await ask(['-i'], { stdin: lines });
    await ask(['-c'], { stdin: lines });
    expect(chats(server).map((asked) => messagesOf(asked).length)).toEqual([2, 2, 2, 4]);
    expect(messagesOf(chats(server)[3]!).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(existsSync(sessions)).toBe(false);
  });

  it('--save-session keeps each turn at once, --resume-session goes on, and alone it saves nothing', async () => {
    const { server, ask, sessions } = await open();
    const kept = () =>
      JSON.parse(readFileSync(join(sessions, 'night.json'), 'utf8')) as { id: string; messages: unknown[] };
    let during = 0;
    server.answer = () => {
      if (existsSync(join(sessions, 'night.json'))) during = kept().messages.length;
      return { text: 'Yes?' };
    };
    await ask(['--save-session', 'night'], { stdin: 'one\ntwo\n' });
    expect(during).toBe(2);
    const { id } = kept();
    await ask(['--resume-session', 'night'], { stdin: 'three\n' });
    expect(messagesOf(chats(server).at(-1)!).map(({ content }) => content)).toContain('two');
    expect(kept().messages).toHaveLength(4);
    await ask(['--resume-session', 'night', '--save-session', 'night'], { stdin: 'four\n' });
    expect(kept()).toMatchObject({ id });
    expect(kept().messages).toHaveLength(6);
    expect((await ask(['--list-sessions'])).out).toBe('night\n');
    const again = await ask(['--save-session', 'night'], { stdin: 'x\n' });
    expect(again).toMatchObject({ code: 64, err: expect.stringContaining('--resume-session night') });
  });

  it('--tool runs before the call, and its result is of that turn alone', async () => {
    const { server, ask } = await open('It says so [echo:text].');
    const { out } = await ask(['-c', '--tool', 'echo', '--tool-arg', 'text=a=b [inc-9]'], { stdin: 'one\ntwo\n' });
    expect(out).toBe('[Reeve]: It says so [echo:text].\n[Reeve]: It says so [echo:text].\n');
    const second = messagesOf(chats(server)[1]!);
    expect(second.filter(({ content }) => content.includes('[echo:text] a=b (inc-9)'))).toHaveLength(1);
    expect(second[1]!.content).toMatch(/^Data from the tool echo/);
  });

  it('--route says on stderr what it chose, and in JSON', async () => {
    const { ask } = await open();
    const { out, err } = await ask(['--json', '--route', 'echo this']);
    expect(err).toContain('[Routing]: echo (0.5, it says "echo")');
    expect(JSON.parse(out)).toMatchObject({
      routing: { target: 'echo', target_type: 'tool', confidence: 0.5, reasoning: 'it says "echo"' },
    });
    const above = await ask(['--json', '--route', '--route-threshold', '0.6', 'echo this']);
    expect(above.err).toContain('[Routing]: fallback, nothing is looked up');
    expect(JSON.parse(above.out)).toMatchObject({ routing: { target: null, target_type: 'fallback' } });
  });

  it('a gate that refuses ends with 1, and no model is asked', async () => {
    const { server, ask } = await open();
    const { code, err } = await ask(['why?', '--tool', 'logs', '--grant', 'status-read']);
    expect({ code, err }).toEqual({ code: 1, err: 'reeve: refused: logs needs logs-read: give --grant logs-read\n' });
    expect((await ask(['--route', 'why?'])).code).toBe(1);
    expect(chats(server)).toEqual([]);
  });

  it('--list-models, --model, and a model chosen by itself that is none for vectors', async () => {
    const { server, ask } = await open();
    const names = kind === 'ollama' ? ['qwen3:8b', 'nomic-embed-text:latest'] : ['qwen3-8b', 'text-embed'];
    expect((await ask(['--list-models'])).out).toBe(`${names.join('\n')}\n`);
    await ask(['hi', '--model', `local/${names[0]}`]);
    expect(chats(server)[0]!.body.model).toBe(names[0]);
    expect((await ask(['hi', '--model', 'ghost'])).code).toBe(69);
    using found = await openAskBackend(
      { ...settingsOf(kind, server.url), primary: { server: 'elsewhere', model: 'x' } },
      { backend: 'local', model: undefined },
      systemClock,
    );
    expect(found?.chosen).toBe(names[0]);
  });

  it.each<[string, ModelTurn]>([
    ['redirects', { does: 'redirect' }],
    ['breaks off', { does: 'break_off' }],
    ['pours', { does: 'gigabyte' }],
    ['calls a tool', { text: 'x', toolCalls: [{ name: 'restart_channel', arguments: {} }] }],
    ['fails', { status: 500, error: 'no' }],
  ])('a server that %s gives an error and no answer, and the conversation goes on without it', async (_, turn) => {
    const { server, ask, sessions } = await open();
    server.answer = () => turn;
    const { code, out } = await ask(['hi']);
    expect({ failed: code !== 0 && code !== 70, out }).toEqual({ failed: true, out: '' });
    await ask(['--save-session', 'x'], { stdin: 'one\n' });
    expect(existsSync(sessions)).toBe(false);
  });
});

describe('flags that do not go together', () => {
  it.each([
    ['-i', '-c'],
    ['-i', '--save-session x'],
    ['-i', '--resume-session x'],
    ['--json', '--stream'],
    ['--json', '-i'],
    ['--json', '-c'],
    ['--json', '--save-session x'],
    ['--route', '--tool echo'],
    ['--tool-arg a=b', ''],
    ['--route-threshold 0.4', ''],
    ['--route', '--route-threshold 1.1'],
    ['--tool echo', '--tool-arg nonsense'],
    ['--tool echo', '--tool-arg other=1'],
    ['--tool ghost', '--grant read'],
    ['--grant shell', ''],
    ['--grant filesystem-read', ''],
    ['--resume-session ghost', ''],
    ['--backend ghost', ''],
    ['--context 5', ''],
  ])('%s %s is refused with 64 and a reason', async (a, b) => {
    const { ask } = aCli(undefined);
    const args = ['hi', ...a.split(' '), ...b.split(' ').filter((arg) => arg !== '')];
    const { code, out, err } = await ask(args.includes('--backend') ? args : [...args, '--backend', 'none']);
    expect({ code, out }).toEqual({ code: 64, out: '' });
    expect(err).toMatch(/^reeve: \S/);
  });

  it('no question at a terminal is an error, and so is an empty input', async () => {
    const { ask } = aCli(undefined);
    expect((await ask(['--backend', 'none'], { atTerminal: true })).code).toBe(64);
    expect((await ask(['--backend', 'none'])).code).toBe(64);
  });
});

describe('without a model', () => {
  it('answers from what was looked up, each line with its id', async () => {
    const { ask } = aCli(undefined);
    const { code, out } = await ask(['--backend', 'none', '--route', 'echo this', '--json']);
    expect({ code, answer: JSON.parse(out) }).toMatchObject({
      code: 0,
      answer: { content: '[echo:text] ', model_id: 'none', uncited: 0, cites: ['echo:text'] },
    });
  });

  it('says what to do where nothing was looked up', async () => {
    const { ask } = aCli(undefined);
    const { code, err } = await ask(['--backend', 'none', 'hello']);
    expect(code).toBe(69);
    expect(err).toContain('--route --grant read');
  });

  it('lists what can be looked up and which grant it needs', async () => {
    const { ask } = aCli(undefined);
    const { tools } = JSON.parse((await ask(['--list-tools', '--json'])).out) as {
      tools: { name: string; required_permissions: string[] }[];
    };
    expect(tools.map(({ name }) => name)).toEqual([
      ...['echo', 'status', 'health', 'incidents', 'trace', 'why', 'why-not', 'logs', 'pool', 'insights', 'memory'],
      ...['rules', 'blind-spots'],
    ]);
    expect(tools.filter(({ required_permissions }) => required_permissions.length === 0)).toHaveLength(1);
    expect(
      tools.flatMap(({ required_permissions }) => required_permissions).every((each) => each.endsWith('-read')),
    ).toBe(true);
  });
});
