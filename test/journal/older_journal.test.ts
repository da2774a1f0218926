import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JournalStore, StoredEntry } from '../../src/journal/store.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { outboxProjection } from '../../src/escalate/outbox.ts';
import { controlProjection } from '../../src/control/state.ts';
import { guardProjection } from '../../src/guard/state/fold.ts';
import { subjectsOf } from '../../src/guard/state/state.ts';
import { incidentProjection } from '../../src/incident/lifecycle/state.ts';
import { countingIds } from '../../src/core/id.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { temporaryDirectory } from './support.ts';

/**
 * Written by Reeve as of commit dbf56e1 (before the rooms and types got their present names): restarts, a freeze, a
 * lease, a shared cause, an approved restart, and a kill in the middle of a call. Beside it what that Reeve made of it.
 */
const FIXTURE = join(import.meta.dirname, 'fixtures', 'journal_0.1');
const rows = gunzipSync(readFileSync(`${FIXTURE}.jsonl.gz`))
  .toString('utf8')
  .split('\n')
  .map((line) => JSON.parse(line) as StoredEntry);
const expected = JSON.parse(readFileSync(`${FIXTURE}.json`, 'utf8')) as Record<string, unknown>;

function inSqlite(): JournalStore {
  const path = join(temporaryDirectory(), 'journal.db');
  const first = SqliteStore.open(path);
  first.append(rows);
  first.close();
  return SqliteStore.open(path);
}

const STORES = [
  ['in memory', () => new MemoryStore({ rows })],
  ['on the disk', inSqlite],
] as const;

describe.each(STORES)('a journal that an older Reeve wrote, %s', (_, store) => {
  it('has a whole chain up to the same head', () => {
    using ledger = new Ledger(store(), fakeClock().clock);
    ledger.open();
    expect(ledger.verify()).toMatchObject({ ok: true });
    expect([...ledger.read({})].at(-1)?.seq).toBe(expected.entries);
  });

  it('folds into the same incidents, counters, leases, answers and pages', () => {
    using ledger = new Ledger(store(), fakeClock().clock);
    const incidents = ledger.register(incidentProjection);
    const guard = ledger.register(guardProjection);
    const control = ledger.register(controlProjection);
    const outbox = ledger.register(outboxProjection);
    ledger.open();
    const subjects = subjectsOf(guard()).map(([key, { restarts, unknown, fence }]) => [
      key,
      { restarts: restarts.length, unknown: unknown?.tool ?? null, fence },
    ]);
    expect(incidents().open.map(({ incident }) => [incident.id, incident.classification])).toEqual(expected.open);
    expect(Object.fromEntries(subjects)).toEqual(expected.subjects);
    expect(control().leases.map(({ scope }) => scope)).toEqual(expected.leases);
    expect(control().approvals.map(({ state }) => state)).toEqual(expected.approvals);
    expect(outbox().pages.map(({ key, resolved }) => [key, resolved !== undefined])).toEqual(expected.pages);
  });
});

describe('a Reeve of today that goes on with it', () => {
  it('leaves the channel alone whose restart never ended, and keeps the chain whole', async () => {
    const ids = countingIds();
    for (let used = 0; used < 100; used += 1) ids.next('inc');
    const channels = ['news', 'sport', 'kids', 'film'];
    const world = pipelineHarness({ store: new MemoryStore({ rows }), ids, channels, sources: true });
    world.engine.kill('news');
    await world.live(30_000);
    expect(world.engine.restarts).toEqual([]);
    expect(world.entries.length).toBeGreaterThan(0);
    expect(world.ledger.verify()).toMatchObject({ ok: true });
    expect(world.failures).toEqual([]);
  });
});
