import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/journal/memory.ts';
import { spineWorld } from '../support/spine-world.ts';

describe('what the simulation found', () => {
  it('tells of a journal that fails in the middle of a look that a timer made, and lives on', async () => {
    const store = new MemoryStore();
    const world = spineWorld({ store });
    await world.live(10_000);
    world.engine.kill('news', 0);
    for (let passed = 0; passed < 12_000 && world.facts('incident.opened').length === 0; passed += 50) {
      const report = await world.engine.observe();
      for (const sample of [report.engine, ...report.processes]) world.spine.take(sample);
      world.spine.take(world.engine.playlistOf('news'));
      world.spine.settle();
      if (world.spine.watch.watched('news')?.finding.trouble) store.failWrites('no space left on device');
      await world.advance(50);
    }
    expect(world.failures.join('\n')).toContain('no space left on device');
  });
});
