import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHints } from '../../src/app/hints.ts';
import type { HintsDeps } from '../../src/app/hints_open.ts';
import { countingIds } from '../../src/core/id.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { loadText } from '../config/support.ts';
import { temporary } from '../hints/support.ts';
import { aBundle } from '../support/hint_bundle.ts';
import { fakeClock } from '../support/fake_clock.ts';

/** The hints of a daemon over a journal in memory, with their file in a folder of their own. */
function hintsOfDaemon(more = '', state = temporary()) {
  const ledger = new Ledger(new MemoryStore(), fakeClock().clock);
  ledger.open();
  const failures: string[] = [];
  const nothing = () => undefined;
  const { config } = loadText(`version: 1\n${more}`, {}, { state });
  const deps = {
    config: config!,
    infrastructure: { ledger, clock: ledger.clock, state },
    host: { ids: countingIds(), version: '0', log: { info: nothing, warn: nothing, error: nothing } },
    fail: (text: string) => failures.push(text),
  } as unknown as HintsDeps;
  const building = new AsyncDisposableStack();
  onTestFinished(() => building.disposeAsync());
  const hints = createHints(deps);
  const start = (hasModel: boolean) => hints.start(building, hasModel);
  const file = join(state, 'hints.db');
  return { hints, start, failures, state, file };
}
const planning = `models: { servers: [{ id: m, kind: ollama, url: "http://127.0.0.1:1" }], primary: m/x }
planner: { mode: after_rules }
`;

describe('the hints beside the daemon', () => {
  it('are not loaded where no planner may ask for them', async () => {
    for (const [more, hasModel] of [
      ['', true],
      [planning, false],
    ] as const) {
      const { hints, start, file } = hintsOfDaemon(more);
      await start(hasModel);
      expect([hints.loaded(), existsSync(file)]).toEqual([undefined, false]);
      expect(hints.hintFor({} as never)).toBeUndefined();
    }
  });

  it('are loaded where a planner asks a model, and where they were used before', async () => {
    const first = hintsOfDaemon(planning);
    await first.start(true);
    expect(first.hints.loaded()).toBeDefined();
    first.hints.loaded()?.[Symbol.dispose]();
    const again = hintsOfDaemon('', first.state);
    await again.start(false);
    expect(again.hints.loaded()).toBeDefined();
  });

  it('are loaded once, when somebody asks', async () => {
    const { hints, start } = hintsOfDaemon();
    await start(false);
    const [one, two] = await Promise.all([hints.face(), hints.face()]);
    expect(one).toBe(two);
    expect(hints.loaded()?.hints).toBe(one);
  });

  it('that fail to load are reported at the start, and are tried again at the next request', async () => {
    const state = temporary();
    writeFileSync(join(state, 'hints.db'), 'no database at all, whatever its name says '.repeat(50));
    const { hints, start, failures } = hintsOfDaemon('hints: { router: store }\n', state);
    await start(false);
    expect(failures).toEqual([expect.stringContaining('hints: they are off:')]);
    await expect(hints.face()).rejects.toThrow();
    expect(hints.loaded()).toBeUndefined();
    rmSync(join(state, 'hints.db'));
    await hints.face();
    expect(hints.loaded()).toBeDefined();
  });

  it('give a planner none where they fail, and never throw', async () => {
    const { hints, start, failures } = hintsOfDaemon(planning);
    await start(true);
    expect(hints.hintFor(undefined as never)).toBeUndefined();
    expect(failures).toEqual([expect.stringContaining('hints: the planner was given none:')]);
  });
});

describe('the file of the hints', () => {
  it('is put aside and made anew where it is broken and no configuration insists on it', async () => {
    const state = temporary();
    writeFileSync(join(state, 'hints.db'), 'no database at all, whatever its name says '.repeat(50));
    const { start, failures, hints } = hintsOfDaemon('', state);
    await start(false);
    expect(failures).toEqual([expect.stringContaining('it was put aside and is made anew')]);
    expect(existsSync(join(state, 'hints.db.broken'))).toBe(true);
    expect(hints.loaded()).toBeDefined();
  });

  it('is served without a bundle that cannot be read, and the bundle is reported', async () => {
    const folder = join(temporary(), 'bundle');
    aBundle(folder, { no: 'cluster' });
    const { hints, failures } = hintsOfDaemon(`hints: { folder: "${folder}" }\n`);
    await hints.face();
    expect(failures).toEqual([expect.stringContaining('hints: the bundle is not used:')]);
  });
});
