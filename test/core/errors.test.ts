import { describe, expect, it } from 'vitest';
import { InvariantError, invariant, messageOf, ReeveError, safely, unreachable } from '../../src/core/errors.ts';

describe('an error that people see', () => {
  it('may be tried again where the cause can pass, and not where the answer was a refusal', () => {
    const timedOut = new ReeveError('TIMED_OUT', 'no answer in 5 s');
    const refused = new ReeveError('ENGINE_REFUSED', 'no such channel');
    expect([timedOut.retryable, timedOut.exitCode]).toEqual([true, 75]);
    expect([refused.retryable, refused.exitCode]).toEqual([false, 69]);
  });

  it('keeps its cause and its hint, and has neither where none is given', () => {
    const cause = new Error('ECONNREFUSED');
    const error = new ReeveError('DAEMON_UNREACHABLE', 'no daemon answers', { cause, hint: 'Is it up?' });
    expect([error.cause, error.hint]).toEqual([cause, 'Is it up?']);
    const bare = new ReeveError('USAGE', 'no');
    expect([Object.hasOwn(bare, 'cause'), bare.hint]).toEqual([false, undefined]);
  });
});

describe('messageOf', () => {
  it('puts the code before the message of an error of Reeve, and gives other errors as they are', () => {
    expect(messageOf(new ReeveError('QUEUE_FULL', 'full'))).toBe('QUEUE_FULL: full');
    expect(messageOf(new TypeError('x is not a function'))).toBe('x is not a function');
    expect(messageOf('a text')).toBe('a text');
    expect(messageOf(undefined)).toBe('undefined');
  });
});

describe('the work of a timer', () => {
  it('ends in a text where it fails, and in itself where it is a bug', () => {
    const failures: string[] = [];
    const fail = (text: string) => void failures.push(text);
    safely('saving', () => undefined, fail);
    safely('saving', () => unlessWritable(), fail);
    expect(failures).toEqual(['saving: JOURNAL_UNWRITABLE: full']);
    expect(() => safely('saving', () => invariant(false, 'wrong'), fail)).toThrow(InvariantError);
  });
});

const unlessWritable = (): never => {
  throw new ReeveError('JOURNAL_UNWRITABLE', 'full');
};

describe('an invariant', () => {
  it('throws an error of its own kind when it is broken, and nothing when it holds', () => {
    expect(() => invariant(1 < 2, 'never')).not.toThrow();
    expect(() => invariant(0, 'steps over 3')).toThrow(InvariantError);
    expect(() => unreachable({ kind: 'new' } as never)).toThrow('unhandled case: {"kind":"new"}');
  });
});
