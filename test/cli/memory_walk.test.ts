import { describe, expect, it } from 'vitest';
import type { OpenMemory } from '../../src/cli/memory_access.ts';
import { walkMemory } from '../../src/cli/memory_walk.ts';
import { createMemoryApi } from '../../src/memory/api.ts';
import { aMemory, incidentDrafts } from '../memory/support.ts';

/** Walks with these orders over two incidents, and gives what was printed. */
async function walked(orders: readonly string[], options: { from?: string; json?: boolean } = {}) {
  const { live, reads } = aMemory();
  live(incidentDrafts({ id: 'inc-one' }));
  for (let index = 0; index < 20; index += 1) live(incidentDrafts({ id: `inc-two${index}` }));
  const open: OpenMemory = {
    face: createMemoryApi(reads),
    resolve: (prefix) => reads.resolve(prefix),
    [Symbol.dispose]: () => {},
  };
  const out: string[] = [];
  const err: string[] = [];
  async function* stdin() {
    yield orders.map((order) => `${order}\n`).join('');
  }
  const terminal = {
    ...{ out: (text: string) => out.push(text), err: (text: string) => err.push(text) },
    ...{ stdin: stdin(), colours: false },
  };
  await walkMemory(terminal, open, { from: options.from, json: options.json ?? false });
  return { places: out, err: err.join('') };
}

describe('THEA 2, the instruments: the numbered walk', () => {
  it('goes to what a number stands for, and back', async () => {
    const { places } = await walked(['1', 'back', 'quit', '1'], { from: 'inc-one' });
    expect(places.length).toBe(3);
    expect(places[0]).toMatch(/^incident inc-one/);
    expect(places[1]).toMatch(/^(symptom|envelope) /);
    expect(places[2]).toBe(places[0]);
  });

  it('begins again with reset, however far it went', async () => {
    const { places } = await walked(['1', '1', 'reset'], { from: 'inc-one' });
    expect(places.at(-1)).toBe(places[0]);
  });

  it('shows the next page with more, and its numbers go on', async () => {
    const { places } = await walked(['more', '16'], {});
    expect(places[0]).toContain('  15  incident');
    expect(places[1]).toContain('  16  incident');
    expect(places[2]).toMatch(/^incident inc-two4/);
  });

  it('goes to an id, or to the only one that begins so', async () => {
    const { places } = await walked(['inc-on'], {});
    expect(places[1]).toMatch(/^incident inc-one/);
  });

  it.each([
    ['99', /there is no 99 here/],
    ['nonsense', /a number goes there/],
    ['back', /where the walk began/],
    ['inc-two', /beginning of several/],
  ])('says why %s leads nowhere, and stays', async (order, why) => {
    const { places, err } = await walked([order], { from: 'inc-one' });
    expect(err).toMatch(why);
    expect(places.length).toBe(1);
  });

  it('prints one document for each place with --json', async () => {
    const { places } = await walked(['1'], { from: 'inc-one', json: true });
    const [first, second] = places.map((place) => JSON.parse(place) as { id: string; steps: { id: string }[] });
    expect(first!.id).toBe('inc-one');
    expect(second!.id).toBe(first!.steps[0]!.id);
  });
});
