import { describe, expect, it } from 'vitest';
import type { RuleFact } from '../../src/core/rule.ts';
import { aCrash, aRule, decide } from './support.ts';

describe('a fact', () => {
  const holds = (fact: RuleFact, about = aCrash()) => decide([aRule({ when: [fact] })], about) !== undefined;

  it.each<[RuleFact['test'], string, boolean]>([
    [{ kind: 'equals', value: 'news' }, 'channel_id', true],
    [{ kind: 'equals', value: 'new' }, 'channel_id', false],
    [{ kind: 'equals', value: 1 }, 'restart_count', true],
    [{ kind: 'equals', value: '1' }, 'restart_count', false],
    [{ kind: 'equals', value: false }, 'channel_healthy', true],
    [{ kind: 'equals', value: false }, 'containment_mode', true],
    [{ kind: 'contains', text: '139' }, 'evidence', true],
    [{ kind: 'contains', text: '1' }, 'restart_count', false],
    [{ kind: 'at_least', value: 0.9 }, 'confidence', true],
    [{ kind: 'at_least', value: 0.91 }, 'confidence', false],
    [{ kind: 'below', value: 0.9 }, 'confidence', false],
    [{ kind: 'below', value: 0.91 }, 'confidence', true],
    [{ kind: 'at_least', value: 5_000 }, 'lasting_ms', true],
    [{ kind: 'equals', value: 'process_exit_nonzero' }, 'symptom', true],
    [{ kind: 'equals', value: 'process_crash' }, 'symptom', true],
    [{ kind: 'equals', value: 'disk_full' }, 'symptom', false],
    [{ kind: 'at_least', value: 0 }, 'pool_pressure', false],
    [{ kind: 'below', value: 1 }, 'pool_pressure', false],
    [{ kind: 'equals', value: 'x' }, 'no_such_fact', false],
    [{ kind: 'equals', value: 'x' }, 'toString', false],
  ])('%j of %s: %s', (test, fact, expected) => {
    expect(holds({ fact, test })).toBe(expected);
  });

  it('must hold together with all others of its rule', () => {
    const when: readonly RuleFact[] = [
      { fact: 'channel_id', test: { kind: 'equals', value: 'news' } },
      { fact: 'restart_count', test: { kind: 'at_least', value: 2 } },
    ];
    expect(decide([aRule({ when })])).toBeUndefined();
    expect(decide([aRule({ when })], aCrash({ restartCount: 2 }))).toBeDefined();
  });

  it('catches named groups, which the plan quotes', () => {
    const pattern = 'status (?P<code>\\d+) of pid (?P<pid>\\d+)';
    const plan = decide([aRule({ when: [{ fact: 'evidence', test: { kind: 'regex', pattern } }] })]);
    expect(plan?.because).toContain('code=139, pid=4711');
  });

  it('takes a pattern that would hang a backtracking engine', () => {
    const text = `${'a'.repeat(400)}!`;
    const evidence = [{ id: 'e1', at: 0, origin: 'log' as const, source: 's', text }];
    const evil: RuleFact = { fact: 'evidence', test: { kind: 'regex', pattern: '^(a+)+$' } };
    const startedMs = performance.now();
    expect(holds(evil, aCrash({ evidence }))).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });
});
