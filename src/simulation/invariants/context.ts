/** What all oracles share. */
import type { JournalEntry, JournalFact } from '../../core/journal.ts';
import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import { keyOfScope, type Scope, type ScopeKey } from '../../core/scope.ts';
import type { ChannelPlan, Scenario } from '../scenario.ts';

export interface Violation {
  /** The law's id, as in docs/guard.md; `internal` and `invariant` for Reeve's own bugs. */
  readonly law: string;
  readonly atMs: number;
  readonly because: string;
}

/** What every oracle may know: the configuration, the world's clock, and where to complain. */
export interface InvariantContext {
  readonly script: Scenario;
  readonly limits: Limits;
  readonly persona: Persona;
  readonly nowMs: () => number;
  /** How long Reeve's machine has slept since its monotonic clock showed this. Absent: it never sleeps. */
  readonly sleptSinceMs?: (monoMs: number) => number;
  /** What an engine last reported to Reeve of its pool; `unasked`: nothing yet. */
  readonly poolOf: (engine: string) => number | undefined | 'unasked';
  readonly broke: (law: string, because: string) => void;
}

export type FactOf<T extends JournalFact['type']> = Extract<JournalFact, { readonly type: T }>;

/** Keys of every scope that lies over a target; `incident` says where a group or an engine target belongs. */
export function scopesOver(target: Scope, world: InvariantContext, engine: string | undefined): ReadonlySet<ScopeKey> {
  const keys = new Set([keyOfScope(target), 'fleet']);
  const plan = target.kind === 'channel' ? planOf(world, target.id) : undefined;
  if (plan !== undefined) keys.add(`group:${plan.group}`);
  const owner = plan?.engine ?? engine;
  if (owner !== undefined) keys.add(`engine:${owner}`);
  return keys;
}

export const planOf = ({ script }: InvariantContext, id: string): ChannelPlan | undefined =>
  script.channels.find((channel) => channel.id === id);

/** The scope holds something of the channel: itself, its group, its engine, the fleet. */
export const covers = (scope: Scope, channel: string, world: InvariantContext): boolean =>
  scopesOver({ kind: 'channel', id: channel }, world, undefined).has(keyOfScope(scope));

/** Tools that change nothing. */
const LOOKING: ReadonlySet<string> = new Set(['fetch_recent_logs', 'inspect_pool_status', 'get_channel_health']);

export const changes = (tool: string): boolean => !LOOKING.has(tool);

export interface Oracle {
  /** Entries that became durable together, as the world saw them. */
  entry(entry: JournalEntry, batch: readonly JournalEntry[]): void;
}
