import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReeve } from '../../src/library/reeve.ts';
import { Rule } from '../../src/library/rule.ts';
import { scriptedModel } from './scripted_model.ts';
import { aLibraryFolder, RENAME, withActions } from './support.ts';

describe('Theow 4, Rule', () => {
  it('comes from YAML and goes back to it', () => {
    const directory = aLibraryFolder({ 'rename.yaml': RENAME });
    const rule = Rule.fromYaml(join(directory, 'rename.yaml'));
    const again = join(directory, 'again.yaml');
    expect(rule.toYaml(again)).toBe(readFileSync(again, 'utf8'));
    expect(Rule.fromYaml(again).document).toEqual(rule.document);
    expect(() => rule.toYaml(again)).toThrow('EEXIST');
  });

  it('refuses what is no rule with its place, and to act before it was matched', async () => {
    const directory = aLibraryFolder({ 'bad.yaml': RENAME.replace('regex:', 'regx:'), 'good.yaml': RENAME });
    expect(() => Rule.fromYaml(join(directory, 'bad.yaml'))).toThrow(/bad\.yaml:12:/);
    await expect(Rule.fromYaml(join(directory, 'good.yaml')).act()).rejects.toThrow('was not matched');
  });

  it('runs its actions in order and stops at the first that fails', async () => {
    const reeve = createReeve();
    const done: string[] = [];
    reeve.action('one', () => done.push('one'));
    reeve.action('two', () => {
      throw new Error('two broke');
    });
    reeve.action('three', () => done.push('three'));
    const actions = ['one', 'two', 'three'].map((action) => ({ action }));
    const when = [{ fact: 'x', equals: 1 }];
    reeve.add(new Rule(withActions({ name: 'seq', description: 'd', when }, actions)));
    await expect(reeve.resolve({ x: 1 })?.act()).rejects.toThrow('two broke');
    expect(done).toEqual(['one']);
  });
});

describe('Theow 5, probabilistic rules', () => {
  const text = `name: unknown_failure
description: a build failure that no rule covers
when:
  - fact: problem_type
    equals: build
llm_config:
  prompt_template: file://prompts/look.md
  tools: [read_file]
  constraints: { max_tool_calls: 3, max_tokens: 1000 }
`;

  it('hand the choice to a model with their own prompt and tools, and keep nothing', async () => {
    const directory = aLibraryFolder({ 'rules/u.rule.yaml': text, 'prompts/look.md': 'LOOK AROUND' });
    const { model, asked } = scriptedModel([
      { tool: 'read_file', input: { path: 'a' } },
      { tool: 'done', input: {} },
    ]);
    const reeve = createReeve({ directory, model });
    const read: unknown[] = [];
    const { z } = await import('zod');
    const input = z.object({ path: z.string() });
    reeve.tool({ name: 'read_file', description: 'reads', input, run: ({ path }) => read.push(path) });
    reeve.tool({ name: 'write_file', description: 'writes', input, run: () => undefined });
    const rule = reeve.resolve({ problem_type: 'build' });
    expect(rule?.type).toBe('probabilistic');
    await rule?.act();
    expect(read).toEqual(['a']);
    expect(asked[0]?.messages[0]?.content).toContain('LOOK AROUND');
    expect(asked[0]?.messages[0]?.content).not.toContain('write_file');
    expect(reeve.rules).toEqual(['unknown_failure']);
  });

  it('end at their own bounds', async () => {
    const directory = aLibraryFolder({ 'rules/u.rule.yaml': text, 'prompts/look.md': 'x' });
    const { model, asked } = scriptedModel([{ tool: 'read_file', input: {} }], 400);
    const reeve = createReeve({ directory, model });
    const { z } = await import('zod');
    reeve.tool({ name: 'read_file', description: 'reads', input: z.object({}), run: () => 'x' });
    await expect(reeve.resolve({ problem_type: 'build' })?.act()).rejects.toThrow('tool calls were made');
    expect(asked).toHaveLength(3);
  });
});
