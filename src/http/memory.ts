/** The reads of the memory; while it is off each says so and what to do. */
import type { Context } from 'hono';
import type { Daemon, MemoryApi } from './daemon.ts';
import type { DescribedRoutes } from './openapi.ts';
import { type HttpEnv, wire } from './request.ts';

const LIMIT_MAX = 500;
const LIMIT_DEFAULT = 50;
const QUESTION_CHARS_MAX = 2_000;
const OFF = {
  error: 'off',
  message: 'the memory of this daemon is off: set memory: { enabled: true } and start it again',
} as const;

const PAGE = { limit: `at most so many; ${LIMIT_DEFAULT} unless said`, offset: 'skip so many' };
const BETWEEN = { since: 'milliseconds since 1970', until: 'the same', before: 'nodes before this one' };

export function addMemory(routes: DescribedRoutes, daemon: Daemon): void {
  const read = <Name extends string = never>(
    path: string,
    text: { readonly summary: string; readonly query?: Readonly<Record<Name, string>> },
    answer: (memory: MemoryApi, c: Context<HttpEnv>, query: Readonly<Record<Name, string | undefined>>) => Response,
  ) =>
    routes.get(path, { ...text, answers: ANSWERS }, (c, query) =>
      daemon.memory === undefined ? c.json(OFF, 404) : answer(daemon.memory, c, query),
    );
  const learned = { state: '0 or 1', concept: 'only those of one concept', ...PAGE };
  const insights = 'What was learned, by state, strength and time';
  read('/api/v1/insights', { summary: insights, query: learned }, (memory, c, { state, concept, limit, offset }) => {
    const page = { limit: limitOf(limit), offset: numberOf(offset) ?? 0 };
    return wire(c, { insights: memory.insights({ state: stateOf(state), concept, ...page }) });
  });
  const listed = { type: 'only nodes of one type', ...BETWEEN, limit: PAGE.limit };
  read('/api/v1/memory', { summary: 'Nodes of the memory, newest first', query: listed }, (memory, c, query) => {
    const [since, until, before] = [query.since, query.until, query.before].map(numberOf);
    const nodes = memory.nodes({ type: query.type, since, until, before, limit: limitOf(query.limit) });
    return wire(c, nodes === undefined ? undefined : { nodes }, 'type of node');
  });
  read('/api/v1/memory/stat', { summary: 'How many nodes, edges and insights there are' }, (memory, c) =>
    wire(c, memory.stat()),
  );
  const asked = { summary: 'What would be recalled for a question', query: { question: 'as a person would ask it' } };
  read('/api/v1/memory/probe', asked, (memory, c, { question }) =>
    wire(c, memory.probe((question ?? '').slice(0, QUESTION_CHARS_MAX))),
  );
  const node = { summary: 'One node and the steps from it', query: PAGE };
  read('/api/v1/memory/nodes/{id}', node, (memory, c, { limit, offset }) => {
    const page = { limit: limitOf(limit), offset: numberOf(offset) ?? 0 };
    return wire(c, memory.node(c.req.param('id') ?? '', page), 'node');
  });
  read('/api/v1/memory/trees/{id}', { summary: 'The whole process that a node belongs to' }, (memory, c) =>
    wire(c, memory.tree(c.req.param('id') ?? ''), 'node'),
  );
}

const ANSWERS = { 200: 'done', 404: 'there is no such thing, or the memory is off' } as const;

const stateOf = (text: string | undefined): 0 | 1 | undefined => (text === '0' ? 0 : text === '1' ? 1 : undefined);

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

const limitOf = (text: string | undefined): number => Math.min(Math.max(1, numberOf(text) ?? LIMIT_DEFAULT), LIMIT_MAX);
