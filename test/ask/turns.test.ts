import { describe, expect, it } from 'vitest';
import { Ask } from '../../src/ask/engine.ts';
import { GateError } from '../../src/ask/gate.ts';
import type { Permission, Tool } from '../../src/ask/tool.ts';
import type { Proposed } from '../../src/ask/proposal.ts';
import { toolNamed, type TurnDeps, Turns } from '../../src/ask/turns.ts';
import { ReeveError } from '../../src/core/errors.ts';
import { aStamp, aTool, Scripted } from './support.ts';
import { aSession, flagsOf, gateOf } from '../cli/ask/support.ts';

interface Given {
  readonly flags?: readonly string[];
  readonly grants?: readonly Permission[];
  /** What the model says; null: there is none. */
  readonly says?: string | Error | null;
  readonly tools?: readonly Tool[];
  readonly recalled?: readonly { readonly id: string; readonly text: string }[] | undefined;
  readonly proposed?: Proposed;
  readonly deps?: Partial<TurnDeps>;
}

const redact = (text: string) => text.replaceAll('s3cret', '[redacted]');

/** Turns with a daemon that records, and everything that it and a person hear. */
function turnsWith({ flags = [], grants = ['logs-read'], says = 'Yes [inc-81].', ...given }: Given = {}) {
  const stamp = aStamp();
  const reasoner = says === null ? undefined : new Scripted(says);
  const ended: unknown[] = [];
  const notes: string[] = [];
  let begun = 0;
  const turns = new Turns({
    ...{ flags: flagsOf(...flags), gate: gateOf(...grants), stamp, redact },
    tools: new Map((given.tools ?? [aTool()]).map((tool) => [tool.name, tool])),
    ask: reasoner && new Ask(reasoner, { stamp, redact }),
    propose: async () => given.proposed,
    begin: async () => {
      begun += 1;
      if ('recalled' in given && given.recalled === undefined) return undefined;
      return { recalled: given.recalled ?? [], end: async (answer) => void ended.push(answer) };
    },
    stillKnown: async () => [],
    newestOf: ({ messages }) => messages,
    note: (text) => void notes.push(text),
    ...given.deps,
  });
  return { turns, ended, notes, asked: () => reasoner?.asked ?? [], begun: () => begun };
}

describe('a turn', () => {
  it('asks the model once, and records its answer with what it cites and who said it', async () => {
    const { turns, ended, asked } = turnsWith({ flags: ['--tool', 'logs'] });
    const result = await turns.take('what happened?', undefined);
    expect(result).toMatchObject({ response: { content: 'Yes [inc-81].', model_id: 'scripted' }, uncited: 0 });
    expect(result.toolResults.map(({ tool_name }) => tool_name)).toEqual(['logs']);
    expect(asked()).toHaveLength(1);
    expect(ended).toEqual([{ text: 'Yes [inc-81].', cites: ['inc-81'], model: 'scripted', ok: true }]);
  });

  it('looks nothing up where neither a tool nor a route is given', async () => {
    const { turns, asked } = turnsWith({ says: 'Hello?' });
    expect(await turns.take('logs', undefined)).toMatchObject({ routing: undefined, toolResults: [] });
    expect(asked()[0]!.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('is not recorded, asked or looked up where the tool was not granted', async () => {
    const { turns, asked, begun } = turnsWith({ flags: ['--tool', 'logs'], grants: ['pool-read'] });
    await expect(turns.take('what happened?', undefined)).rejects.toThrow(GateError);
    expect([asked().length, begun()]).toEqual([0, 0]);
  });

  it('that the model fails is recorded as failed, and the failure is what people see', async () => {
    const { turns, ended } = turnsWith({ says: new ReeveError('TIMED_OUT', 'too late') });
    await expect(turns.take('hi', undefined)).rejects.toThrow('too late');
    expect(ended).toEqual([{ text: '', cites: [], model: undefined, ok: false }]);
  });

  it('goes on where the daemon records nothing', async () => {
    const { turns } = turnsWith({ says: 'Hello?', recalled: undefined });
    expect((await turns.take('hi', undefined)).response.content).toBe('Hello?');
  });

  it('knows the ids of earlier answers only within a conversation', async () => {
    const { turns } = turnsWith({ says: 'As [inc-5] says.', deps: { stillKnown: async () => ['inc-5'] } });
    expect((await turns.take('and?', aSession('why?', '[inc-5]'))).cites).toEqual(['inc-5']);
    expect((await turns.take('and?', undefined)).cites).toEqual([]);
  });

  it('sends of a conversation what still fits beside what was looked up', async () => {
    const heard: string[] = [];
    const newestOf: TurnDeps['newestOf'] = ({ messages }, incoming) => {
      heard.push(...incoming);
      return messages.slice(2);
    };
    const { turns, asked } = turnsWith({ flags: ['--tool', 'logs'], deps: { newestOf } });
    await turns.take('and?', aSession('q1', 'a1', 'q2', 'a2'));
    expect(heard).toEqual([expect.stringContaining('[inc-81] news was down'), 'and?']);
    expect(
      asked()[0]!
        .map(({ content }) => content)
        .slice(2),
    ).toEqual(['q2', 'a2', 'and?']);
  });
});

describe('the route of a question', () => {
  const routed = ['--route', '--route-threshold', '0.5'];

  it('is shown to people, in full only with --verbose', async () => {
    const { turns, notes } = turnsWith({ flags: routed });
    expect((await turns.take('show the logs', undefined)).routing).toMatchObject({ target: 'logs' });
    const verbose = turnsWith({ flags: [...routed, '-v'] });
    await verbose.turns.take('show the logs', undefined);
    expect(notes).toEqual(['[Routing]: logs (0.5, it says "logs")']);
    expect(verbose.notes[0]).toMatch(/^\[Routing\]: logs \(0\.5, it says "logs"\) \{"target_type":"tool"/);
  });

  it('that leads nowhere looks nothing up, and says so', async () => {
    const { turns, notes } = turnsWith({ flags: routed, says: 'Hello?' });
    expect((await turns.take('good morning', undefined)).toolResults).toEqual([]);
    expect(notes).toEqual(['[Routing]: fallback, nothing is looked up (no hint fits)']);
  });

  it('gives the memory the question itself, unless another was given', async () => {
    const args: unknown[] = [];
    const memory = aTool({
      ...{ name: 'memory', args: ['question'] },
      run: async (given) => {
        args.push(given);
        return [{ id: 'inc-81', text: 'before' }];
      },
    });
    const flags = ['--tool', 'memory'];
    await turnsWith({ flags, tools: [memory] }).turns.take('ever before?', undefined);
    const named = [...flags, '--tool-arg', 'question=other'];
    await turnsWith({ flags: named, tools: [memory] }).turns.take('ever before?', undefined);
    expect(args).toEqual([{ question: 'ever before?' }, { question: 'other' }]);
  });
});

describe('what the memory recalls', () => {
  const recalled = [{ id: 'ins-1', text: 'a restart helped' }];

  it('is shown to the model as a result of the turn, with the grant to read the memory', async () => {
    const { turns, asked } = turnsWith({ grants: ['memory-read'], says: 'It helped [ins-1].', recalled });
    const { cites, toolResults } = await turns.take('what helps?', undefined);
    expect(cites).toEqual(['ins-1']);
    expect(toolResults.map(({ tool_name }) => tool_name)).toEqual(['recall']);
    expect(asked()[0]![1]!.content).toContain('[ins-1] a restart helped');
  });

  it('is kept from the model without that grant', async () => {
    const { turns, asked } = turnsWith({ grants: [], says: 'It helped [ins-1].', recalled });
    expect((await turns.take('what helps?', undefined)).toolResults).toEqual([]);
    expect(asked()[0]).toHaveLength(2);
  });

  it('is no answer by itself where there is no model', async () => {
    const { turns } = turnsWith({ grants: ['memory-read'], says: null, recalled });
    await expect(turns.take('what helps?', undefined)).rejects.toMatchObject({ code: 'MODEL_UNREACHABLE' });
  });
});

describe('an answer without a model', () => {
  const flags = ['--tool', 'logs'];

  it('is the lines that were looked up, kept in the conversation without secrets in the question', async () => {
    const session = aSession();
    const chunks: string[] = [];
    const { turns, ended } = turnsWith({ flags, says: null });
    const { response, cites } = await turns.take('did s3cret leak?', session, (text) => chunks.push(text));
    expect([response.content, response.model_id, cites]).toEqual(['[inc-81] news was down', 'none', ['inc-81']]);
    expect(chunks).toEqual(['[inc-81] news was down']);
    expect(session.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'did [redacted] leak?'],
      ['assistant', '[inc-81] news was down'],
    ]);
    expect(ended).toMatchObject([{ model: undefined, ok: true }]);
  });

  it('says that there is nothing where the tool found nothing', async () => {
    const { turns } = turnsWith({ flags, says: null, tools: [aTool({ run: async () => [] })] });
    expect((await turns.take('?', undefined)).response.content).toBe('logs: there is nothing.');
  });

  it('is an error that names the tool which failed', async () => {
    const run = async () => {
      throw new Error('no daemon');
    };
    const { turns, ended } = turnsWith({ flags, says: null, tools: [aTool({ run })] });
    await expect(turns.take('?', undefined)).rejects.toThrow('logs: no daemon');
    expect(ended).toMatchObject([{ ok: false }]);
  });
});

describe('an action that was asked for', () => {
  const proposed = { ok: true, text: 'it waits for a yes [apr-3]', cites: ['apr-3'] };

  it('is the answer: no model is asked, nothing is looked up, nothing is recorded as a question', async () => {
    const session = aSession();
    const chunks: string[] = [];
    const { turns, asked, begun } = turnsWith({ flags: ['--tool', 'logs'], proposed });
    const result = await turns.take('restart news', session, (text) => chunks.push(text));
    expect(result).toMatchObject({ proposal: proposed, cites: ['apr-3'], toolResults: [], routing: undefined });
    expect([asked().length, begun(), chunks]).toEqual([0, 0, [proposed.text]]);
    expect(session.messages.map(({ content }) => content)).toEqual(['restart news', proposed.text]);
  });
});

describe('a tool by its name', () => {
  const tools = new Map([
    ['logs', aTool({ args: ['channel', 'limit'] })],
    ['pool', aTool({ name: 'pool' })],
  ]);

  it('is refused where it does not exist, with where to find those that do', () => {
    expect(() => toolNamed(tools, 'ghost', {})).toThrow(
      expect.objectContaining({ message: 'there is no tool "ghost"', hint: 'reeve ask --list-tools' }),
    );
  });

  it('takes its own arguments and names them where another is given', () => {
    expect(toolNamed(tools, 'logs', { limit: '3' }).name).toBe('logs');
    expect(() => toolNamed(tools, 'logs', { limit: '3', depth: '1' })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('depth'), hint: 'it takes channel, limit' }),
    );
    expect(() => toolNamed(tools, 'pool', { depth: '1' })).toThrow(expect.objectContaining({ hint: 'it takes none' }));
  });
});
