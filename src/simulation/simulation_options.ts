/** What a simulation may be asked besides its script, and what it comes to. */
import type { Attacker } from './attacker.ts';
import type { Batch, EffectLog } from './effect_log.ts';
import type { Invariants, Violation } from './invariants/invariants.ts';
import type { ServiceModel } from './service_model.ts';
import type { SettingChoices } from './settings.ts';

export interface SimulationOptions extends SettingChoices {
  /** False: every second is lived through. True (the default): stretches in which nothing can happen are skipped. */
  readonly leap?: boolean;
  /** Somebody asks the guard for anything at any time, besides. */
  readonly adversary?: boolean;
  /** Somebody holds one log, one ingest token and one status page, and uses them. */
  readonly attacker?: boolean;
  /** Called with everything that becomes durable. */
  readonly onBatch?: (batch: Batch) => void;
  /** How long everything that is promised may take to come true once all is healed; 0: nothing is demanded. */
  readonly livenessMs?: number;
  /** Stops at the first violation. Default true. */
  readonly stopEarly?: boolean;
}

export interface SimulationEnd {
  readonly events: number;
  readonly nowMs: number;
  readonly violations: readonly Violation[];
  /** What the adversarial planner has asked for. */
  readonly plans: number;
  /** What the attacker held and sent; undefined where there was none. */
  readonly attacker: Pick<Attacker, 'logOf' | 'pageOf' | 'claims'> | undefined;
  readonly traceSha256: string;
  readonly record: EffectLog;
  readonly service: ServiceModel;
  readonly invariants: Invariants;
}
