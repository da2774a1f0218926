// One question over HTTP, one answer: the same turn as `reeve ask`, with the daemon's own model.
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Ask } from '../ask/engine.ts';
import { Gate, GateError } from '../ask/gate.ts';
import type { Stamp } from '../ask/message.ts';
import { asksForAction, proposedIn } from '../ask/proposal.ts';
import { ModelReasoner } from '../ask/reasoner.ts';
import { DEFAULT_CONFIDENCE_THRESHOLD } from '../ask/router.ts';
import { type Evidence, PERMISSIONS, presentable } from '../ask/tool.ts';
import { toolsOver } from '../ask/tools.ts';
import { answerDocument, type Recording, Turns } from '../ask/turns.ts';
import { redact } from '../collect/redact.ts';
import type { Clock } from '../core/clock.ts';
import type { CommandAnswer } from '../core/command_answer.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { type ErrorCode, ReeveError } from '../core/errors.ts';
import { bodyOf } from './commands.ts';
import type { Asking, Command, Daemon } from './daemon.ts';
import type { DescribedRoutes } from './openapi.ts';
import { type HttpEnv, needs } from './request.ts';

const EVERYTHING = 'read';
const DEADLINE_MS = 2 * MINUTE_MS;
const REPLY_TOKENS_MAX = 1_024;
const CITES_MAX = 100;

const askBody = z.strictObject({
  question: z.string().trim().min(1, 'a question is required').max(4_000),
  grants: z
    .array(z.enum([EVERYTHING, ...PERMISSIONS]))
    .max(PERMISSIONS.length + 1)
    .default([])
    .describe('What may be looked up for this question: read is all of it.'),
  tool: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe('What to look up; chosen by the words of the question without it.'),
  args: z.record(z.string().regex(/^[a-z][a-z_]{0,39}$/), z.string().max(500)).default({}),
  route: z.boolean().default(true).describe('False: nothing is looked up but what tool says.'),
});
type AskBody = z.output<typeof askBody>;

const TEXT = {
  summary: 'One question, one answer: looks things up, asks the configured model once; an action becomes a proposal',
  scope: 'ack',
  body: askBody,
  answers: {
    200: 'the answer',
    400: 'the body is not sound, or what it names does not exist',
    403: 'the token has not the scope (an action needs operate), or grants lack what is to be looked up',
    503: 'the model gave no answer',
  },
} as const;

export interface AskDeps {
  readonly daemon: Daemon;
  readonly clock: Clock;
}

/** `app` answers the reads of a question, with the token of whoever asks. Nothing is added where nothing can answer. */
export function addAsk(routes: DescribedRoutes, app: Hono<HttpEnv>, { daemon, clock }: AskDeps): void {
  const { asking } = daemon;
  if (asking === undefined) return;
  routes.post('/api/v1/ask', TEXT, async (c) => {
    const body = await bodyOf(c);
    if (body instanceof Response) return body;
    const read = askBody.safeParse(body.value);
    if (!read.success) {
      const problems = read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      return c.json({ error: 'invalid', problems }, 400);
    }
    const refused = asksForAction(read.data.question) ? needs(c, 'operate') : undefined;
    if (refused !== undefined) return refused;
    try {
      const turns = turnsFor(read.data, {
        asking,
        clock,
        get: readsOf(app, c),
        command: commandsOf(daemon, c),
        signal: c.req.raw.signal,
      });
      return c.json(answerDocument(await turns.take(read.data.question, undefined)) as never);
    } catch (thrown) {
      return refusalOf(c, thrown);
    }
  });
}

type Get = <T>(path: string) => Promise<T>;
type Order = (name: Command['name'], fields: Command['fields']) => Promise<CommandAnswer>;

interface Ports {
  readonly asking: Asking;
  readonly clock: Clock;
  readonly get: Get;
  readonly command: Order;
  readonly signal: AbortSignal;
}

function turnsFor({ grants, tool, args, route }: AskBody, { asking, clock, get, command, signal }: Ports): Turns {
  const { model, tell, uuid } = asking;
  const stamp: Stamp = { now: () => clock.now(), uuid };
  const allowed = grants.includes(EVERYTHING) ? PERMISSIONS : grants;
  const options = { deadlineMs: DEADLINE_MS, tokensMax: REPLY_TOKENS_MAX, stamp, signal };
  const routeThreshold = route && tool === undefined ? DEFAULT_CONFIDENCE_THRESHOLD : undefined;
  return new Turns({
    flags: { tool, toolArgs: args, routeThreshold, verbose: false },
    tools: toolsOver({ get, tell }),
    gate: new Gate(allowed, { monotonicMs: () => clock.monotonicMs(), redact }),
    ask: model && new Ask(new ModelReasoner(model, options), { stamp, redact }),
    stamp,
    redact,
    propose: (prompt) =>
      proposedIn(prompt, {
        channels: async () => (await get<{ channels: readonly { id: string }[] }>('/api/v1/channels')).channels,
        propose: ({ channel, tool: wanted }) => command('propose', { channel, tool: wanted }),
      }),
    begin: (question) => recordingOf(question, command),
    stillKnown: async () => [],
    newestOf: ({ messages }) => messages,
    note: () => undefined,
  });
}

/** Through all checks of the API, so that a question shows nothing that its token could not read. */
const readsOf =
  (app: Hono<HttpEnv>, c: Context<HttpEnv>): Get =>
  async <T>(path: string) => {
    const headers = new Headers(c.req.raw.headers);
    for (const name of ['content-type', 'content-length', 'transfer-encoding']) headers.delete(name);
    const answer = await app.request(path, { headers }, c.env);
    const said = (await answer.json()) as T & { readonly message?: string };
    if (answer.ok) return said;
    throw new Error(said.message ?? `${path} answered ${answer.status}`);
  };

const commandsOf =
  (daemon: Daemon, c: Context<HttpEnv>): Order =>
  (name, fields) =>
    daemon.command({ name, who: c.var.grant.name, because: 'asked for in words', fields });

interface Begun {
  readonly turn: string;
  readonly recalled: readonly Evidence[];
}

/** For the memory. Where it is off, or the journal takes nothing, a question is answered all the same. */
async function recordingOf(question: string, command: Order): Promise<Recording | undefined> {
  const begun = await command('ask_begin', { question }).catch(ignoreRefused);
  const more = begun?.ok === true ? (begun.more as Begun | undefined) : undefined;
  if (more === undefined) return undefined;
  const { turn, recalled } = more;
  return {
    recalled: presentable(recalled, redact),
    async end({ cites, ...answer }) {
      const ended = { turn, ...answer, cites: cites.slice(0, CITES_MAX), evicted: [] };
      await command('ask_end', ended).catch(ignoreRefused);
    },
  };
}

function ignoreRefused(thrown: unknown): undefined {
  if (!(thrown instanceof ReeveError)) throw thrown;
}

const NO_ANSWER: ReadonlySet<ErrorCode> = new Set([
  'MODEL_UNREACHABLE',
  'MODEL_REFUSED',
  'MODEL_ANSWER_INVALID',
  'ANSWER_TOO_LARGE',
  'TIMED_OUT',
  'BREAKER_OPEN',
]);

function refusalOf(c: Context<HttpEnv>, thrown: unknown): Response {
  if (thrown instanceof GateError) {
    const message = `${thrown.tool} needs ${thrown.missing.join(', ')}: name it in grants, or read for all of them`;
    return c.json({ error: 'forbidden', message }, 403);
  }
  if (!(thrown instanceof ReeveError)) throw thrown;
  const { code, message } = thrown;
  if (code === 'USAGE') return c.json({ error: 'invalid', message }, 400);
  if (NO_ANSWER.has(code)) return c.json({ error: 'no_answer', message }, 503);
  throw thrown;
}
