import { describe, expect, it } from 'vitest';
import { MessageTries } from '../../src/escalate/message_tries.ts';

/** Tries that failed as in an outage, in this order. */
function failedTries(...ids: string[]): MessageTries {
  const tries = new MessageTries();
  for (const id of ids) {
    tries.begin(id);
    tries.failed(id);
  }
  return tries;
}

const byTurn = (tries: MessageTries, ...ids: string[]): string[] =>
  ids.toSorted((a, b) => tries.turnOf(a) - tries.turnOf(b));

describe('the tries of the messages to one receiver', () => {
  it('are counted for each message until it is taken', () => {
    const tries = failedTries('a', 'b', 'a');
    expect([tries.begin('a'), tries.begin('b'), tries.begin('c')]).toEqual([3, 2, 1]);
    tries.forget('a');
    expect([tries.has('a'), tries.begin('a')]).toEqual([false, 1]);
  });

  it('take turns: first what was not tried, then what was tried longest ago', () => {
    const tries = failedTries('a', 'b', 'c', 'a');
    expect(byTurn(tries, 'a', 'b', 'c', 'new')).toEqual(['new', 'b', 'c', 'a']);
  });

  it('are of equal turn once the receiver has answered: then only urgency counts', () => {
    const tries = failedTries('a', 'b');
    tries.noteTaken();
    expect([tries.turnOf('a'), tries.turnOf('b'), tries.turnOf('new')]).toEqual([0, 0, 0]);
  });

  it('fail alone from the second one on, if the receiver answered to another one meanwhile', () => {
    const tries = new MessageTries();
    tries.begin('bad');
    tries.noteTaken();
    const counts = [tries.failed('bad')];
    for (const answers of [true, true, false, true]) {
      tries.begin('bad');
      counts.push(tries.failed('bad'));
      if (answers) tries.noteTaken();
    }
    expect(counts).toEqual([0, 1, 2, 3, 3]);
  });

  it('never fail alone while the receiver answers to none', () => {
    const tries = failedTries('a', 'b', 'a', 'b', 'a');
    tries.begin('a');
    expect(tries.failed('a')).toBe(0);
  });

  it('wait as long as they are told, until the next one begins, and a failure is news once', () => {
    const tries = failedTries('a');
    expect(tries.waitsUntilMs('a')).toBe(Number.NEGATIVE_INFINITY);
    expect([tries.wait('a', 500, 'answered 503'), tries.wait('a', 900, 'answered 503')]).toEqual([true, false]);
    expect([tries.waitsUntilMs('a'), tries.waitsUntilMs('b')]).toEqual([900, Number.NEGATIVE_INFINITY]);
    tries.begin('a');
    expect(tries.waitsUntilMs('a')).toBe(Number.NEGATIVE_INFINITY);
    expect(tries.wait('a', 1_000, 'timeout')).toBe(true);
  });

  it('end their wait when the receiver takes what was begun after it had said no, and not by what was under way', () => {
    const tries = new MessageTries();
    const refuse = (id: string): void => {
      tries.noteRefusal(id);
      tries.wait(id, 900, 'answered 401');
    };
    for (const id of ['bad', 'good', 'next']) tries.begin(id);
    refuse('bad');
    for (const id of ['good', 'next']) tries.noteTaken(id);
    expect(tries.waitsUntilMs('bad')).toBe(900);
    tries.begin('later');
    tries.noteTaken('later');
    expect(tries.waitsUntilMs('bad')).toBe(Number.NEGATIVE_INFINITY);
  });

  it('wait their whole time where they were refused once more after others had been taken', () => {
    const tries = new MessageTries();
    const waits = [1, 2, 3].map(() => {
      tries.begin('bad');
      tries.noteRefusal('bad');
      tries.wait('bad', 900, 'answered 413');
      tries.noteTaken();
      return tries.waitsUntilMs('bad');
    });
    expect(waits).toEqual([Number.NEGATIVE_INFINITY, 900, 900]);
  });

  it('are forgotten beyond a thousand, but never of what is due', () => {
    const ids = Array.from({ length: 1_001 }, (_, at) => `m${at}`);
    const tries = failedTries(...ids.slice(1));
    tries.prune(() => new Set());
    expect(tries.has('m1')).toBe(true);
    tries.begin('m0');
    tries.prune(() => new Set(['m0', 'm7']));
    expect(ids.filter((id) => tries.has(id))).toEqual(['m0', 'm7']);
  });
});
