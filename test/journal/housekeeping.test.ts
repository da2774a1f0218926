import { describe, expect, it } from 'vitest';
import { runHousekeeping } from '../../src/journal/housekeeping.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { jump } from './support.ts';

describe('a round of housekeeping', () => {
  it('does nothing about a whole journal within its time', () => {
    const { clock } = fakeClock();
    const ledger = new Ledger(new MemoryStore(), clock);
    ledger.open();
    ledger.append([jump(1), jump(2)]);
    const failures: string[] = [];
    runHousekeeping(ledger, 60_000, (text) => failures.push(text));
    expect([failures, [...ledger.read({})].length]).toEqual([[], 2]);
  });

  it('reports a chain that is broken', () => {
    const store = new MemoryStore();
    const { clock } = fakeClock();
    const first = new Ledger(store, clock);
    first.open();
    first.append([jump(1), jump(2), jump(3)]);
    const forged = [...store.read({})].map((row) =>
      row.seq === 2 ? { ...row, body: row.body.replace('2', '7') } : row,
    );
    const ledger = new Ledger(new MemoryStore({ rows: forged }), clock);
    ledger.open();
    const failures: string[] = [];
    runHousekeeping(ledger, 60_000, (text) => failures.push(text));
    expect(failures).toEqual([expect.stringContaining('journal: it is broken: entry 2')]);
  });

  it('reports a journal that was taken away, before anything has to be written', () => {
    const { clock } = fakeClock();
    const store = new (class extends MemoryStore {
      checkPlace(): void {
        throw new Error('it was deleted');
      }
    })();
    const ledger = new Ledger(store, clock);
    ledger.open();
    const failures: string[] = [];
    runHousekeeping(ledger, 60_000, (text) => failures.push(text));
    expect([failures, ledger.broken?.kind]).toEqual([['housekeeping: it was deleted'], 'unwritable']);
  });

  it('takes at most four steps of retention, and reports a step that fails', () => {
    let steps = 0;
    const compact = () => {
      steps += 1;
      return { more: true };
    };
    const endless = { compact, patrol: () => true } as unknown as Ledger;
    runHousekeeping(endless, 60_000, () => undefined);
    expect(steps).toBe(4);
    const failing = {
      compact: () => {
        throw new Error('disk I/O error');
      },
    } as unknown as Ledger;
    const failures: string[] = [];
    runHousekeeping(failing, 60_000, (text) => failures.push(text));
    expect(failures).toEqual(['housekeeping: disk I/O error']);
  });
});
