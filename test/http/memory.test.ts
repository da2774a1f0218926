import { describe, expect, it, onTestFinished } from 'vitest';
import type { MemoryApi } from '../../src/http/daemon.ts';
import { aDaemon, served } from './support.ts';

/** A daemon with that memory; each read answers with what it was asked for. */
async function asking(memory: MemoryApi | undefined) {
  const { ask, server } = await served(aDaemon(memory && { memory }).daemon);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return async (path: string) => {
    const answer = await ask(path, { scope: 'read' });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
}
const asked: unknown[] = [];
const note = (value: unknown) => {
  asked.push(value);
  return [];
};
const memory = {
  insights: note,
  nodes: (query: { type?: string }) => (query.type === 'nonsense' ? undefined : note(query)),
  stat: () => ({ nodes: 1 }),
  probe: (question: string) => ({ length: question.length }),
  node: (id: string, page: object) => (id === 'inc-1' ? { id, ...page } : undefined),
  tree: (id: string) => (id === 'inc-1' ? { id } : undefined),
} as unknown as MemoryApi;

describe('the memory over HTTP', () => {
  it.each(['insights', 'memory', 'memory/stat', 'memory/probe', 'memory/nodes/inc-1', 'memory/trees/inc-1'])(
    'that is off says so and what to do: %s',
    async (path) => {
      const { status, body } = await (await asking(undefined))(`/api/v1/${path}`);
      expect([status, body.error]).toEqual([404, 'off']);
      expect(body.message).toContain('memory: { enabled: true }');
    },
  );

  it('lists fifty entries by default, one at least and five hundred at most', async () => {
    const ask = await asking(memory);
    asked.length = 0;
    for (const limit of ['', '?limit=0', '?limit=500', '?limit=501', '?limit=-1']) await ask(`/api/v1/memory${limit}`);
    expect(asked).toMatchObject([50, 1, 500, 500, 50].map((limit) => ({ limit })));
  });

  it('lists insights of either state, and of both where none of the two is named', async () => {
    const ask = await asking(memory);
    asked.length = 0;
    for (const state of ['?state=0', '?state=1', '?state=2', '']) await ask(`/api/v1/insights${state}`);
    expect(asked.map((query) => (query as { state?: number }).state)).toEqual([0, 1, undefined, undefined]);
  });

  it('answers 404 for a type, a node or a tree that there is not', async () => {
    const ask = await asking(memory);
    for (const path of ['memory?type=nonsense', 'memory/nodes/inc-2', 'memory/trees/inc-2'])
      expect((await ask(`/api/v1/${path}`)).status).toBe(404);
    expect(await ask('/api/v1/memory/nodes/inc-1?limit=7&offset=3')).toEqual({
      ...{ status: 200, body: { id: 'inc-1', limit: 7, offset: 3 } },
    });
  });

  it('looks at the first two thousand characters of a question', async () => {
    const ask = await asking(memory);
    for (const [length, seen] of [
      [2_000, 2_000],
      [2_001, 2_000],
      [0, 0],
    ] as const)
      expect((await ask(`/api/v1/memory/probe?question=${'x'.repeat(length)}`)).body).toEqual({ length: seen });
  });
});
