import { describe, expect, it } from 'vitest';
import type { JournalFact } from '../../src/core/journal.ts';
import { lineOf, tellingOf } from '../../src/journal/telling.ts';
import { aResult, permitTerms } from '../support/a.ts';

const permit = permitTerms();

describe('what one fact says', () => {
  it('is its line without the label that the line begins with', () => {
    const resolved: JournalFact = { type: 'escalation.resolved', key: 'k', because: 'it plays' };
    expect(lineOf(resolved)).toBe('page      resolved: it plays');
    expect(tellingOf(resolved)).toBe('resolved: it plays');
  });

  it('is nothing for a fact that has no line', () => {
    expect(lineOf({ type: 'run.started', attempt: 1 })).toBeUndefined();
    expect(tellingOf({ type: 'run.started', attempt: 1 })).toBeUndefined();
  });

  it('tells what failed and what nobody knows in capitals, so that it is not read over', () => {
    const late = aResult({ ok: false, code: 'TIMED_OUT', summary: 'no answer', durationMs: 61_000 });
    expect(tellingOf({ type: 'tool.finished', permit, result: late })).toBe('failed (TIMED_OUT) after 61 s: no answer');
    expect(tellingOf({ type: 'tool.unknown', permit, because: 'it was cut off' })).toBe('UNKNOWN: it was cut off');
    expect(tellingOf({ type: 'attempt.relapsed', permit, because: 'it died' } as JournalFact)).toBe(
      'NOT for long: it died',
    );
  });
});
