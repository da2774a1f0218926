import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReeve, type ReeveOptions } from '../../src/library/reeve.ts';
import { scriptedModel } from './scripted_model.ts';
import { aLibraryFolder, CONTEXT, IN_COLLECTION, ruleText, STDERR, withActions } from './support.ts';

const RULE = withActions(
  {
    name: 'path_rename',
    description: 'A module was renamed',
    collection: 'dep_resolution',
    when: [
      { fact: 'problem_type', equals: 'dep_resolution' },
      { fact: 'stderr', regex: 'declares its path as: (?P<new_path>\\S+)', examples: [STDERR] },
    ],
  },
  [{ action: 'replace_module', params: { path: '{new_path}' } }],
);
const propose = (rule: unknown) => ({ tool: 'propose', input: { rule }, diagnosis: 'the module was renamed' });
const DONE = { tool: 'done', input: {} };
const GOOD = [propose(RULE), DONE];

function setUp(answers: readonly unknown[], options: ReeveOptions = {}) {
  const directory = aLibraryFolder();
  const scripted = scriptedModel(answers);
  const reeve = createReeve({ directory, model: scripted.model, explore: () => true, ...options });
  const called: unknown[] = [];
  reeve.action('replace_module', (params: unknown) => called.push(params), 'Replaces a module path');
  const proposals = () => (existsSync(join(directory, 'proposals')) ? readdirSync(join(directory, 'proposals')) : []);
  return { reeve, directory, called, proposals, ...scripted };
}

describe('Theow 3.4, two gates', () => {
  it('explores nothing where the second gate is shut, whatever the code says', async () => {
    const { reeve, asked } = setUp(GOOD, { explore: () => false });
    expect(await reeve.explore(CONTEXT, IN_COLLECTION)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('explores no marked function that does not say so', async () => {
    const { reeve, asked } = setUp(GOOD);
    const fail = (): void => {
      throw new Error('x');
    };
    await expect(reeve.mark(fail, { contextFrom: () => CONTEXT })()).rejects.toThrow('x');
    expect(asked).toEqual([]);
  });
});

describe('Theow 6, exploration', () => {
  it('gives a rule that fits, and writes it for review', async () => {
    const { reeve, proposals, called } = setUp(GOOD);
    const rule = await reeve.explore(CONTEXT, IN_COLLECTION);
    expect(rule?.actions).toEqual([{ action: 'replace_module', params: { path: 'golang.org/x/lint' } }]);
    expect(proposals()).toEqual(['path_rename.rule.yaml']);
    expect(reeve.rules).toEqual([]);
    await rule?.act();
    expect(called).toHaveLength(1);
    expect(reeve.stats()).toMatchObject({ explorations: 1, llmNeededRatio: 1 });
  });

  it('costs nothing for the next 49 situations like it', async () => {
    const { reeve, asked } = setUp(GOOD);
    for (let module = 0; module < 50; module += 1) {
      const stderr = STDERR.replaceAll('golang', `golang${module}`);
      const rule = await reeve.explore({ ...CONTEXT, stderr }, IN_COLLECTION);
      expect(rule?.actions[0]?.params).toEqual({ path: `golang${module}.org/x/lint` });
    }
    expect(asked).toHaveLength(2);
    expect(reeve.stats().explorations).toBe(1);
  });

  it('gives the value of a function that it has mended, also where the rule could not be written for review', async () => {
    const directory = aLibraryFolder({ 'proposals/other.txt': 'nothing' });
    symlinkSync('/nowhere/at/all', join(directory, 'proposals/path_rename.rule.yaml'));
    const { reeve, called } = setUp(GOOD, { directory });
    const build = (): string => {
      if (called.length === 0) throw new Error(STDERR);
      return 'built';
    };
    const step = reeve.mark(build, { contextFrom: () => CONTEXT, ...IN_COLLECTION, explorable: true });
    await expect(step()).resolves.toBe('built');
  });

  it('asks no model where a rule fits already', async () => {
    const { reeve, asked } = setUp(GOOD, {
      directory: aLibraryFolder({ 'rules/a.rule.yaml': ruleText('lint', { action: 'replace_module' }) }),
    });
    expect((await reeve.explore({ stderr: 'lint fails' }))?.name).toBe('lint');
    expect(asked).toEqual([]);
  });

  it('offers enumerated tools: its own, the built-in ones, and no others', async () => {
    const { reeve, asked } = setUp([
      { tool: 'rm', input: {} },
      { tool: 'list_actions', input: {} },
      { tool: 'give_up', input: {} },
    ]);
    const { z } = await import('zod');
    const input = z.object({ path: z.string() });
    const readFile = reeve.tool({ name: 'read_file', description: 'Reads', input, run: () => 'text' });
    expect(await reeve.explore(CONTEXT, { ...IN_COLLECTION, tools: [readFile] })).toBeUndefined();
    const schema = asked[0]?.schema as { properties: { tool: { enum: string[] } } };
    const names = schema.properties.tool.enum;
    const builtIn = ['search_rules', 'search_actions', 'list_rules', 'list_actions', 'read_log_lines'];
    expect(names).toEqual([...builtIn, 'propose', 'done', 'give_up', 'read_file']);
    const contents = asked.at(-1)?.messages.map(({ content }) => content) ?? [];
    expect(contents.join('\n')).toContain('There is no such tool');
    expect(contents.at(-1)).toBe('["replace_module"]');
  });

  it.each([
    ['does not parse', { ...RULE, whenn: [] }, 'whenn'],
    ['does not fit this context', { ...RULE, when: [{ fact: 'stderr', contains: 'elsewhere' }] }, 'do not hold'],
    ['names an action that there is not', withActions(RULE, [{ action: 'rm_rf' }]), 'no action rm_rf'],
    ['uses a pattern without linear time', { ...RULE, when: [{ fact: 'stderr', regex: '(?=x)' }] }, 'look-around'],
    [
      'leaves the choice to a model',
      withActions({ ...RULE, llm_config: { prompt_template: 'x' } }, undefined),
      'learns nothing',
    ],
  ])('answers the model that a rule %s, and takes the next one', async (_, bad, reason) => {
    const { reeve, asked } = setUp([propose(bad), ...GOOD]);
    expect((await reeve.explore(CONTEXT, IN_COLLECTION))?.name).toBe('path_rename');
    expect(asked[1]?.messages.at(-1)?.content).toContain(reason);
  });

  it('shows the model the rules of the collection that the trouble is in, and no others', async () => {
    const directory = aLibraryFolder({
      'rules/a.rule.yaml': ruleText('build_quota').replace('when:', 'collection: dep_resolution\nwhen:'),
      'rules/b.rule.yaml': ruleText('build_quota_elsewhere', { fact: 'build_quota' }),
    });
    const script = [
      { tool: 'search_rules', input: { query: 'build_quota fails' } },
      { tool: 'list_rules', input: {} },
      { tool: 'give_up', input: {} },
    ];
    const { reeve, asked } = setUp(script, { directory });
    await reeve.explore(CONTEXT, IN_COLLECTION);
    const contents =
      asked
        .at(-1)
        ?.messages.filter(({ role }) => role === 'user')
        .map(({ content }) => content) ?? [];
    expect(contents[1]).toContain('"build_quota"');
    expect(contents[1]).not.toContain('elsewhere');
    expect(contents[2]).toBe('["build_quota"]');
  });

  it('keeps what it found where the trouble was, and refuses another collection', async () => {
    const { collection: _, ...without } = RULE;
    const { reeve, asked, directory } = setUp([propose({ ...RULE, collection: 'builds' }), propose(without), DONE]);
    expect((await reeve.explore(CONTEXT, IN_COLLECTION))?.collection).toBe('dep_resolution');
    expect(asked[1]?.messages.at(-1)?.content).toContain('collection: dep_resolution was expected');
    const kept = readFileSync(join(directory, 'proposals', 'path_rename.rule.yaml'), 'utf8');
    expect(kept).toContain('collection: dep_resolution');
  });

  it('asks no model in a later session where a rule that waits for review fits', async () => {
    const { reeve, directory } = setUp(GOOD);
    await reeve.explore(CONTEXT, IN_COLLECTION);
    const later = setUp(GOOD, { directory });
    const rule = await later.reeve.explore(CONTEXT, IN_COLLECTION);
    expect(rule?.actions).toEqual([{ action: 'replace_module', params: { path: 'golang.org/x/lint' } }]);
    expect(later.asked).toEqual([]);
  });

  it('takes no name that a rule which waits for review has', async () => {
    const file = ruleText('path_rename', { fact: 'no such text', action: 'replace_module' });
    const directory = aLibraryFolder({ 'proposals/path_rename.rule.yaml': file });
    const { reeve, asked } = setUp([...GOOD.slice(0, 1), { tool: 'give_up', input: {} }], { directory });
    expect(await reeve.explore(CONTEXT, IN_COLLECTION)).toBeUndefined();
    expect(asked[1]?.messages.at(-1)?.content).toContain('take another name');
  });

  it('refuses a rule with the facts of another one and other actions', async () => {
    const { reeve, asked, directory } = setUp([propose(RULE), { tool: 'give_up', input: {} }]);
    const { Rule } = await import('../../src/library/rule.ts');
    reeve.action('other', () => undefined);
    // Out of reach by its collection, in the way all the same.
    reeve.add(new Rule(withActions({ ...RULE, name: 'rival', collection: 'elsewhere' }, [{ action: 'other' }])));
    expect(await reeve.explore(CONTEXT, IN_COLLECTION)).toBeUndefined();
    expect(asked[1]?.messages.at(-1)?.content).toContain('rival has the same facts');
    expect(existsSync(join(directory, 'proposals'))).toBe(false);
  });

  it('tries the rule out on a marked function, and says when that failed', async () => {
    const second = withActions({ ...RULE, name: 'path_rename_2' }, [{ action: 'works', params: {} }]);
    const { reeve, asked } = setUp([...GOOD, propose(second), DONE]);
    let fixed = false;
    reeve.action('works', () => {
      fixed = true;
    });
    const step = reeve.mark(
      (x: string) => {
        process.stderr.write('go: downloading lint\n');
        if (!fixed) throw new Error(`cannot build ${x}`);
        return x;
      },
      { contextFrom: () => CONTEXT, explorable: true, ...IN_COLLECTION },
    );
    await expect(step('app')).resolves.toBe('app');
    expect(asked[0]?.messages[1]?.content).toMatch(/cannot build app[\s\S]*at [\s\S]*go: downloading lint/);
    expect(asked[2]?.messages.at(-1)?.content).toContain('tried out, it failed');
  });

  it('carries nothing but the diagnosis into the second attempt', async () => {
    const look = { tool: 'list_rules', input: {}, diagnosis: 'SUSPECT THE PROXY' };
    const { reeve, asked } = setUp([look], { budget: { toolCallsPerSession: 4 } });
    expect(await reeve.explore(CONTEXT, IN_COLLECTION)).toBeUndefined();
    expect(asked).toHaveLength(4);
    expect(asked[2]?.messages).toHaveLength(2);
    expect(asked[2]?.messages[1]?.content).toContain('An earlier attempt held for the cause: SUSPECT THE PROXY');
  });
});

describe('Theow 6, budgets', () => {
  const other = (text: string) => ({ stderr: `${text} ${text} ${text}`.repeat(3) });
  const GIVE_UP = [{ tool: 'give_up', input: {} }];

  it('hold sessions of a day', async () => {
    const { reeve, asked } = setUp(GIVE_UP, { sessionLimit: 1 });
    await reeve.explore(other('alpha'));
    await reeve.explore(other('omega'));
    expect(asked).toHaveLength(1);
  });

  it('hold tokens of a session and of a day', async () => {
    const look = [{ tool: 'list_rules', input: {} }];
    const perSession = setUp(look, { budget: { tokensPerSession: 200 } });
    await perSession.reeve.explore(CONTEXT);
    expect(perSession.asked).toHaveLength(2);
    const perDay = setUp(GIVE_UP, { budget: { tokensPerDay: 110 } });
    await perDay.reeve.explore(other('alpha'));
    await perDay.reeve.explore(other('omega'));
    expect(perDay.asked).toHaveLength(1);
  });

  it('hold money of a day, and are reported by stats', async () => {
    const { reeve, asked } = setUp(GIVE_UP, { budget: { costMicrosPerDay: 100 }, costOf: ({ prompt }) => prompt });
    await reeve.explore(other('alpha'));
    await reeve.explore(other('omega'));
    expect(asked).toHaveLength(1);
    expect(reeve.stats().costMicros).toBe(100);
    expect(reeve.stats().text).toContain('total cost: 0.00');
  });
});

describe('Theow 8, the second model', () => {
  it('is asked where the first fails', async () => {
    const secondary = scriptedModel(GOOD);
    const { reeve } = setUp([{ failure: 'unreachable' }], { secondary: secondary.model });
    expect((await reeve.explore(CONTEXT, IN_COLLECTION))?.name).toBe('path_rename');
    expect(secondary.asked).toHaveLength(2);
  });

  it.each(['not json', '[]', { tool: 7 }, { failure: 'deadline' as const }])(
    'and an answer such as %j decides nothing',
    async (answer) => {
      const { reeve, proposals } = setUp([answer]);
      expect(await reeve.explore(CONTEXT, IN_COLLECTION)).toBeUndefined();
      expect(proposals()).toEqual([]);
    },
  );
});
