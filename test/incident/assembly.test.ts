import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import type { Escalation } from '../../src/core/incident.ts';
import type { Scope } from '../../src/core/scope.ts';
import { journaledPaging } from '../../src/incident/assembly.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { escalation } from '../escalate/support.ts';
import { fakeClock } from '../support/fake_clock.ts';

const NEWS: Scope = { kind: 'channel', id: 'news' };
const KEY = 'incident/inc-1';

function paging() {
  const time = fakeClock();
  const ledger = new Ledger(new MemoryStore(), time.clock);
  const pages = journaledPaging(ledger, countingIds());
  ledger.open();
  const { id: _, at: __, ...page } = escalation('none');
  const raise = (change: Partial<Escalation> = {}) => ledger.append(pages.raise({ ...page, ...change }));
  const resolve = (key = KEY) => ledger.append(pages.resolve(key, 'it plays again'));
  return { pages, raise, resolve, page, clock: ledger.clock, advance: time.advance };
}

describe('pages over the outbox of the journal', () => {
  it('have an id of their own and the moment in which they were raised', async () => {
    const { pages, page, advance, clock } = paging();
    const first = pages.stamp(page);
    await advance(1_000);
    expect(first).toMatchObject({ id: 'esc-1', at: clock.now() - 1_000, key: KEY });
    expect(pages.stamp(page)).toMatchObject({ id: 'esc-2', at: clock.now() });
  });

  it('say where their channel lies, and nothing where that is not known or their scope says it', () => {
    const ledger = new Ledger(new MemoryStore(), fakeClock().clock);
    const place = { group: 'pull', engine: 'local' };
    const { stamp } = journaledPaging(ledger, countingIds(), (scope) =>
      scope.kind === 'channel' && scope.id !== 'news' ? {} : place,
    );
    const { id: _, at: __, ...page } = escalation('none');
    expect(stamp(page).place).toEqual(place);
    expect(stamp({ ...page, scope: { kind: 'channel', id: 'gone' } })).not.toHaveProperty('place');
    expect(stamp({ ...page, scope: { kind: 'group', id: 'pull' } })).not.toHaveProperty('place');
  });

  it('are open from their entry on until they are resolved', () => {
    const { pages, raise, resolve, page } = paging();
    pages.raise(page);
    expect([...pages.openPages().keys()]).toEqual([]);
    raise();
    expect([...pages.openPages().keys()]).toEqual([KEY]);
    resolve();
    expect([...pages.openPages().keys()]).toEqual([]);
  });

  it('are not raised twice for the same reason, and not resolved where none is open', () => {
    const { raise, resolve } = paging();
    expect(resolve()).toEqual([]);
    expect(raise()).toHaveLength(1);
    expect(raise()).toEqual([]);
    expect(resolve('incident/inc-2')).toEqual([]);
    expect(resolve()).toHaveLength(1);
  });
});

describe('whether a scope was paged', () => {
  it('is answered with yes while the page is open, for exactly this scope', () => {
    const { pages, raise } = paging();
    expect(pages.wasPaged(NEWS, 0)).toBe(false);
    raise();
    expect(pages.wasPaged(NEWS, Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(pages.wasPaged({ kind: 'channel', id: 'sport' }, 0)).toBe(false);
    expect(pages.wasPaged({ kind: 'group', id: 'news' }, 0)).toBe(false);
  });

  it('is answered with no from the millisecond on in which the page was resolved: it says nothing of what begins then', () => {
    const { pages, raise, resolve, clock } = paging();
    raise();
    resolve();
    const nowMs = clock.monotonicMs();
    expect([pages.wasPaged(NEWS, nowMs - 1), pages.wasPaged(NEWS, nowMs)]).toEqual([true, false]);
  });
});
