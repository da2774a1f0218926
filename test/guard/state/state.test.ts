import { describe, expect, it } from 'vitest';
import { Edit } from '../../../src/guard/state/edit.ts';
import {
  bucketOf,
  containmentsOf,
  newGuardState,
  newSubject,
  overdueOf,
  subjectAt,
} from '../../../src/guard/state/state.ts';
import { STARTS_KEPT } from '../../../src/guard/state/window.ts';
import { aPermit, book, NEWS } from '../book.ts';

const unjudged = (with_: Parameters<typeof aPermit>[0] = {}) => ({
  terms: aPermit(with_),
  startedMs: 1_000,
  dueMs: 5_000,
});

describe('the memory of the guard', () => {
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('puts %j where FNV-1a puts it on every machine', (key, hash) => {
    expect(bucketOf(key)).toBe(hash % 128);
  });

  it('begins empty, and knows of a target that it has no place for only that nothing happened', () => {
    const empty = { groups: {}, starts: [], incidents: {}, plans: {}, containments: {}, viewerSpends: [] };
    expect(newGuardState()).toEqual({ subjects: Array.from({ length: 128 }, () => ({})), ...empty });
    const untouched = {
      fence: 0,
      uses: {},
      open: [],
      tried: [],
      restarts: [],
      breaker: { generation: 0, trips: 0, failures: [] },
    };
    expect(subjectAt(newGuardState(), 'channel:news')).toEqual(untouched);
    expect(subjectAt({ ...newGuardState(), subjects: [] }, 'channel:news')).toEqual(untouched);
  });

  it('lists the containments of the scopes that are asked for, and no others', () => {
    const b = book();
    for (const id of ['local', 'far'])
      b.put(1_000, {
        type: 'containment.raised',
        scope: { kind: 'engine', id },
        reason: 'pool_pressure',
        detail: '',
        releaseByPerson: false,
      });
    const of = (id: string) => containmentsOf(b.state(), [NEWS, { kind: 'engine', id }]).map(({ scope }) => scope);
    expect(of('far')).toEqual([{ kind: 'engine', id: 'far' }]);
    expect(of('none')).toEqual([]);
  });

  it('takes over no more starts than it keeps, and keeps the newest', () => {
    const starts = Array.from({ length: STARTS_KEPT + 5 }, (_, atMs) => ({ engine: 'local', channel: 'news', atMs }));
    const kept = new Edit({ ...newGuardState(), starts }).starts();
    expect([kept.length, kept[0]?.atMs]).toEqual([STARTS_KEPT, 5]);
  });

  it('calls overdue what began and was not judged by its deadline', () => {
    const never = { terms: aPermit(), dueMs: 5_000 };
    const subject = { ...newSubject(), open: [unjudged(), never] };
    expect(overdueOf(subject, 4_999)).toEqual([]);
    expect(overdueOf(subject, 5_000)).toEqual([unjudged()]);
  });
});
