import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createReeve } from '../../src/library/reeve.ts';
import { SessionCache } from '../../src/rulebook/explore/cache.ts';
import { scriptedModel } from './scripted_model.ts';
import { aLibraryFolder, CONTEXT, IN_COLLECTION, STDERR } from './support.ts';

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
