import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createHints } from '../../src/app/hints.ts';
import type { HintsDeps } from '../../src/app/hints_open.ts';
import { countingIds } from '../../src/core/id.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { loadText } from '../config/support.ts';
import { temporary } from '../hints/support.ts';
import { fakeClock } from '../support/fake_clock.ts';

/** The hints of a daemon over a journal in memory, with their file in a folder of their own. */
export function hintsOfDaemon(more = '', state = temporary(), store = new MemoryStore()) {
  const ledger = new Ledger(store, fakeClock().clock);
  ledger.open();
  const failures: string[] = [];
  const nothing = () => undefined;
  const { config } = loadText(`version: 1\n${more}`, {}, { state });
  const deps = {
    config: config!,
    infrastructure: { ledger, rows: store, clock: ledger.clock, state },
    host: { ids: countingIds(), version: '0', log: { info: nothing, warn: nothing, error: nothing } },
    fail: (text: string) => failures.push(text),
  } as unknown as HintsDeps;
  const building = new AsyncDisposableStack();
  onTestFinished(() => building.disposeAsync());
  const hints = createHints(deps);
  const start = (hasModel: boolean) => hints.start(building, hasModel);
  const file = join(state, 'hints.db');
  return { hints, start, failures, state, file, ledger, deps, store };
}
