import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/library/match.ts';
import { createReeve, type ReeveOptions } from '../../src/library/reeve.ts';
import { scriptedModel } from './scripted_model.ts';
import { aLibraryFolder, ruleText } from './support.ts';

const EVERY = { everyMs: 3_600_000 };

/** Rules that hold where a fact of their name has their name as its value. */
const ruleFor = (name: string, fact = `is_${name}`, value = name): string =>
  ruleText(name).replace(`fact: stderr\n    contains: ${name}`, `fact: ${fact}\n    equals: ${value}`);

const folderOf = (...names: readonly string[]) =>
  aLibraryFolder(Object.fromEntries(names.map((name) => [`rules/${name}.rule.yaml`, ruleFor(name)])));

describe('Theow 11, periodic resolution', () => {
  it('lets scouts look and rules act, and chains rules by the facts that they report, three at most', async () => {
    const names = ['one', 'two', 'three', 'four'];
    const reeve = createReeve({ directory: folderOf(...names) });
    const done: string[] = [];
    for (const [at, name] of names.entries())
      reeve.action(`fix_${name}`, () => {
        done.push(name);
        return { facts: { [`is_${names[at + 1]}`]: names[at + 1] } };
      });
    const scouts = [
      { name: 'ci', look: () => [{ is_one: 'one' }] },
      {
        name: 'broken',
        look: () => {
          throw new Error('no route');
        },
      },
    ];
    using rounds = reeve.periodically({ scouts, ...EVERY });
    const report = await rounds.round();
    expect(done).toEqual(['one', 'two', 'three']);
    expect(report).toMatchObject({ found: 1, failed: [{ scout: 'broken', because: 'no route' }] });
    expect(report.steps.map((step) => step.rule)).toEqual(['one', 'two', 'three']);
  });

  it('counts a cure when the scout no longer reports the trouble, and tries the next rule where it does', async () => {
    const files = {
      'rules/a.rule.yaml': ruleFor('first', 'is_full', 'disk'),
      'rules/b.rule.yaml': ruleFor('second', 'is_full', 'disk'),
    };
    const reeve = createReeve({ directory: aLibraryFolder(files) });
    let isFull = true;
    reeve.action('fix_first', () => undefined);
    reeve.action('fix_second', () => {
      isFull = false;
    });
    const scouts = [{ name: 'disks', look: (): readonly Context[] => (isFull ? [{ is_full: 'disk' }] : []) }];
    using rounds = reeve.periodically({ scouts, ...EVERY });
    const tried = async () => (await rounds.round()).steps.map(({ rule }) => rule);
    expect(await tried()).toEqual(['first']);
    expect(reeve.stats()).toMatchObject({ resolves: 0, top: [] });
    expect(await tried()).toEqual(['second']);
    expect(await tried()).toEqual([]);
    expect(reeve.stats()).toMatchObject({ resolves: 1, top: [{ rule: 'second', successes: 1, failures: 0 }] });
    isFull = true;
    expect((await tried())[0]).toBe('second');
  });

  it('does nothing more about a trouble that every rule was tried on, until it was gone', async () => {
    const reeve = createReeve({ directory: folderOf('one') });
    let calls = 0;
    reeve.action('fix_one', () => {
      calls += 1;
    });
    const found: Context[] = [{ is_one: 'one' }];
    using rounds = reeve.periodically({ scouts: [{ name: 'ci', look: () => [...found] }], ...EVERY });
    for (let round = 0; round < 4; round += 1) await rounds.round();
    expect(calls).toBe(1);
    found.length = 0;
    await rounds.round();
    found.push({ is_one: 'one' });
    await rounds.round();
    expect(calls).toBe(2);
  });

  const PROPOSAL = {
    name: 'found',
    description: 'A queue is stuck',
    when: [{ fact: 'queue', equals: 'stuck' }],
    // biome-ignore lint/suspicious/noThenProperty: a key of rule files
    then: [{ action: 'drain' }],
  };
  const SCRIPT = [
    { tool: 'propose', input: { rule: PROPOSAL } },
    { tool: 'done', input: {} },
  ];

  it.each([
    ['where it may', { explorable: true }, {}, ['found']],
    ['unless it says so', {}, {}, []],
    ['unless the second gate is open', { explorable: true }, { explore: () => false }, []],
  ])('looks for a rule with a model where none fits, %s', async (_, how, options: ReeveOptions, expected) => {
    const { model, asked } = scriptedModel(SCRIPT);
    const reeve = createReeve({ directory: aLibraryFolder(), model, explore: () => true, ...options });
    const drained: unknown[] = [];
    reeve.action('drain', (params: unknown) => drained.push(params));
    const scouts = [{ name: 'queues', look: () => [{ queue: 'stuck' }] }];
    using rounds = reeve.periodically({ scouts, ...EVERY, ...how });
    expect((await rounds.round()).steps.map(({ rule }) => rule)).toEqual(expected);
    expect(drained).toHaveLength(expected.length);
    expect(asked).toHaveLength(expected.length * 2);
  });
});
