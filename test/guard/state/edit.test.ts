import { describe, expect, it } from 'vitest';
import { Edit } from '../../../src/guard/state/edit.ts';
import { type GuardState, newGuardState, subjectAt } from '../../../src/guard/state/state.ts';
import { STARTS_KEPT } from '../../../src/guard/state/window.ts';
import { freeze } from '../bench.ts';
import { KEY, withSubject } from '../subjects.ts';

/** A state that cannot be written to: whatever is changed must be a copy. */
const kept = (state: GuardState = newGuardState()): GuardState => {
  freeze(state);
  return state;
};

describe('an edit of the guard’s state', () => {
  it('is the very state before while nothing is asked for', () => {
    const state = kept();
    expect(new Edit(state).state).toBe(state);
  });

  it('copies what is asked for once, and leaves the state before as it was', () => {
    const state = kept(withSubject({ fence: 3, tried: [], restarts: [] }));
    const edit = new Edit(state);
    const subject = edit.subject(KEY);
    subject.fence = 4;
    subject.restarts.push({ permit: 'p', incident: 'i', run: 'r', atMs: 1 });
    subject.breaker.failures.push(1);
    expect(edit.subject(KEY)).toBe(subject);
    expect(subjectAt(edit.state, KEY).fence).toBe(4);
    expect(subjectAt(state, KEY)).toMatchObject({ fence: 3, restarts: [], breaker: { failures: [] } });
  });

  it('shares all that was not asked for with the state before', () => {
    const state = kept(withSubject({ fence: 3 }));
    const edit = new Edit(state);
    edit.marks('pull').push({ permit: 'p', target: KEY, run: 'r', atMs: 1 });
    expect(edit.state.subjects).toBe(state.subjects);
    expect(edit.state.groups['group:pull']).toHaveLength(1);
    expect(state.groups).toEqual({});
  });

  it('copies a use with the use that it came after', () => {
    const before = { permit: 'p0', expiresMs: 1 };
    const state = kept(withSubject({ uses: { restart_channel: { permit: 'p1', expiresMs: 2, before } } }));
    const use = new Edit(state).subject(KEY).uses.restart_channel!;
    use.before!.expiresMs = 9;
    expect(before.expiresMs).toBe(1);
  });

  it('begins a target that was never touched as a new one', () => {
    const edit = new Edit(kept());
    expect(edit.subject(KEY)).toMatchObject({ fence: 0, open: [], restarts: [] });
    expect(subjectAt(edit.state, KEY)).toBe(edit.subject(KEY));
  });

  it('keeps so many starts and no more when the list is taken over', () => {
    const starts = Array.from({ length: STARTS_KEPT + 2 }, (_, atMs) => ({ engine: 'local', channel: 'news', atMs }));
    const edit = new Edit(kept({ ...newGuardState(), starts }));
    const own = edit.starts();
    expect([own.length, own[0]?.atMs]).toEqual([STARTS_KEPT, 2]);
    expect(edit.starts()).toBe(own);
  });

  it('changes an incident and a plan only while they are there, and takes them out again', () => {
    const edit = new Edit(kept());
    expect([edit.incident('inc-1'), edit.plan('p1')]).toEqual([undefined, undefined]);
    edit.putIncident('inc-1', { restarts: {}, fixed: [] } as never);
    edit.putPlan('p1', { starts: [] } as never);
    edit.incident('inc-1')!.restarts.news = 1;
    expect(edit.state.incidents['inc-1']).toMatchObject({ restarts: { news: 1 } });
    edit.putIncident('inc-1', undefined);
    edit.putPlan('p1', undefined);
    expect([edit.state.incidents, edit.state.plans]).toEqual([{}, {}]);
  });
});
