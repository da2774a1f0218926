/** Wires the rules on trial: their records, their files in the state directory, and what people decide about them. */
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { safely } from '../core/errors.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { Composite, Rule, RuleState } from '../core/rule.ts';
import { type CommandResult, checked, no, type OperatorContext, yes } from '../control/commands.ts';
import type { Ledger } from '../journal/ledger.ts';
import { TOOL_SPECS } from '../remediation/catalog.ts';
import { isStruggling, offerOf, refusalOfMove, standingOf } from './record/maturity.ts';
import { neededProjection, ratioByWeek } from './record/needed.ts';
import { recordOf, type RuleRecord, ruleRecordsProjection } from './record/record.ts';
import { openProposals, type Proposal } from './proposals.ts';
import type { StandingOf } from './rank.ts';
import { CureReporter } from './cure_reporter.ts';
import { Trial } from './trial.ts';

/** How often the folder of proposals is looked at: a person may put a file there, too. */
const REFRESH_MS = MINUTE_MS;

export type Learning = ReturnType<typeof createLearning>;

interface LearningDeps {
  /** The state directory. */
  readonly state: string;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/** A person's decision about a rule: what it is to be from now on, who says so and why. */
export interface RuleMove extends OperatorContext {
  readonly rule: string;
  readonly to: RuleState;
}

/** Before the journal is opened; `start` after it. `composites`: what a proposed rule may call by one name. */
export function createLearning({ state, ledger, clock }: LearningDeps, composites?: () => readonly Composite[]) {
  const records = ledger.register(ruleRecordsProjection);
  const needed = ledger.register(neededProjection);
  const proposals = openProposals(join(state, 'proposals', 'rules'), [...TOOL_SPECS.values()], composites);
  const trial = new Trial({ records, append: ledger.append, clock, proposals: () => proposals.list() });
  const standing: StandingOf = (rule) => {
    const record = records().records.find((one) => one.rule === rule);
    return record && standingOf(record);
  };
  const cureReporter = new CureReporter();
  /** A cure that a model or a person chose is proposed once. */
  const tell = (entry: JournalEntry): void => {
    const reported = cureReporter.onEntry(entry);
    if (reported === undefined || proposals.find(reported.id) !== undefined) return;
    proposals.write(reported.text);
    trial.refresh();
  };
  return {
    standingOf: standing,
    /** Reads the proposals anew; new ones begin their trial. */
    refresh: () => trial.refresh(),
    records,
    proposals,
    /** Proposed rules that are matched and do nothing yet. */
    onTrial: () => proposals.list().filter((one) => isOnTrial(one, recordOf(records(), one.rule.id))),
    /** `fail` pages what goes wrong later on. */
    start(building: AsyncDisposableStack, fail: (text: string) => void): void {
      trial.refresh();
      building.use(ledger.subscribe((entry) => trial.onEntry(entry)));
      building.use(clock.every(REFRESH_MS, () => safely('rules on trial', () => trial.refresh(), fail)));
      building.use(ledger.subscribe((entry) => tell(entry)));
    },
    /** Rules in force, then those on trial, each with its state and record. */
    views: (rules: readonly Rule[]): readonly unknown[] => [
      ...rules.map((rule) => ({ ...rule, ...viewOf(recordOf(records(), rule.id), 'production') })),
      ...proposals
        .list()
        .filter(({ rule }) => !rules.some(({ id }) => id === rule.id))
        .map(({ rule, text, file, sha256 }) => {
          const view = viewOf(recordOf(records(), rule.id), 'proposed');
          return { ...rule, ...view, proposal: { text, file, sha256 } };
        }),
    ],
    /** What rules have done: counts, and those that cure most and least. */
    figures: () => ({
      ...figuresOf(records().records),
      explorationCalls: needed().explorationCalls,
      modelCost: needed().costMicros / 1e6,
      llmNeededByWeek: ratioByWeek(needed()),
    }),
    setState: ({ rule: id, to, ...by }: RuleMove, { rules }: { readonly rules: readonly Rule[] }): CommandResult => {
      const record = recordOf(records(), id);
      const proposal = proposals.find(id);
      if (proposal === undefined && record.state === undefined && !rules.some((rule) => rule.id === id))
        return no('target_unknown', `there is no rule ${id}`);
      const refusal = refusalOfMove(record, to);
      if (refusal !== undefined) return no('nothing_to_do', refusal);
      const sha256 = proposal?.sha256 ?? record.sha256 ?? '';
      // A promotion is one step of several: whoever gives it has to see where the rule stands now.
      return checked(by, ({ who, because }) => ({
        ...yes({ fact: { type: 'rule.state_set', rule: id, sha256, to, who, because } }),
        message: `done: rule ${id}: ${to} now`,
      }));
    },
  };
}

/** Rules in use had their say in the run; a new text under the name of one that was taken out of use begins anew. */
const isOnTrial = ({ sha256 }: Proposal, record: RuleRecord): boolean =>
  record.sha256 !== sha256 || record.state === 'proposed' || record.state === 'shadow';

function viewOf(record: RuleRecord, state: RuleState) {
  const { treated, control, shadowed, disturbed, harms, breaches, who, because, since } = record;
  return {
    state: record.state ?? state,
    record: { treated, control, shadowed, disturbed, harms, breaches },
    stateSet: record.state === undefined ? null : { who, because, since },
    offer: offerOf(record) ?? null,
  };
}

const SHOWN = 5;

function figuresOf(records: readonly RuleRecord[]) {
  const row = ({ rule, treated }: RuleRecord) => ({ rule, ...treated });
  const tried = records.filter(({ treated }) => treated.successes + treated.failures > 0);
  const by = (score: (record: RuleRecord) => number) =>
    [...tried].sort((a, b) => score(b) - score(a) || (a.rule < b.rule ? -1 : 1)).slice(0, SHOWN);
  return {
    resolves: tried.reduce((sum, { treated }) => sum + treated.successes, 0),
    top: by(({ treated }) => treated.successes).map(row),
    struggling: by(({ treated }) => treated.failures)
      .filter(isStruggling)
      .map(row),
  };
}
