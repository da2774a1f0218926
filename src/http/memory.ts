/** The reads of the memory; while it is off each says so and what to do. */
import type { Context, Hono } from 'hono';
import type { Daemon, MemoryFace } from './daemon.ts';
import { type HttpEnv, wire } from './request.ts';

const LIMIT_MAX = 500;
const LIMIT_DEFAULT = 50;
const QUESTION_CHARS_MAX = 2_000;
const OFF = {
  error: 'off',
  message: 'the memory of this daemon is off: set memory: { enabled: true } and start it again',
} as const;

export function addMemory(app: Hono<HttpEnv>, daemon: Daemon): void {
  const read = (path: string, answer: (memory: MemoryFace, c: Context<HttpEnv>) => Response) =>
    app.get(path, (c) => (daemon.memory === undefined ? c.json(OFF, 404) : answer(daemon.memory, c)));
  read('/api/v1/insights', (memory, c) =>
    wire(c, {
      insights: memory.insights({
        ...{ state: stateOf(c.req.query('state')), concept: c.req.query('concept') },
        ...{ limit: limitOf(c), offset: numberOf(c.req.query('offset')) ?? 0 },
      }),
    }),
  );
  read('/api/v1/memory', (memory, c) => {
    const at = (name: string) => numberOf(c.req.query(name));
    const [type, since, until, before] = [c.req.query('type'), at('since'), at('until'), at('before')];
    const nodes = memory.nodes({ type, since, until, before, limit: limitOf(c) });
    return wire(c, nodes === undefined ? undefined : { nodes }, 'type of node');
  });
  read('/api/v1/memory/stat', (memory, c) => wire(c, memory.stat()));
  read('/api/v1/memory/probe', (memory, c) =>
    wire(c, memory.probe((c.req.query('question') ?? '').slice(0, QUESTION_CHARS_MAX))),
  );
  read('/api/v1/memory/nodes/:id', (memory, c) => {
    const page = { limit: limitOf(c), offset: numberOf(c.req.query('offset')) ?? 0 };
    return wire(c, memory.node(c.req.param('id') ?? '', page), 'node');
  });
  read('/api/v1/memory/trees/:id', (memory, c) => wire(c, memory.tree(c.req.param('id') ?? ''), 'node'));
}

const stateOf = (text: string | undefined): 0 | 1 | undefined => (text === '0' ? 0 : text === '1' ? 1 : undefined);

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

const limitOf = (c: Context<HttpEnv>): number =>
  Math.min(Math.max(1, numberOf(c.req.query('limit')) ?? LIMIT_DEFAULT), LIMIT_MAX);
