/** What `ask` can look up: reads of the running daemon, and nothing else. */
import { TOOL_NAMES } from '../core/tool.ts';
import {
  adviceLines,
  channelLines,
  incidentLines,
  insightLines,
  logLines,
  poolLines,
  recalledLines,
  ruleLines,
  spotLines,
  statusLines,
  storyLines,
  type Telling,
  type WireChannel,
  type WireIncident,
  type WireStory,
} from './tool_lines.ts';
import type { Evidence, Permission, Tool, ToolArgs } from './tool.ts';

export interface ToolDeps {
  /** Reads one path of the daemon's API. Throws where it does not answer. */
  readonly get: <T>(path: string) => Promise<T>;
  /** One journal fact as a sentence; undefined for one that is not shown to people. */
  readonly tell: Telling;
}

interface Entry {
  readonly description: string;
  readonly needs: Permission | undefined;
  readonly args: readonly string[];
  readonly hints: readonly string[];
  readonly run: (deps: ToolDeps, args: ToolArgs) => Promise<readonly Evidence[]>;
}

const CHANNEL = 'channel';
const INCIDENT = 'incident';
const LISTED = '10';

/** `question`, where a question was routed, holds all of its words: a name in it is looked for after the gate. */
const ENTRIES: Readonly<Record<string, Entry>> = {
  echo: {
    ...{ description: 'says its argument again; looks nothing up', needs: undefined, args: ['text'], hints: ['echo'] },
    run: async (_, { text = '' }) => [{ id: 'echo:text', text }],
  },
  status: {
    ...{ description: 'phase, containment, open incidents, every channel', needs: 'status-read', args: [] },
    hints: ['status', 'overview', 'how are', 'what is going on', 'anything wrong', 'open incidents', 'all channels'],
    run: async ({ get }) => statusLines(await get('/api/v1/status')),
  },
  health: {
    ...{ description: 'whether a channel plays, and what says so', needs: 'status-read', args: [CHANNEL] },
    hints: ['health', 'healthy', 'playing', 'is it up', 'is it down', 'how is'],
    run: async ({ get }, args) => channelLines(await channelsOf(get), await namedIn(get, args)),
  },
  incidents: {
    ...{ description: 'incidents, newest first', needs: 'incidents-read', args: [CHANNEL, 'limit'] },
    hints: ['incidents', 'what happened', 'last night', 'tonight', 'today', 'yesterday', 'this week', 'outages'],
    run: async ({ get }, args) => {
      const channel = (await namedIn(get, args)).at(0);
      const query = new URLSearchParams({ limit: args.limit ?? LISTED, ...(channel && { channel }) });
      return incidentLines((await get<{ incidents: WireIncident[] }>(`/api/v1/incidents?${query}`)).incidents);
    },
  },
  trace: {
    ...{ description: 'the story of an incident', needs: 'incidents-read', args: [INCIDENT, CHANNEL] },
    hints: ['trace', 'story', 'timeline', 'step by step', 'what did you do', 'what was done'],
    run: async (deps, args) => storyLines(await storyOf(deps, args), deps.tell),
  },
  why: {
    ...{ description: 'the last decision about a channel', needs: 'decisions-read', args: [CHANNEL] },
    hints: ['why', 'reason', 'what caused', 'decision'],
    run: async ({ get }, args) => {
      const channel = await oneChannel(get, args);
      return adviceLines(channel, await get(`/api/v1/why/${encodeURIComponent(channel)}`));
    },
  },
  'why-not': {
    ...{ description: 'what the guard would answer now', needs: 'decisions-read', args: [CHANNEL, 'tool'] },
    hints: ['why not', 'why was it not', "why didn't", 'why did you not', 'could it be restarted', 'may it restart'],
    run: async ({ get }, args) => {
      const channel = await oneChannel(get, args);
      const path = `/api/v1/why-not/${encodeURIComponent(channel)}/${encodeURIComponent(toolIn(args))}`;
      return adviceLines(channel, await get(path));
    },
  },
  logs: {
    ...{ description: 'the log lines that are kept of an incident', needs: 'logs-read', args: [INCIDENT, CHANNEL] },
    hints: ['logs', 'log', 'log lines', 'error lines', 'error messages', 'what does it say'],
    run: async (deps, args) => logLines(await storyOf(deps, args)),
  },
  pool: {
    ...{ description: 'how full each pool is, and what containment says', needs: 'pool-read', args: [CHANNEL] },
    hints: ['pool', 'pressure', 'capacity', 'pool status'],
    run: async ({ get }) => poolLines(await get('/api/v1/status')),
  },
  insights: {
    ...{ description: 'what was learned, strongest first', needs: 'memory-read', args: ['concept', 'limit'] },
    hints: ['insights', 'learned', 'what have you learned', 'what helps'],
    run: async ({ get }, { concept, limit = LISTED }) => {
      const query = new URLSearchParams({ state: '1', limit, ...(concept && { concept }) });
      return insightLines(await get(`/api/v1/insights?${query}`));
    },
  },
  memory: {
    ...{ description: 'what is recalled for a question', needs: 'memory-read', args: ['question'] },
    hints: ['remember', 'recall', 'seen before', 'before', 'ever', 'similar', 'how often', 'last time'],
    run: async ({ get }, { question = '' }) =>
      recalledLines(await get(`/api/v1/memory/probe?${new URLSearchParams({ question })}`)),
  },
  rules: {
    ...{ description: 'the rules that are loaded, with their record', needs: 'rules-read', args: [] },
    hints: ['rules', 'rule', 'rulebook', 'which rule'],
    run: async ({ get }) => ruleLines(await get('/api/v1/rules')),
  },
  'blind-spots': {
    ...{ description: 'recurring lines that nothing recognises', needs: 'rules-read', args: [] },
    hints: ['blind spots', 'unrecognised', 'unrecognized', 'unknown lines', 'not recognised'],
    run: async ({ get }) => spotLines(await get('/api/v1/blind_spots')),
  },
};

/** Every tool, by its name in the order in which they are listed. */
export const toolsOver = (deps: ToolDeps): ReadonlyMap<string, Tool> =>
  new Map(
    Object.entries(ENTRIES).map(([name, { description, needs, args, hints, run }]) => [
      name,
      {
        ...{ name, description, args, routingHints: hints },
        requiredPermissions: needs === undefined ? [] : [needs],
        extractArgs: (prompt: string) => argsIn(prompt),
        run: (given: ToolArgs) => run(deps, given),
      },
    ]),
  );

/** Pure: what a question says by itself; which of its words is a channel is seen when the tool runs. */
function argsIn(prompt: string): ToolArgs {
  const incident = /\binc-[a-z0-9]{1,40}\b/.exec(prompt)?.[0];
  const channel = /\bchannel:([\w.-]*\w)/.exec(prompt)?.[1];
  const words = new Set(prompt.toLowerCase().match(/[a-z_]+/g) ?? []);
  const tool = TOOL_NAMES.find((each) => words.has(each));
  return {
    question: prompt.slice(0, 500),
    ...(incident !== undefined && { incident }),
    ...(channel !== undefined && { channel }),
    ...(tool !== undefined && { tool }),
  };
}

const toolIn = ({ tool }: ToolArgs): string => tool ?? 'restart_channel';

const channelsOf = async (get: ToolDeps['get']): Promise<readonly WireChannel[]> =>
  (await get<{ channels: WireChannel[] }>('/api/v1/channels')).channels;

/** The channels that are meant: the one given, else those whose names stand in the question. */
async function namedIn(get: ToolDeps['get'], { channel, question }: ToolArgs): Promise<readonly string[]> {
  if (channel !== undefined) return [channel];
  if (question === undefined) return [];
  const words = new Set(question.toLowerCase().match(/[a-z0-9][\w.-]*[a-z0-9_]|[a-z0-9]/g) ?? []);
  return (await channelsOf(get)).map(({ id }) => id).filter((id) => words.has(id.toLowerCase()));
}

async function oneChannel(get: ToolDeps['get'], args: ToolArgs): Promise<string> {
  const [channel] = await namedIn(get, args);
  if (channel !== undefined) return channel;
  throw new Error('no configured channel is named: --tool-arg channel=NAME, or name it in the question');
}

/** The incident that is meant: the one given, else the newest of the channel, else the newest of all. */
async function storyOf({ get }: ToolDeps, args: ToolArgs): Promise<WireStory> {
  if (args.incident !== undefined) return get(`/api/v1/incidents/${encodeURIComponent(args.incident)}`);
  const [channel] = await namedIn(get, args);
  const query = new URLSearchParams({ limit: '1', ...(channel && { channel }) });
  const [newest] = (await get<{ incidents: WireIncident[] }>(`/api/v1/incidents?${query}`)).incidents;
  if (newest === undefined) throw new Error(`there is no incident${channel === undefined ? '' : ` on ${channel}`}`);
  return get(`/api/v1/incidents/${encodeURIComponent(newest.id)}`);
}
