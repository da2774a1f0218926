import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { datasetOf } from '../../src/app/dataset.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { incidentDrafts } from '../memory/support.ts';
import { fakeClock } from '../support/fake_clock.ts';

/** A state directory whose journal holds these incidents. */
async function stateWith(...ids: readonly string[]): Promise<string> {
  const state = temporaryDirectory();
  const { clock, advance } = fakeClock();
  using ledger = new Ledger(SqliteStore.open(join(state, 'journal.db')), clock);
  ledger.open();
  for (const id of ids) {
    ledger.append(incidentDrafts({ id }));
    await advance(60_000);
  }
  // An incident that is still open is no example of anything.
  ledger.append(incidentDrafts({ id: 'inc-open' }).slice(0, -1));
  return state;
}
const ignore = () => undefined;

describe('a dataset', () => {
  it('holds each closed incident once, oldest first, and names the entry that it ends with', async () => {
    const { rows, throughSeq } = datasetOf(await stateWith('inc-2', 'inc-1'), [], ignore);
    expect(rows.filter(({ kind }) => kind === 'chain').map(({ id }) => id)).toEqual(['inc-2', 'inc-1']);
    expect(throughSeq).toBe(32);
  });

  it('gives every row to one split', async () => {
    const { rows } = datasetOf(await stateWith('inc-1'), [], ignore);
    expect(rows.every(({ split }) => split !== undefined)).toBe(true);
  });

  it('does not exist without a journal', () => {
    expect(() => datasetOf(temporaryDirectory(), [], ignore)).toThrow(/journal/);
  });
});
