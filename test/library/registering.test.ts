import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createReeve } from '../../src/library/reeve.ts';
import { SessionCache } from '../../src/rulebook/explore/cache.ts';
import { scriptedModel } from './scripted_model.ts';
import { aLibraryFolder, CONTEXT, IN_COLLECTION, ruleText, STDERR } from './support.ts';

const GIVE_UP = [{ tool: 'give_up', input: {} }];

describe('Theow 3.1, the engine', () => {
  it('answers nothing any more when the sessions of its limit are used up', async () => {
    const { model, asked } = scriptedModel(GIVE_UP);
    const reeve = createReeve({ directory: aLibraryFolder(), model, explore: () => true, sessionLimit: 1 });
    await reeve.explore(CONTEXT, IN_COLLECTION);
    const calls = asked.length;
    expect(calls).toBeGreaterThan(0);
    expect(await reeve.explore({ stderr: 'quite another trouble: the disk is full' })).toBeUndefined();
    expect(asked).toHaveLength(calls);
  });

  it('takes a model as provider/model, and says what it knows where there is no such provider', () => {
    expect(() => createReeve({ model: 'ollama/qwen2.5-coder' })).not.toThrow();
    expect(() => createReeve({ model: 'nowhere/model' })).toThrow(/nowhere/);
  });
});

describe('Theow 3.2, tools', () => {
  const input = z.object({ path: z.string().describe('within the workspace'), lines: z.int().optional() });

  it('are declared to the model by the types of their input', async () => {
    const { model, asked } = scriptedModel(GIVE_UP);
    const reeve = createReeve({ directory: aLibraryFolder(), model, explore: () => true });
    const tool = reeve.tool({ name: 'read_file', description: 'Reads a file', input, run: () => 'text' });
    await reeve.explore(CONTEXT, { ...IN_COLLECTION, tools: [tool] });
    const shown = asked[0]?.messages.map(({ content }) => content).join('\n') ?? '';
    expect(shown).toMatch(/read_file[\s\S]*Reads a file/);
    expect(shown).toContain('within the workspace');
  });

  it('are not run with an input of another type, which the model is told instead', async () => {
    const { model, asked } = scriptedModel([{ tool: 'read_file', input: { path: 7 } }, ...GIVE_UP]);
    const reeve = createReeve({ directory: aLibraryFolder(), model, explore: () => true });
    const read: unknown[] = [];
    const tool = reeve.tool({ name: 'read_file', description: 'Reads a file', input, run: (said) => read.push(said) });
    await reeve.explore(CONTEXT, { ...IN_COLLECTION, tools: [tool] });
    expect(read).toEqual([]);
    expect(asked.at(-1)?.messages.at(-1)?.content).toContain('path: ');
  });
});

describe('Theow 3.3, actions', () => {
  it('are called by the rules that name them, with their parameters', async () => {
    const directory = aLibraryFolder({ 'rules/a.rule.yaml': ruleText('lint', { action: 'fix' }) });
    const reeve = createReeve({ directory });
    const called: unknown[] = [];
    reeve.action('fix', (params) => called.push(params));
    await reeve.resolve({ stderr: 'lint fails' })?.act();
    expect(called).toEqual([{}]);
  });

  it('are registered once: a name that is taken keeps what it means', () => {
    const reeve = createReeve();
    reeve.action('fix', () => 'first');
    expect(() => reeve.action('fix', () => 'second')).toThrow(/there is an action fix already/);
  });

  it('are found by what they do, by a model that looks for one', async () => {
    const { model, asked } = scriptedModel([{ tool: 'search_actions', input: { query: 'module path' } }, ...GIVE_UP]);
    const reeve = createReeve({ directory: aLibraryFolder(), model, explore: () => true });
    reeve.action('replace_module', () => undefined, 'Replaces the path of a module');
    reeve.action('restart', () => undefined, 'Starts a service anew');
    await reeve.explore(CONTEXT, IN_COLLECTION);
    const said = asked.at(-1)?.messages.at(-1)?.content ?? '';
    expect(said).toContain('replace_module');
    expect(said).not.toContain('restart');
  });
});

describe('Theow 3.6, explore without a marked function', () => {
  it('lets the model call the tools that were handed over, and no others that the engine has', async () => {
    const { model, asked } = scriptedModel([{ tool: 'mine', input: {} }, { tool: 'other', input: {} }, ...GIVE_UP]);
    const reeve = createReeve({ directory: aLibraryFolder(), model, explore: () => true });
    const ran: string[] = [];
    const noInput = z.object({});
    const mine = reeve.tool({ name: 'mine', description: 'd', input: noInput, run: () => ran.push('mine') });
    reeve.tool({ name: 'other', description: 'd', input: noInput, run: () => ran.push('other') });
    expect(await reeve.explore(CONTEXT, { ...IN_COLLECTION, tools: [mine] })).toBeUndefined();
    expect(ran).toEqual(['mine']);
    expect(asked.at(-1)?.messages.at(-1)?.content).toContain('There is no such tool');
  });
});

describe('Theow 12, the threshold of likeness', () => {
  it('takes the same trouble of another module for one, and another trouble for another', () => {
    const cache = new SessionCache<string>();
    cache.add('', STDERR, 'known');
    expect(cache.find('', STDERR.replaceAll('lint', 'tools'))?.result).toBe('known');
    expect(cache.find('', 'dial tcp 10.0.0.7:443: connect: connection refused')).toBeUndefined();
  });
});
