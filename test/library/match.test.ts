import { describe, expect, it } from 'vitest';
import type { LibraryRuleDocument } from '../../src/library/document.ts';
import { filledIn, matched, missingParams } from '../../src/library/match.ts';

const ruleOf = (over: object): LibraryRuleDocument => ({ name: 'one', description: 'one', when: [], ...over });
const doing = (params: object) => ruleOf(Object.fromEntries([['then', [{ action: 'free', params }]]]));

describe('the facts of a rule', () => {
  it('hold only all together', () => {
    const rule = ruleOf({
      when: [
        { fact: 'kind', equals: 'disk' },
        { fact: 'text', contains: 'full' },
      ],
    });
    expect(matched(rule, { kind: 'disk', text: 'disk full' })).toEqual({});
    expect(matched(rule, { kind: 'disk', text: 'disk ok' })).toBeUndefined();
    expect(matched(rule, { kind: 'net', text: 'disk full' })).toBeUndefined();
  });

  it('compare a number with what a file says of it', () => {
    const rule = ruleOf({ when: [{ fact: 'code', equals: '137' }] });
    expect(matched(rule, { code: 137 })).toEqual({});
    expect(matched(rule, { code: 1_370 })).toBeUndefined();
  });

  it('do not hold where the fact is missing, inherited, or no plain value', () => {
    const rule = ruleOf({ when: [{ fact: 'constructor', contains: 'x' }] });
    expect(matched(rule, {})).toBeUndefined();
    expect(matched(ruleOf({ when: [{ fact: 'a', equals: 'x' }] }), { a: ['x'] })).toBeUndefined();
  });

  it('give what their patterns caught by name, the later fact over the earlier', () => {
    const rule = ruleOf({
      when: [
        { fact: 'a', regex: '(?P<who>\\w+) is down' },
        { fact: 'b', regex: '(?P<who>\\w+)(?P<none>!)?' },
      ],
    });
    expect(matched(rule, { a: 'news is down', b: 'films' })).toEqual({ who: 'films' });
    expect(matched(rule, { a: 'news is up', b: 'films' })).toBeUndefined();
  });
});

describe('the parameters of a rule', () => {
  const rule = doing({ path: '{path}', note: 'of {path} by {who}', list: ['{n}'] });

  it('are asked for by name, each once, where neither a capture nor the context has it', () => {
    expect(missingParams(rule, { path: '/var' })).toEqual(['who', 'n']);
    expect(missingParams(rule, { path: '/var', who: 'x', n: 1 })).toEqual([]);
    expect(missingParams(doing({ a: '{toString}' }), {})).toEqual(['toString']);
  });

  it('keep their type where the text is nothing but a placeholder, and are text within one', () => {
    expect(filledIn(rule, { path: 7, who: true, n: { deep: 1 } })).toEqual([
      { action: 'free', params: { path: 7, note: 'of 7 by true', list: [{ deep: 1 }] } },
    ]);
  });

  it('stay as they are written where there is no value', () => {
    expect(filledIn(rule, {})[0]?.params).toEqual({ path: '{path}', note: 'of {path} by {who}', list: ['{n}'] });
  });

  it('are none for a rule without actions', () => expect(filledIn(ruleOf({}), { a: 1 })).toEqual([]));
});
