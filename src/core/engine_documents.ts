import { z } from 'zod';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration with a unit; milliseconds once it is read. */
const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,6}(ms|s|m|h|d)$/, 'expected a duration such as 30s: a whole number with ms, s, m, h or d')
  .transform((text) => Number.parseInt(text, 10) * UNIT_MS[text.replace(/^\d+/, '')]!);

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'expected a URL such as http://127.0.0.1:9001' })
  .refine((url) => !/^https?:\/\/[^/]*@/.test(url), 'a URL carries no credentials: use the keys made for them');

const text = z.string().min(1).max(4_096);

/** `/stats/active`: where a value stands in a JSON answer (RFC 6901). Empty: the whole answer. */
const pointer = z.string().regex(/^(\/[^/]*)*$/, 'expected a JSON pointer such as /stats/active');

/** The keys that every kind of engine has. */
const common = {
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'expected letters, digits, "_", "-" or "."'),
  poll: duration.prefault('1s').describe('How often the engine is looked at.'),
  timeout: duration.prefault('15s').describe('How long a look may take.'),
  change_timeout: duration.prefault('60s').describe('How long a change may take. Longer than a stop takes at most.'),
  local: z
    .union([z.boolean(), z.literal('auto')])
    .default('auto')
    .describe('May /proc be read for the processes of the engine? auto: where they prove to be on this machine.'),
  autorestart_grace: duration.prefault('1s').describe('How long the engine itself gets to restart what died.'),
  logs: z
    .array(z.strictObject({ path: text }))
    .max(64)
    .default([]),
  host: z.strictObject({ disks: z.array(text).max(16).default([]), every: duration.prefault('5s') }).optional(),
};

const LOOPBACK = /^https?:\/\/(127\.[0-9.]+|localhost|\[::1\])([:/]|$)/;

interface ClearSecret {
  readonly url?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
}

/** A secret in clear goes nowhere but to this machine. */
const clearOnlyOnLoopback = ({ url, password, token }: ClearSecret): boolean =>
  (password ?? token) === undefined || url === undefined || LOOPBACK.test(url);

const CLEAR_SECRET =
  'a secret in clear is accepted for loopback addresses only: use password_env, password_file, token_env or token_file';

const password = { password: text.optional(), password_env: text.optional(), password_file: text.optional() };
const token = { token: text.optional(), token_env: text.optional(), token_file: text.optional() };

const supervisor = z
  .strictObject({
    ...common,
    kind: z.literal('supervisor'),
    url: httpUrl.optional().describe('Its XML-RPC address, such as http://127.0.0.1:9001/RPC2.'),
    socket: text.optional().describe('Its unix socket, such as /run/supervisor.sock.'),
    username: text.optional(),
    ...password,
  })
  .refine(({ url, socket }) => (url === undefined) !== (socket === undefined), 'expected either url or socket')
  .refine(clearOnlyOnLoopback, CLEAR_SECRET);

const STATE_WORDS = ['running', 'starting', 'backoff', 'stopping', 'stopped', 'exited', 'fatal'] as const;

/** Where the facts about one channel stand, in an item of the engine's list. */
const fields = z.strictObject({
  name: pointer.describe("The channel's name."),
  state: pointer.optional(),
  pid: pointer.optional(),
  generation: pointer.optional().describe('Anything that changes exactly when a new life of the channel begins.'),
  uptime_seconds: pointer.optional(),
  exit_code: pointer.optional(),
  viewers: pointer.optional(),
});

const states = z
  .array(z.strictObject({ says: z.union([z.string(), z.number(), z.boolean()]), means: z.enum(STATE_WORDS) }))
  .max(64)
  .default([])
  .describe('What the engine calls its states. What is not listed is unknown, never healthy.');

const reading = {
  items: pointer
    .default('')
    .describe('The list of channels in the answer. Of a mapping each entry is an item { key, value }.'),
  fields,
  states,
};

const proof = z.strictObject({
  at: pointer,
  equals: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});

const path = z
  .string()
  .regex(/^\/[^\s#]*$/, 'expected a path such as /api/channels/{channel}/restart')
  .max(2_048);

const route = {
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
  path,
  body: z.string().max(8_192).optional().describe('Sent as written; {channel} becomes the name of the channel.'),
  content_type: text.default('application/json'),
  statuses: z.array(z.int().min(200).max(299)).min(1).max(16).default([200, 201, 202, 204]),
  proof: proof.optional().describe('What must stand in the answer. A status alone proves little.'),
};

/** Nothing is changed whose effect cannot be looked at afterwards. */
const isVerifiable = (has: Readonly<Record<string, unknown>>): boolean =>
  (has.refresh === undefined || has.credentials !== undefined) &&
  (has.rebuild === undefined || has.playout !== undefined) &&
  (has.cache === undefined || has.cache_entries !== undefined);

const UNVERIFIABLE =
  'refresh needs credentials, rebuild needs playout and cache needs cache_entries: the look that proves it';

const credentialsEvery = duration.prefault('5m').describe('How often the credentials are tried.');

const httpRoute = z.strictObject(route);
const look = z.strictObject({ ...route, method: route.method.default('GET') });

const http = z
  .strictObject({
    ...common,
    kind: z.literal('http'),
    url: httpUrl,
    username: text.optional(),
    ...password,
    ...token,
    headers: z
      .array(z.strictObject({ name: z.string().regex(/^[A-Za-z0-9-]+$/), value: text }))
      .max(32)
      .default([]),
    list: z.strictObject({ path, ...reading }),
    health: look.optional(),
    pool: z.strictObject({ path, active: pointer, max: pointer }).optional(),
    recent_logs: z.strictObject({ path, at: pointer.optional() }).optional(),
    restart: httpRoute.optional(),
    refresh: httpRoute.optional(),
    credentials: look.optional().describe('Succeeds exactly when the credentials of the engine work.'),
    rebuild: z.strictObject({ ...route, items_added: pointer }).optional(),
    playout: look.optional().describe('Succeeds exactly when the channel has something to play.'),
    cache: httpRoute.optional(),
    cache_entries: z.strictObject({ path, at: pointer }).optional(),
    credentials_every: credentialsEvery,
  })
  .refine(isVerifiable, UNVERIFIABLE)
  .refine(clearOnlyOnLoopback, CLEAR_SECRET);

const argument = z
  .string()
  .max(4_096)
  .refine((word) => word === '{channel}' || !word.includes('{channel}'), '{channel} must be an argument of its own');

const argv = z
  .tuple([z.string().regex(/^\//, 'expected the full path of a program, such as /usr/bin/systemctl')], argument)
  .describe('Program and arguments. No shell is involved.');

const run = z.strictObject({ argv });

const command = z
  .strictObject({
    ...common,
    kind: z.literal('command'),
    list: z
      .strictObject({ argv, ...reading })
      .optional()
      .describe('Prints JSON about all channels.'),
    status: z
      .strictObject({ argv, states })
      .optional()
      .describe(
        'Asked for each channel. Its first line is looked up in states; else exit 0 is running, 1 to 3 exited.',
      ),
    recent_logs: run.optional(),
    restart: run.optional(),
    refresh: run.optional(),
    credentials: run.optional().describe('Exits 0 exactly when the credentials of the engine work.'),
    rebuild: z.strictObject({ argv, items_added: pointer }).optional().describe('Prints JSON.'),
    playout: run.optional().describe('Exits 0 exactly when the channel has something to play.'),
    cache: run.optional(),
    cache_entries: run.optional().describe('Prints a number.'),
    credentials_every: credentialsEvery,
  })
  .refine(isVerifiable, UNVERIFIABLE)
  .refine(({ list, status }) => (list === undefined) !== (status === undefined), 'expected either list or status');

const exstreamtv = z
  .strictObject({
    ...common,
    kind: z.literal('exstreamtv'),
    url: httpUrl.describe('Its base address, such as http://127.0.0.1:8411.'),
    ...token,
    poll: duration.prefault('5s').describe('How often the engine is looked at.'),
    restart: z
      .enum(['none', 'patch'])
      .default('none')
      .describe('patch: the service answers POST /api/channels/{id}/restart. As published it cannot restart.'),
    channel_health: z
      .enum(['use', 'ignore'])
      .default('use')
      .describe('ignore: do not read /api/health/channels, which breaks once a channel has played.'),
    plex: z.boolean().default(true).describe('The service takes its media from Plex.'),
    credentials_every: credentialsEvery,
  })
  .refine(clearOnlyOnLoopback, CLEAR_SECRET);

export const supervisorDocument = supervisor;
export const httpEngineDocument = http;
export const commandEngineDocument = command;
export const exstreamtvDocument = exstreamtv;

/** One entry of `engines:` in the configuration. Durations are milliseconds once it is read. */
export const engineDocument = z.discriminatedUnion('kind', [supervisor, http, command, exstreamtv]);

export type SupervisorDocument = Readonly<z.output<typeof supervisor>>;
export type HttpEngineDocument = Readonly<z.output<typeof http>>;
export type CommandEngineDocument = Readonly<z.output<typeof command>>;
export type ExstreamtvDocument = Readonly<z.output<typeof exstreamtv>>;
export type EngineDocument = Readonly<z.output<typeof engineDocument>>;

/** Where a secret comes from. Whoever may read files and the environment turns it into text. */
export interface SecretReference {
  readonly clear: string | undefined;
  readonly env: string | undefined;
  readonly file: string | undefined;
}

/** `secretOf(document, 'password')`; undefined where none is configured. */
export function secretOf(document: object, name: 'password' | 'token'): SecretReference | undefined {
  const keys = document as Readonly<Record<string, string | undefined>>;
  const found = { clear: keys[name], env: keys[`${name}_env`], file: keys[`${name}_file`] };
  return found.clear === undefined && found.env === undefined && found.file === undefined ? undefined : found;
}
