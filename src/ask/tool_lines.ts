/** The daemon's answers as lines, each with the id that a sentence relying on it cites. Pure. */
import type { Evidence } from './tool.ts';

export interface WireChannel {
  readonly id: string;
  readonly engine: string;
  readonly healthy: boolean | null;
  readonly classification: string | null;
  readonly because: string;
  readonly restart_count: number;
  readonly breaker: string;
  readonly pool_pressure?: number | null;
}

export interface WireIncident {
  readonly id: string;
  readonly scope: string;
  readonly classification: string | null;
  readonly state: string;
  readonly because?: string | null;
  readonly ending: string | null;
  readonly open_ms: number;
  readonly opened_at?: number;
}

export interface WireStatus {
  readonly phase: number;
  readonly frozen: boolean;
  readonly containment: readonly { readonly scope: string; readonly reason: string; readonly detail: string }[];
  readonly channels: readonly WireChannel[];
  readonly incidents: readonly WireIncident[];
  readonly approvals: readonly { readonly id: string; readonly what: string; readonly incident: string }[];
  readonly problems: readonly string[];
}

interface WireFact {
  readonly type: string;
  readonly symptom?: { readonly evidence?: readonly { readonly source: string; readonly text: string }[] };
}

export interface WireStory extends WireIncident {
  readonly entries: readonly { readonly seq: number; readonly after_ms: number; readonly fact: WireFact }[];
}

export interface WireAdvice {
  readonly verdict: string;
  readonly code: string | null;
  readonly because: string;
  readonly incident?: string | null;
  readonly flips: readonly string[];
}

/** A journal fact as a sentence; undefined for one that is not shown to people. */
export type Telling = (fact: unknown) => string | undefined;

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
const stateOf = ({ healthy }: WireChannel): string =>
  healthy === true ? 'healthy' : healthy === false ? 'NOT healthy' : 'health not known';

const channelLine = (channel: WireChannel): Evidence => {
  const { id, classification, because, restart_count, breaker } = channel;
  const found = classification === null ? '' : ` (${classification})`;
  const text = `channel ${id} is ${stateOf(channel)}${found}: ${because}; starts in the last hour: ${restart_count}`;
  return { id: `channel:${id}`, text: `${text}; breaker ${breaker}` };
};

/** Of many not all are shown: what is in trouble comes first. */
const inTroubleFirst = (channels: readonly WireChannel[]): readonly WireChannel[] =>
  [false, null, true].flatMap((healthy) => channels.filter((channel) => channel.healthy === healthy));

/** All channels where none is named. */
export const channelLines = (channels: readonly WireChannel[], named: readonly string[]): readonly Evidence[] => {
  const missing = named.filter((name) => channels.every(({ id }) => id !== name));
  if (missing.length > 0) throw new Error(`there is no channel ${missing.join(', ')}`);
  return inTroubleFirst(channels)
    .filter(({ id }) => named.length === 0 || named.includes(id))
    .map(channelLine);
};

export const incidentLines = (incidents: readonly WireIncident[]): readonly Evidence[] =>
  incidents.map(({ id, scope, classification, state, because, ending, open_ms, opened_at }) => {
    const since = opened_at === undefined ? '' : ` since ${new Date(opened_at).toISOString()}`;
    const now =
      state === 'closed' ? `closed (${ending}) after ${seconds(open_ms)}` : `${state} for ${seconds(open_ms)}`;
    return { id, text: `${classification ?? 'trouble'} on ${scope}${since}: ${now}${because ? `; ${because}` : ''}` };
  });

export const statusLines = (status: WireStatus): readonly Evidence[] => [
  { id: 'fleet:status', text: `phase ${status.phase}${status.frozen ? ', FROZEN: nothing is changed' : ''}` },
  ...status.problems.map((text) => ({ id: 'fleet:status', text })),
  ...containmentLines(status),
  ...incidentLines(status.incidents),
  ...status.approvals.map(({ id, what, incident }) => ({ id, text: `waits for a yes: ${what} (${incident})` })),
  ...inTroubleFirst(status.channels).map(channelLine),
];

const containmentLines = ({ containment }: WireStatus): readonly Evidence[] =>
  containment.map(({ scope, reason, detail }) => ({
    ...{ id: scope.includes(':') ? scope : `fleet:containment`, text: `contained (${reason}) ${scope}: ${detail}` },
  }));

export const poolLines = (status: WireStatus): readonly Evidence[] => {
  const engines = new Map(status.channels.map(({ engine, pool_pressure }) => [engine, pool_pressure ?? undefined]));
  const pools = [...engines].map(([engine, pressure]) => ({
    id: `engine:${engine}`,
    text: `pool of ${engine}: ${pressure === undefined ? 'it reports none' : `${Math.round(pressure * 100)} % in use`}`,
  }));
  return [...pools, ...containmentLines(status).filter(({ text }) => text.startsWith('contained (pool_'))];
};

const STORY_MAX = 30;

/** `inc-81#1203`: one entry of the journal about the incident. */
export const storyLines = (story: WireStory, tell: Telling): readonly Evidence[] => [
  ...incidentLines([story]),
  ...story.entries
    .filter(({ fact }) => fact.type !== 'symptom.raised')
    .flatMap(({ seq, after_ms, fact }) => {
      const text = tell(fact);
      return text === undefined ? [] : [{ id: `${story.id}#${seq}`, text: `after ${seconds(after_ms)}: ${text}` }];
    })
    .slice(-STORY_MAX),
];

export const logLines = (story: WireStory): readonly Evidence[] => [
  ...incidentLines([story]),
  ...story.entries
    .flatMap(({ seq, fact }) =>
      (fact.symptom?.evidence ?? []).map(({ source, text }) => ({
        id: `${story.id}#${seq}`,
        text: `${source}: ${text}`,
      })),
    )
    .slice(-STORY_MAX),
];

/** `why` and `why-not`: the verdict and what would change it. */
export function adviceLines(channel: string, advice: WireAdvice): readonly Evidence[] {
  const { verdict, code, because, flips } = advice;
  const id = advice.incident ?? `channel:${channel}`;
  const first = { id, text: `${verdict}${code ? ` (${code})` : ''}: ${because}` };
  return [first, ...flips.map((text) => ({ id, text: `it would be otherwise if: ${text}` }))];
}

export const insightLines = ({
  insights,
}: {
  readonly insights: readonly { readonly id: string; readonly text: string; readonly strength: number }[];
}): readonly Evidence[] => insights.map(({ id, text, strength }) => ({ id, text: `${text} (strength ${strength})` }));

export const recalledLines = ({
  recalled,
}: {
  readonly recalled: readonly { readonly id: string; readonly text: string }[];
}): readonly Evidence[] => recalled.map(({ id, text }) => ({ id, text }));

type Row = Readonly<Record<string, unknown>>;
/** A conversation need not know where a file lies. */
const UNTOLD = new Set(['origin', 'file', 'sha256']);
const scalars = (row: Row): string =>
  Object.entries(row)
    .filter(([name]) => !UNTOLD.has(name))
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
    .join(', ');

export const ruleLines = ({ rules }: { readonly rules: readonly Row[] }): readonly Evidence[] =>
  rules.map((row) => ({ id: `rule:${String(row.id ?? row.rule ?? row.name)}`, text: scalars(row) }));

export const spotLines = ({ blind_spots }: { readonly blind_spots: readonly Row[] }): readonly Evidence[] =>
  blind_spots.map((row, index) => ({ id: `spot:${index + 1}`, text: scalars(row) }));
