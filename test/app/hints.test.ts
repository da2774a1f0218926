import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporary } from '../hints/support.ts';
import { hintsOfDaemon } from './support.ts';

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
