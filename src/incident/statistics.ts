/** Counts facts of the journal for metrics and `reeve stats`. */
import type { Clock } from '../core/clock.ts';
import type { JournalEntry, Projection } from '../core/journal.ts';
import type { Limits } from '../core/limits.ts';
import { keyOfScope, parseScope } from '../core/scope.ts';
import { breakerOf } from '../guard/containment.ts';
import { cooldownOf } from '../guard/state/cooldown.ts';
import { isStart, TOOL_SPECS } from '../remediation/catalog.ts';
import { subjectsOf } from '../guard/state/state.ts';
import type { ChannelIndex } from './pipeline/channel_index.ts';
import type { DecisionPipeline } from './pipeline/decision_pipeline.ts';
import type { Ledger } from '../journal/ledger.ts';
import type { Gauges } from '../telemetry/gauges.ts';

/** Counts since the journal began, for `reeve stats` and `reeve phase`. */
interface Tally {
  readonly incidents: number;
  readonly resolved: number;
  readonly selfHealed: number;
  readonly escalated: number;
  readonly restarts: number;
  readonly verified: number;
  readonly notVerified: number;
  readonly denials: number;
  readonly plansByRule: number;
  readonly plansByModel: number;
}

const NOTHING: Tally = {
  incidents: 0,
  resolved: 0,
  selfHealed: 0,
  escalated: 0,
  restarts: 0,
  verified: 0,
  notVerified: 0,
  denials: 0,
  plansByRule: 0,
  plansByModel: 0,
};

const tallyProjection: Projection<Tally> = { name: 'tally', initial: NOTHING, apply: count };

function count(tally: Tally, { fact }: JournalEntry): Tally {
  const add = (name: keyof Tally): Tally => ({ ...tally, [name]: tally[name] + 1 });
  switch (fact.type) {
    case 'incident.opened':
      return add('incidents');
    case 'incident.closed':
      return fact.ending === 'resolved' ? add('resolved') : fact.ending === 'self_healed' ? add('selfHealed') : tally;
    case 'run.ended':
      return fact.outcome.kind === 'escalated' ? add('escalated') : tally;
    case 'tool.started':
      return isStart(fact.permit.call) ? add('restarts') : tally;
    case 'attempt.verified':
      return add(fact.verification.cured ? 'verified' : 'notVerified');
    case 'guard.decided':
      return fact.decision.verdict === 'deny' ? add('denials') : tally;
    case 'plan.made':
      if (fact.plan.by.kind === 'rule') return add('plansByRule');
      return fact.plan.by.kind === 'model' ? add('plansByModel') : tally;
    default:
      return tally;
  }
}

/** What shows how far Reeve may go with each group. */
type Rollout = Pick<DecisionPipeline, 'factStore'> & { readonly channelIndex: Pick<ChannelIndex, 'phaseOf'> };

export type Statistics = ReturnType<typeof createStatistics>;

/** Registers what is counted, before the journal is opened. */
export function createStatistics(ledger: Ledger) {
  const tally = ledger.register(tallyProjection);
  return {
    stats: (pipeline: Rollout): object => {
      const { plansByRule, plansByModel, ...counts } = tally();
      const plans = plansByRule + plansByModel;
      return {
        ...counts,
        plansByRule,
        plansByModel,
        llmNeededRatio: plans === 0 ? 0 : plansByModel / plans,
        rollout: rolloutOf(pipeline, tally()),
      };
    },
    gauges,
  };
}

/** The phase of each group, with what speaks for or against the next one. */
function rolloutOf(pipeline: Rollout, tally: Tally) {
  const groups = [...new Set(pipeline.factStore.channels.map(({ group }) => group))];
  return {
    ofAll: pipeline.channelIndex.phaseOf(''),
    groups: groups.map((group) => ({ group, phase: pipeline.channelIndex.phaseOf(group) })),
    evidence: {
      incidents: tally.incidents,
      changesVerified: tally.verified,
      changesNotVerified: tally.notVerified,
      refused: tally.denials,
    },
  };
}

const BREAKER_VALUES = { closed: 0, half_open: 1, open: 2 } as const;

type PipelineGauge =
  | 'restartVelocity'
  | 'fleetRestartsLeft'
  | 'containments'
  | 'breakers'
  | 'cooldowns'
  | 'openIncidents'
  | 'phase'
  | 'isFrozen';

function gauges(pipeline: DecisionPipeline, limits: () => Limits, clock: Clock): Pick<Gauges, PipelineGauge> {
  const channels = () =>
    subjectsOf(pipeline.guardState()).flatMap(([key, subject]) => {
      const scope = parseScope(key);
      return scope?.kind === 'channel' && keyOfScope(scope) === key ? [{ channel: scope.id, subject }] : [];
    });
  return {
    restartVelocity: () => pipeline.snapshots.velocity(clock.monotonicMs()),
    fleetRestartsLeft: () => {
      const { used, max } = pipeline.fleetBudget();
      return Math.max(0, max - used);
    },
    containments: () => Object.values(pipeline.guardState().containments),
    breakers: () =>
      channels().map(({ channel, subject }) => {
        const { state } = breakerOf(subject, limits(), clock.monotonicMs());
        return { channel, state: BREAKER_VALUES[state] };
      }),
    cooldowns: () =>
      channels().flatMap(({ channel, subject }) =>
        [...TOOL_SPECS.values()].flatMap(({ name, cooldownMs, startsProcess }) => {
          const own = startsProcess ? limits().restartCooldownMs : cooldownMs;
          const { leftMs } = cooldownOf(subject.uses[name], own, clock.monotonicMs());
          return leftMs > 0 ? [{ channel, tool: name, remainingMs: leftMs }] : [];
        }),
      ),
    openIncidents: () => pipeline.incidents().open.length,
    phase: () => pipeline.channelIndex.phaseOf(''),
    isFrozen: () => pipeline.control().frozen !== undefined,
  };
}
