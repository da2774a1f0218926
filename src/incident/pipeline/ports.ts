/** What the decision pipeline needs from outside; the daemon, the simulation and the backtest each provide it. */
import type { Clock } from '../../core/clock.ts';
import type { Engine } from '../../core/engine.ts';
import type { Ids } from '../../core/id.ts';
import type { Escalation } from '../../core/incident.ts';
import type { Append, Draft, Projection, Read } from '../../core/journal.ts';
import type { ChannelId, EngineId } from '../../core/scope.ts';
import type { Want } from '../../ground/rules/rule.ts';
import type { ChannelSetup, EngineSetup } from '../../ground/facts/setup.ts';
import type { Lanes } from '../../resilience/lanes.ts';
import type { Settings } from './settings.ts';

/** Everything the decision path needs from outside. A simulation hands over simulated ones and runs the same code. */
export interface PipelineDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly append: Append;
  readonly register: <State>(projection: Projection<State>) => Read<State>;
  readonly lanes: Lanes;
  readonly settings: () => Settings;
  readonly channels: readonly ChannelSetup[];
  readonly engineSetups: readonly EngineSetup[];
  readonly engines: ReadonlyMap<EngineId, Engine>;
  /** Secrets and control characters gone, at most 400 characters. */
  readonly clean: (text: string) => string;
  readonly raise: (page: Omit<Escalation, 'id' | 'at'>) => readonly Draft[];
  readonly resolve: (key: string, because: string) => readonly Draft[];
  /** Keys of the pages that are open now. */
  readonly openPages: () => readonly string[];
  /** The probes of these channels look often for a while, and at once. */
  readonly lookCloser: (channels: readonly ChannelId[], forMs: number) => void;
  /** One look now would settle a doubt sooner. */
  readonly lookNow: (channel: ChannelId, wants: readonly Want[]) => void;
  /** Something in Reeve itself went wrong. */
  readonly onFailure: (text: string) => void;
  /** Why the journal is broken, whoever found it; undefined while it is whole. */
  readonly journalBroken?: () => string | undefined;
}
