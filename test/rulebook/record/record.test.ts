import { describe, expect, it } from 'vitest';
import { aCall } from '../../support/a.ts';
import { Book, DEADLINE_MS } from './book.ts';

const permit = {
  id: 'per-1',
  call: aCall(),
  incident: 'inc-1',
  run: 'run-1',
  risk: 'high',
  generation: 0,
  fence: 0,
  grantedMs: 0,
  expiresMs: 1,
  parent: undefined,
} as const;

describe('the control group of a rule', () => {
  it('counts a shadow match as a failure of doing nothing when the trouble outlasts the deadline', () => {
    const book = new Book();
    book.shadow();
    book.nowMs += DEADLINE_MS;
    book.add({ type: 'run.started', attempt: 1 });
    expect(book.record.control).toEqual({ successes: 0, failures: 0 });
    book.nowMs += 1;
    book.add({ type: 'run.started', attempt: 1 });
    expect(book.record.control).toEqual({ successes: 0, failures: 1 });
  });

  it('counts it as a success when the trouble went by itself', () => {
    const book = new Book();
    book.shadow();
    book.close('self_healed');
    expect(book.record).toMatchObject({ control: { successes: 1, failures: 0 }, shadowed: 1, disturbed: 0 });
  });

  it.each([
    ['Reeve changed something', (book: Book) => book.add({ type: 'tool.started', permit })],
    [
      'a person or the engine started it',
      (book: Book) =>
        book.add({ type: 'start.observed', origin: 'operator', generation: 'g', engine: 'local' }, { channel: 'news' }),
    ],
    ['a person closed it', (book: Book) => book.close('by_person')],
    ['a call cured it', (book: Book) => book.close('resolved')],
  ])('counts nothing where %s within the deadline', (_, disturb) => {
    const book = new Book();
    book.shadow();
    disturb(book);
    book.nowMs += DEADLINE_MS + 1;
    book.add({ type: 'run.started', attempt: 2 });
    expect(book.record).toMatchObject({ control: { successes: 0, failures: 0 }, disturbed: 1 });
  });

  it('is left alone by what happens to another channel, and by a call that only looks', () => {
    const book = new Book();
    book.shadow();
    book.add({ type: 'start.observed', origin: 'engine', generation: 'g', engine: 'local' }, { channel: 'other' });
    book.add({ type: 'tool.started', permit: { ...permit, call: aCall({ tool: 'get_channel_health' }) } });
    book.close('self_healed');
    expect(book.record.control.successes).toBe(1);
  });
});

describe("a rule's own calls", () => {
  it('count by what was verified, and a call that only looks counts for nothing', () => {
    const book = new Book();
    book.score(true);
    book.score(false);
    const by = { kind: 'rule', rule: 'r' } as const;
    const looked = {
      by,
      permit: 'p',
      tool: 'get_channel_health',
      score: 0.6,
      cured: undefined,
      fingerprint: 'f',
    } as const;
    book.add({ type: 'attempt.scored', ...looked });
    expect(book.record).toMatchObject({ treated: { successes: 1, failures: 1 }, recent: [true, false] });
  });

  it('lose a cure that relapsed', () => {
    const book = new Book();
    book.score(true);
    book.add({ type: 'attempt.relapsed', permit, fingerprint: 'f', because: 'b' });
    book.add({ type: 'attempt.relapsed', permit, fingerprint: 'f', because: 'b' });
    expect(book.record).toMatchObject({ treated: { successes: 0, failures: 1 }, recent: [false] });
  });

  it('start afresh with another file under the same name', () => {
    const book = new Book();
    book.set('shadow');
    book.score(false);
    book.set('staging', 's2');
    expect(book.record).toMatchObject({ treated: { successes: 0, failures: 0 }, sha256: 's2', state: 'staging' });
  });
});
