import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createReeve } from '../../src/library/reeve.ts';
import { scriptedModel } from './scripted_model.ts';
import { aLibraryFolder, CONTEXT, IN_COLLECTION, ruleText } from './support.ts';

const GIVE_UP = [{ tool: 'give_up', input: {} }];

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

  it('are not run with an input of another type: the model is sent the problem instead', async () => {
    const { model, asked } = scriptedModel([{ tool: 'read_file', input: { path: 7 } }, ...GIVE_UP]);
    const reeve = createReeve({ directory: aLibraryFolder(), model, explore: () => true });
    const read: unknown[] = [];
    const tool = reeve.tool({ name: 'read_file', description: 'Reads a file', input, run: (args) => read.push(args) });
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
    const content = asked.at(-1)?.messages.at(-1)?.content ?? '';
    expect(content).toContain('replace_module');
    expect(content).not.toContain('restart');
  });
});
