import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type MemoryDeps, openMemory } from '../../src/app/memory.ts';
import { ReeveError } from '../../src/core/errors.ts';
import { countingIds } from '../../src/core/id.ts';
import type { Model } from '../../src/core/model.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { takeLock } from '../../src/journal/lock.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { loadText } from '../config/support.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { incidentDrafts } from '../memory/support.ts';
import { anEnvelope } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { scriptedModel } from '../support/scripted_model.ts';

/** What the incidents of these tests showed. */
const LINE = { id: 'e1', at: 0, origin: 'log', source: 'log', text: 'Server returned 403 Forbidden' } as const;

interface Options {
  readonly state?: string;
  readonly model?: Model;
  readonly yaml?: string;
  readonly store?: MemoryStore;
}

function memoryOfDaemon(options: Options = {}) {
  const { clock, advance } = fakeClock();
  const store = options.store ?? new MemoryStore();
  const ledger = new Ledger(store, clock);
  ledger.open();
  const failures: string[] = [];
  const { config } = loadText(`version: 1\n${options.yaml ?? ''}`);
  const nothing = () => undefined;
  const deps = {
    config: config!,
    infrastructure: { ledger, rows: store, clock: ledger.clock, state: options.state ?? temporaryDirectory() },
    host: { ids: countingIds(), log: { info: nothing, warn: nothing, error: nothing } },
    model: options.model,
    fail: (text: string) => failures.push(text),
  } as unknown as MemoryDeps;
  const building = new AsyncDisposableStack();
  onTestFinished(() => building.disposeAsync());
  const memory = openMemory(deps, building);
  const caughtUp = async () => {
    const done = memory!.caughtUp();
    await advance(5_000);
    await done;
  };
  return { memory, ledger, advance, failures, caughtUp, close: () => building.disposeAsync() };
}

describe('the memory beside the daemon', () => {
  it('follows the journal, and gives a planner what was learned', async () => {
    const { memory, ledger, caughtUp } = memoryOfDaemon();
    for (const id of ['inc-1', 'inc-2']) ledger.append(incidentDrafts({ id }));
    await caughtUp();
    expect(memory!.insightsFor(anEnvelope({ evidence: [LINE] })).length).toBeGreaterThan(0);
    expect(memory!.insightsFor(anEnvelope({ failureClassification: 'guide_stale', channelId: 'film' }))).toEqual([]);
  });

  it('is off where its file cannot be used, and the daemon goes on', () => {
    const state = temporaryDirectory();
    using _other = takeLock(join(state, 'memory.db'));
    const { memory, failures } = memoryOfDaemon({ state });
    expect(memory).toBeUndefined();
    expect(failures).toEqual([expect.stringContaining('memory: it is off until the next start')]);
  });

  it('goes on where the first entry of the journal cannot be read, and that is told', async () => {
    const store = new MemoryStore();
    const { advance, failures } = memoryOfDaemon({ store });
    store.read = () => {
      throw new ReeveError('JOURNAL_BROKEN', 'entry 1 cannot be read');
    };
    await advance(60_000);
    expect(failures).toContain('memory: JOURNAL_BROKEN: entry 1 cannot be read');
  });

  it('is made anew from the journal where its file is damaged, and that is kept', async () => {
    const state = temporaryDirectory();
    writeFileSync(join(state, 'memory.db'), 'no database at all, whatever its name says '.repeat(50));
    const { memory, ledger, caughtUp, failures } = memoryOfDaemon({ state });
    ledger.append(incidentDrafts({ id: 'inc-1' }));
    await caughtUp();
    expect(failures).toEqual([
      expect.stringContaining('put aside as memory.db.broken and is made anew from the journal'),
    ]);
    expect(memory!.reads.list({ type: 'incident', limit: 9 }).map(({ id }) => id)).toEqual(['inc-1']);
  });

  it('is read anew from a journal that is not the one it has read, and keeps what was learned', async () => {
    const state = temporaryDirectory();
    const before = memoryOfDaemon({ state });
    for (let index = 0; index < 9; index += 1) before.ledger.append(incidentDrafts({ id: `inc-a${index}` }));
    await before.caughtUp();
    await before.close();
    const now = memoryOfDaemon({ state });
    now.ledger.append(incidentDrafts({ id: 'inc-b' }));
    await now.caughtUp();
    expect(now.memory!.reads.list({ type: 'incident', limit: 99 }).map(({ id }) => id)).toEqual(['inc-b']);
    expect(now.memory!.reads.insights.list({ limit: 99 })).toHaveLength(10);
    const done = now.memory!.reflect();
    await now.advance(5_000);
    expect(await done).toMatchObject({ ok: true, said: '10 insights became 1' });
  });
});

describe('a reflection', () => {
  it('is refused while another is under way, and possible again after it', async () => {
    const { memory, ledger, advance, caughtUp } = memoryOfDaemon();
    for (const id of ['inc-1', 'inc-2']) ledger.append(incidentDrafts({ id }));
    await caughtUp();
    const first = memory!.reflect();
    expect(await memory!.reflect()).toMatchObject({ ok: false, because: 'a reflection is under way' });
    await advance(5_000);
    expect(await first).toMatchObject({ ok: true, said: '2 insights became 1' });
    const second = memory!.reflect();
    await advance(5_000);
    expect(await second).toMatchObject({ ok: true, said: 'nothing to merge' });
  });
});

describe('the wording of an insight', () => {
  const asked = async (yaml: string) => {
    const model = scriptedModel(() => '');
    const { ledger, caughtUp } = memoryOfDaemon({ model, yaml });
    ledger.append(incidentDrafts({ id: 'inc-1' }));
    await caughtUp();
    return model.asked.length;
  };

  it('is asked of a model only where that is configured', async () => {
    expect(await asked('')).toBe(0);
    expect(await asked('memory: { word_insights: true }\n')).toBe(1);
  });
});
