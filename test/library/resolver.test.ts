import { describe, expect, it } from 'vitest';
import type { LibraryRuleDocument } from '../../src/library/document.ts';
import { fitting, type ResolveOptions, ruleFor } from '../../src/library/resolver.ts';
import { RuleSet } from '../../src/library/rule_set.ts';
import { Tally } from '../../src/library/tally.ts';

const DISK = { stderr: 'the disk is full' };
const hands = { call: async () => undefined, ask: async () => undefined };

/** A rule about a full disk. */
const rule = (name: string, more: Partial<LibraryRuleDocument> = {}): LibraryRuleDocument => ({
  ...{ name, description: 'the disk is full', when: [{ fact: 'stderr', contains: 'full' }] },
  // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
  then: [{ action: 'free' }],
  ...more,
});

function resolved(documents: readonly LibraryRuleDocument[], options?: ResolveOptions, context: object = DISK) {
  const [set, log]: [RuleSet, string[]] = [new RuleSet(undefined), []];
  for (const document of documents) set.add(document);
  const parts = { ...hands, set, tally: new Tally(undefined), log: (line: string) => void log.push(line) };
  return { names: [...fitting(parts, { ...context }, options)].map(({ document }) => document.name), log };
}

describe('the rules that fit a context', () => {
  it('are the named ones in their order, then those with a tag, then the others, each once', () => {
    const documents = [rule('a'), rule('b', { tags: ['t'] }), rule('c'), rule('d', { tags: ['t'] })];
    const { names } = resolved(documents, { rules: ['c', 'd', 'nobody'], tags: ['t'] });
    expect(names).toEqual(['c', 'd', 'b', 'a']);
  });

  it('without the fallback are only those that were asked for', () => {
    const documents = [rule('a'), rule('b', { tags: ['t'] })];
    expect(resolved(documents, { tags: ['t'], fallback: false }).names).toEqual(['b']);
    expect(resolved(documents, { rules: ['a'], fallback: false }).names).toEqual(['a']);
  });

  it('are searched for where neither a name nor a tag was given, fallback or not', () => {
    expect(resolved([rule('a')], { fallback: false }).names).toEqual(['a']);
  });

  it('are of one collection, and named ones of any', () => {
    const documents = [rule('a'), rule('b', { collection: 'other', tags: ['t'] })];
    expect(resolved(documents).names).toEqual(['a']);
    expect(resolved(documents, { tags: ['t'] }).names).toEqual(['a']);
    expect(resolved(documents, { collection: 'other' }).names).toEqual(['b']);
    expect(resolved(documents, { rules: ['b'], fallback: false }).names).toEqual(['b']);
  });

  it('do something, and what they test may have been set by another', () => {
    const setter = rule('a', { sets: { kind: 'disk' } });
    const { then: _, ...only } = setter;
    const needs = rule('b', { when: [{ fact: 'kind', equals: 'disk' }] });
    expect(resolved([only, needs], { rules: ['a', 'b'] }).names).toEqual(['b']);
  });

  it('are reported one by one, those that do not fit, too', () => {
    const { log } = resolved([rule('a'), rule('b', { when: [{ fact: 'stderr', contains: 'no' }] })], {
      rules: ['b', 'a'],
    });
    expect(log.filter((line) => line.startsWith('trying'))).toEqual(['trying "b": no match', 'trying "a": match']);
  });
});

describe('a rule for a context', () => {
  const caught = rule('a', {
    when: [{ fact: 'stderr', regex: 'the (?P<what>\\w+) is full' }],
    // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
    then: [{ action: 'free', params: { what: '{what}', by: '{who}' } }],
  });

  it('has its parameters filled in from captures and the context', () => {
    const found = ruleFor(hands, caught, { ...DISK, who: 'me' });
    expect(found?.actions).toEqual([{ action: 'free', params: { what: 'disk', by: 'me' } }]);
  });

  it('is none where a fact does not hold or a parameter has no value', () => {
    expect(ruleFor(hands, caught, DISK)).toBeUndefined();
    expect(ruleFor(hands, caught, { stderr: 'fine', who: 'me' })).toBeUndefined();
  });
});
