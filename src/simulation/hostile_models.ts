/** Models that mean no good, behind the real gateway, the real prompt and the real parser (law S12). */
import { modelPlanner } from '../agent/planner.ts';
import type { PlannerSettings } from '../agent/decide.ts';
import type { Clock } from '../core/clock.ts';
import { invariant } from '../core/errors.ts';
import type { Append, Read } from '../core/journal.ts';
import type { Model, ModelAnswer, ModelRequest } from '../core/model.ts';
import { createGateway } from '../model/gateway.ts';
import type { ModelUse } from '../model/use.ts';
import { gibberish } from './planners.ts';
import { type Stream, streamOf } from './random_streams.ts';

/** What a hostile model says to a prompt, and after how long; undefined: nothing, ever. */
type Says = (request: ModelRequest, stream: Stream) => { readonly text: string; readonly afterMs: number } | undefined;

const CODES = ['evidence_fits_tool', 'may_pass_by_itself', 'too_risky', 'because I say so'];

/** Choice lines of a prompt: index and tool. */
const choicesIn = (prompt: string): readonly { readonly index: number; readonly tool: string }[] =>
  [...prompt.matchAll(/^(\d+): (\w+) /gm)].map(([, index, tool]) => ({ index: Number(index), tool: tool! }));

const idsIn = (prompt: string): readonly string[] => [...prompt.matchAll(/^([se]\d+): /gm)].map(([, id]) => id!);

/** An answer in the right form that picks the first of these tools, or whatever is there. */
function picking(request: ModelRequest, stream: Stream, tools: readonly string[]): string {
  const prompt = request.messages.at(-1)?.content ?? '';
  const choices = choicesIn(prompt);
  const wanted = tools.flatMap((tool) => choices.filter((each) => each.tool === tool));
  const { index } = wanted[0] ?? stream.pick(choices);
  return JSON.stringify({ choice: index, evidence_ids: idsIn(prompt).slice(0, 2), because_code: CODES[0] });
}

function anyAnswer(request: ModelRequest, stream: Stream): string {
  const ids = [...idsIn(request.messages.at(-1)?.content ?? ''), 'e99', 's0', gibberish(stream)];
  const answer = {
    choice: stream.chance(0.9) ? stream.int(-1, 11) : gibberish(stream),
    evidence_ids: stream.chance(0.5) ? [stream.pick(ids)] : [stream.pick(ids), stream.pick(ids)],
    because_code: stream.pick(CODES),
    ...(stream.chance(0.1) ? { command: 'restart everything' } : {}),
  };
  return stream.chance(0.1) ? gibberish(stream) : JSON.stringify(answer);
}

const now = (text: string, afterMs = 0) => ({ text, afterMs });

/** Each wants something else; `moody` is any of them at each call. */
export const HOSTILE_MODELS: Readonly<Record<string, Says>> = {
  random: (request, stream) => now(anyAnswer(request, stream), stream.int(0, 9_000)),
  greedy: (request, stream) =>
    now(picking(request, stream, ['restart_channel', 'rebuild_playout', 'invalidate_cache'])),
  lazy: (request, stream) => now(picking(request, stream, ['stop', 'wait'])),
  looking: (request, stream) => now(picking(request, stream, ['get_channel_health', 'fetch_recent_logs'])),
  silent: () => undefined,
  late: (request, stream) => now(picking(request, stream, ['restart_channel']), stream.int(6_000, 20_000)),
  moody: (request, stream) => {
    const kinds = ['random', 'greedy', 'lazy', 'looking', 'silent', 'late'] as const;
    return HOSTILE_MODELS[stream.pick(kinds)]?.(request, stream);
  },
};

export interface HostileModel {
  readonly says: Says;
  readonly stream: Stream;
  readonly mode: PlannerSettings['mode'];
  /** Counts calls over all processes of Reeve. */
  readonly onCall: () => void;
}

/** The named model, the same for the same seed. */
export function hostileModel(
  name: keyof typeof HOSTILE_MODELS,
  { seed }: { readonly seed: number },
  onCall: () => void = () => undefined,
): HostileModel {
  const says = HOSTILE_MODELS[name];
  invariant(says !== undefined, `no hostile model ${name}`);
  return { says, stream: streamOf(seed, `model:${name}`), mode: 'before_rules', onCall };
}

/** Far more than any budget would leave it: here only the guard is in its way. */
const CAPS = {
  callsPerIncident: 100,
  tokensPerIncident: 100_000_000,
  tokensPerDay: 1_000_000_000,
  moneyPerIncident: 1,
  moneyPerDay: 1,
};
const FREE = { promptPerMillion: 0, replyPerMillion: 0 };
const DEADLINE_MS = 8_000;

/** The planner of one process of Reeve. */
export function hostilePlanner(
  hostile: HostileModel,
  ports: { readonly clock: Clock; readonly append: Append; readonly use: Read<ModelUse> },
): PlannerSettings {
  const primary = { model: modelOf(hostile, ports.clock), price: FREE };
  const model = createGateway({ primary, caps: CAPS, ...ports });
  const planner = modelPlanner({ model, templateOf: () => '<str>' });
  return { planner, mode: hostile.mode, deadlineMs: DEADLINE_MS, replyTokensMax: 256 };
}

function modelOf({ says, stream, onCall }: HostileModel, clock: Clock): Model {
  return {
    name: 'hostile/model',
    async generate(request): Promise<ModelAnswer> {
      onCall();
      const entry = says(request, stream);
      if (entry === undefined) return new Promise(() => {});
      if (entry.afterMs > 0) await clock.sleep(entry.afterMs);
      const reply = { text: entry.text, model: 'hostile', promptTokens: 1, replyTokens: 1, durationMs: entry.afterMs };
      return { ok: true, reply };
    },
    embed: async () => undefined,
    list: async () => undefined,
  };
}
