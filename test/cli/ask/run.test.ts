import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addAskFlags, type RawFlags } from '../../../src/cli/ask/flags.ts';
import { type AskHost, type OpenBackend, runAsk } from '../../../src/cli/ask/run.ts';
import type { Cli } from '../../../src/cli/context.ts';
import { ReeveError } from '../../../src/core/errors.ts';
import type { Model, ModelAnswer } from '../../../src/core/model.ts';
import { aStamp } from '../../ask/support.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { type Script, type ScriptedModel, scriptedModel } from '../../support/scripted_model.ts';
import { closeServersAfterAll } from '../../support/servers.ts';
import { aDaemon, noDaemon } from './support.ts';

closeServersAfterAll();

interface Given {
  /** null: there is no model. */
  readonly model?: ScriptedModel | null;
  readonly lists?: Model['list'];
  readonly stdin?: string;
  readonly atTerminal?: boolean;
  readonly daemon?: Cli;
  readonly sessions?: string;
}

const answering = (script: Script = () => 'Hello?') => scriptedModel(script);

/** Runs `ask` with these flags; rejects as the command does. */
async function asked(question: string, flags: readonly string[], given: Given = {}) {
  const { model = answering(), stdin = '', atTerminal = false, daemon = noDaemon() } = given;
  const ran = { out: '', err: '', code: 0, closed: 0 };
  const cli: Cli = {
    ...{ client: daemon.client, flags: () => ({}), wantsJson: () => false, duration: () => 1_000 },
    terminal: {
      out: (text) => {
        ran.out += text;
      },
      err: (text) => {
        ran.err += text;
      },
      stdin: (async function* () {
        if (stdin !== '') yield stdin;
      })(),
      ...{ colours: false, stdinIsTerminal: atTerminal },
    },
    fail: (code) => {
      ran.code = code;
    },
  };
  const stamp = aStamp();
  const host: AskHost = {
    open: async () => {
      if (model === null) return undefined;
      const list = given.lists ?? model.list;
      const backend: OpenBackend = {
        ...{ name: 'local', model: { ...model, list }, chosen: 'scripted' },
        [Symbol.dispose]: () => {
          ran.closed += 1;
        },
      };
      return backend;
    },
    ...{ sessions: given.sessions ?? join(temporaryDirectory(), 'sessions'), redact: (text) => text },
    ...{ clock: fakeClock().clock, uuid: stamp.uuid },
  };
  await runAsk(question, addAskFlags(new Command()).parse(flags, { from: 'user' }).opts<RawFlags>(), cli, host);
  return ran;
}

describe('one question', () => {
  it('is answered on stdout behind a label, and its model is closed after the answer', async () => {
    expect(await asked('  hi  ', [])).toEqual({ out: '[Reeve]: Hello?\n', err: '', code: 0, closed: 1 });
  });

  it('closes its model where the answer fails, too', async () => {
    let closed = 0;
    const failing = answering((): ModelAnswer => ({ ok: false, failure: 'deadline', because: 'too late' }));
    const dispose = () => {
      closed += 1;
    };
    const backend = { name: 'local', model: failing, chosen: undefined, [Symbol.dispose]: dispose };
    const host = { open: async () => backend, sessions: '/nowhere', redact: String, clock: fakeClock().clock };
    const cli = { ...noDaemon(), terminal: { err: () => undefined }, duration: () => 1 } as unknown as Cli;
    const flags = addAskFlags(new Command()).parse([], { from: 'user' }).opts<RawFlags>();
    await expect(runAsk('hi', flags, cli, { ...host, uuid: aStamp().uuid })).rejects.toThrow('too late');
    expect(closed).toBe(1);
  });

  it('shows no control character of an answer, and keeps its lines', async () => {
    const { out } = await asked('hi', [], { model: answering(() => 'One?\nTwo\u001b[31m?') });
    expect(out).toMatch(/^\[Reeve\]: One\?\nTwo[^\u001b]*\?\n$/);
  });

  it('gives the label once where the answer is streamed', async () => {
    const model = answering(({ onText }) => {
      for (const piece of ['One? T', 'wo? Three?']) onText?.(piece);
      return 'One? Two? Three?';
    });
    const { out } = await asked('hi', ['-s'], { model });
    expect(out).toBe('[Reeve]: One? Two? Three?\n');
  });

  it('that no terminal gave is read from stdin, and must hold something', async () => {
    const model = answering();
    await asked('', [], { model, stdin: ' why?\n' });
    expect(model.asked[0]!.messages.at(-1)!.content).toBe('why?');
    await expect(asked('', [], { stdin: ' \n' })).rejects.toThrow('the input is empty');
    await expect(asked('', [], { atTerminal: true })).rejects.toThrow('a question was expected');
  });

  it('for a model that is named fails where no server has one', async () => {
    await expect(asked('hi', ['--model', 'ghost'], { model: null })).rejects.toThrow('no server to ask for ghost');
  });

  it('says that answers are made from data where there is no model', async () => {
    const { out, err } = await asked('hi', ['--tool', 'echo', '--tool-arg', 'text=a'], { model: null });
    expect([out, err]).toEqual(['[Reeve]: [echo:text] a\n', '[Model]: none; answers are made from data\n']);
  });

  it('contacts no server for --backend none', async () => {
    const model = answering();
    const flags = ['--backend', 'none', '--tool', 'echo', '--tool-arg', 'text=a'];
    expect(await asked('hi', flags, { model })).toMatchObject({ out: '[Reeve]: [echo:text] a\n', closed: 0 });
    expect(model.asked).toEqual([]);
  });

  it('that asks for an action shows what became of it, in JSON beside the answer', async () => {
    const { cli } = await aDaemon({
      '/api/v1/channels': { channels: [{ id: 'news' }] },
      '/api/v1/ask/proposals': { ok: true, said: 'it waits for a yes', more: { id: 'apr-3', incident: 'inc-9' } },
    });
    const text = 'it waits for a yes [apr-3, inc-9]';
    expect((await asked('restart news', [], { daemon: cli })).out).toBe(`[Reeve]: ${text}\n`);
    expect(JSON.parse((await asked('restart news', ['-j'], { daemon: cli })).out)).toMatchObject({
      ...{ content: text, model_id: 'none', cites: ['apr-3', 'inc-9'] },
      ...{ proposal: { ok: true, text }, tool_results: [] },
    });
  });

  it('has neither a proposal nor a route in JSON where there was none', async () => {
    const shown = JSON.parse((await asked('hi', ['-j'])).out) as object;
    expect([Object.hasOwn(shown, 'proposal'), Object.hasOwn(shown, 'routing')]).toEqual([false, false]);
  });
});

describe('one question a line', () => {
  it.each(['exit', 'QUIT', ' :q '])('ends with %j, and what comes after it is not asked', async (goodbye) => {
    const model = answering();
    await asked('', ['-i'], { model, stdin: `one\n\n${goodbye}\nnever\n` });
    expect(model.asked.map(({ messages }) => messages.at(-1)!.content)).toEqual(['one']);
  });

  it('begins with the question of the command line', async () => {
    const model = answering();
    await asked('first', ['-i'], { model, stdin: 'second\n' });
    expect(model.asked.map(({ messages }) => messages.at(-1)!.content)).toEqual(['first', 'second']);
  });

  it('asks for the next only where a person types', async () => {
    expect((await asked('', ['-i'], { stdin: 'one\n' })).err).toBe('');
    expect((await asked('', ['-i'], { stdin: 'one\n', atTerminal: true })).err).toBe('> > ');
  });

  it('goes on after a refused tool and after a model that failed, and says both', async () => {
    let turn = 0;
    const model = answering((): string | ModelAnswer => {
      turn += 1;
      return turn === 1 ? { ok: false, failure: 'deadline', because: 'too late' } : 'Hello?';
    });
    const ran = await asked('', ['-i', '--route'], { model, stdin: 'one\nshow the logs\ntwo\n' });
    expect(ran).toMatchObject({ code: 1, out: '[Reeve]: Hello?\n' });
    expect(ran.err).toContain('reeve: too late\n');
    expect(ran.err).toContain('reeve: refused: logs needs logs-read');
  });

  it('ends at once with what is a mistake of the program', async () => {
    const model = answering(() => Promise.reject(new TypeError('a bug')));
    await expect(asked('', ['-i'], { model, stdin: 'one\ntwo\n' })).rejects.toThrow('a bug');
    expect(model.asked).toHaveLength(1);
  });
});

describe('a conversation that is kept', () => {
  it('is not begun over one of its name, nor gone on with where there is none', async () => {
    const sessions = join(temporaryDirectory(), 'sessions');
    await asked('', ['--save-session', 'night'], { sessions, stdin: 'one\n' });
    expect(readdirSync(sessions)).toEqual(['night.json']);
    const again = asked('', ['--save-session', 'night'], { sessions, stdin: 'two\n' });
    await expect(again).rejects.toMatchObject({ hint: expect.stringContaining('--resume-session night') });
    await expect(asked('', ['--resume-session', 'day'], { sessions, stdin: 'x\n' })).rejects.toThrow(ReeveError);
  });

  it('is not kept over another one that is there, and is over its own', async () => {
    const sessions = join(temporaryDirectory(), 'sessions');
    const kept = (name: string) => readFileSync(join(sessions, `${name}.json`), 'utf8');
    for (const name of ['day', 'night']) await asked('', ['--save-session', name], { sessions, stdin: `${name}\n` });
    const before = kept('night');
    const over = asked('', ['--resume-session', 'day', '--save-session', 'night'], { sessions, stdin: 'more\n' });
    await expect(over).rejects.toThrow('there is a session night already, and it would be lost');
    expect(kept('night')).toBe(before);
    await asked('', ['--resume-session', 'day', '--save-session', 'day'], { sessions, stdin: 'more\n' });
    expect(kept('day')).toContain('more');
  });
});

describe('the lists', () => {
  it('of conversations say so where there is none, and are JSON with --json', async () => {
    expect((await asked('', ['--list-sessions'])).out).toBe('no sessions\n');
    expect(JSON.parse((await asked('', ['--list-sessions', '-j'])).out)).toEqual({ sessions: [] });
  });

  it('of tools give each with its grant and its arguments, or none', async () => {
    const lines = (await asked('', ['--list-tools'])).out.split('\n');
    expect(lines[0]).toMatch(/^tool +grant +arguments +what$/);
    expect(lines.find((line) => line.startsWith('echo '))).toMatch(/^echo +none +text /);
    expect(lines.find((line) => line.startsWith('rules '))).toMatch(/^rules +rules-read +none /);
  });

  it('of models name them, and fail where the backend says none or is not there', async () => {
    expect((await asked('', ['--list-models'])).out).toBe('scripted\n');
    await expect(asked('', ['--list-models'], { lists: async () => undefined })).rejects.toThrow('local does not say');
    await expect(asked('', ['--list-models'], { model: null })).rejects.toThrow('any backend does not say');
    const named = asked('', ['--list-models', '--backend', 'vllm'], { model: null });
    await expect(named).rejects.toThrow('vllm does not say');
  });
});
