/** Planners that draw random or greedy plans. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { Plan } from '../core/plan.ts';
import type { Scope } from '../core/scope.ts';
import { TOOL_NAMES, type ToolCall, type ToolName } from '../core/tool.ts';
import type { Rulebook } from '../rulebook/rulebook.ts';
import { type Stream, streamOf } from './random_streams.ts';
import type { Scenario } from './scenario.ts';

/** Counts what a planner was asked and what it answered. */
export interface Planner {
  readonly rulebook: Rulebook;
  readonly plans: () => number;
}

const BY = { kind: 'model', model: 'hostile' } as const;

/** A string of bytes that no parser let through, in the place of a name. */
export const gibberish = (stream: Stream): string =>
  Array.from({ length: stream.int(0, 24) }, () => String.fromCharCode(stream.int(0, 255))).join('');

/** Any scope that the grammar of calls knows, of this fleet or of none. */
function anyScope({ channels }: Scenario, stream: Stream): Scope {
  const { id, group, engine } = stream.pick(channels);
  return stream.pick([
    { kind: 'channel', id },
    { kind: 'channel', id },
    { kind: 'group', id: group },
    { kind: 'engine', id: engine },
    { kind: 'fleet' },
    { kind: 'channel', id: gibberish(stream) },
  ] satisfies readonly Scope[]);
}

/** Every well-formed call, and some that are not. */
export function anyCall(script: Scenario, stream: Stream): ToolCall {
  const tool = stream.chance(0.05) ? (gibberish(stream) as ToolName) : stream.pick(TOOL_NAMES);
  const many = stream.chance(0.2);
  const channels = many ? Array.from({ length: stream.int(1, 5) }, () => stream.pick(script.channels).id) : [];
  return { tool: stream.chance(0.5) ? 'restart_channel' : tool, target: anyScope(script, stream), channels };
}

/** A planner that draws every answer from the grammar of all plans. */
export function randomPlanner(script: Scenario): Planner {
  const stream = streamOf(script.seed, 'planner:random');
  return plannerOf((envelope) => {
    const lot = stream.next();
    const because = stream.chance(0.1) ? gibberish(stream) : 'any plan at all';
    if (lot < 0.1) return { kind: 'wait', escalateAfterMs: stream.int(-1_000, 10_000_000), because, by: BY };
    if (lot < 0.15) return { kind: 'stop', because, by: BY };
    if (lot < 0.2) return { kind: 'escalate', because, by: BY };
    const call = lot < 0.6 ? { ...anyCall(script, stream), target: envelope.scope } : anyCall(script, stream);
    return { kind: 'act', call, because, by: BY };
  });
}

/** A planner that wants restarts and nothing else, and never gives up nor calls anybody. */
export function greedyPlanner(_script: Scenario): Planner {
  return plannerOf((envelope) => ({ kind: 'act', call: restartOf(envelope), because: 'more restarts', by: BY }));
}

/** A planner that looks, and looks again, for as long as it is let. */
export function lookingPlanner(_script: Scenario): Planner {
  let last = 0;
  return plannerOf(({ scope }) => {
    last += 1;
    const tool = last % 2 === 0 ? 'fetch_recent_logs' : 'get_channel_health';
    return { kind: 'act', call: { tool, target: scope, channels: [] }, because: 'look again', by: BY };
  });
}

export const restartOf = ({ scope, channels }: GroundedContextEnvelope): ToolCall => ({
  tool: 'restart_channel',
  target: scope,
  channels: scope.kind === 'channel' ? [] : channels,
});

function plannerOf(answer: (envelope: GroundedContextEnvelope) => Plan): Planner {
  let plans = 0;
  return {
    plans: () => plans,
    rulebook: {
      rules: [],
      decide: (envelope) => {
        plans += 1;
        return answer(envelope);
      },
      matchAll: () => [],
    },
  };
}
