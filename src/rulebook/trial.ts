/** Rules on trial: they are matched and do nothing, and those whose record falls are taken out of use. */
import type { Clock } from '../core/clock.ts';
import type { Append, Draft, JournalEntry, Read } from '../core/journal.ts';
import { describeCall } from '../core/tool.ts';
import type { Proposal } from './proposals.ts';
import { fallOf } from './record/maturity.ts';
import { recordOf, type RuleRecord, type RuleRecords } from './record/record.ts';
import { createRulebook, type Rulebook } from './rulebook.ts';

/** Nothing may be changed for this long after a shadow match for it to count. */
const SHADOW_MS = 300_000;
const SEEN_MAX = 2_000;

export interface TrialDeps {
  readonly records: Read<RuleRecords>;
  readonly append: Append;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly proposals: () => readonly Proposal[];
}

/** Watches the journal for rules on trial. It never acts: it only writes down what it saw. */
export class Trial {
  readonly #deps: TrialDeps;
  readonly #seen = new Set<string>();
  #shadows: readonly { readonly proposal: Proposal; readonly book: Rulebook }[] = [];

  constructor(deps: TrialDeps) {
    this.#deps = deps;
  }

  /** Reads the proposals anew; those that were not known begin their trial. */
  refresh(): void {
    const proposals = this.#deps.proposals();
    const drafts = proposals.flatMap((proposal) => this.#beginning(proposal));
    if (drafts.length > 0) this.#deps.append(drafts);
    this.#choose(proposals);
  }

  /** To be subscribed to the journal. */
  onEntry(entry: JournalEntry): void {
    const { fact } = entry;
    if (fact.type === 'envelope.taken') this.#match(entry);
    else if (fact.type === 'rule.state_set') this.#choose(this.#deps.proposals());
    else if (fact.type === 'attempt.scored' && fact.by.kind === 'rule')
      this.#judge(recordOf(this.#deps.records(), fact.by.rule));
    else if (fact.type === 'attempt.relapsed' || (fact.type === 'guard.decided' && fact.decision.verdict === 'deny'))
      for (const record of this.#deps.records().records) this.#judge(record);
  }

  #beginning({ rule, sha256 }: Proposal): readonly Draft[] {
    const { state, sha256: known } = recordOf(this.#deps.records(), rule.id);
    if (known === sha256 || state === 'staging' || state === 'production') return [];
    const who = 'reeve';
    return [
      { fact: { type: 'rule.state_set', rule: rule.id, sha256, to: 'proposed', who, because: 'a file was written' } },
      { fact: { type: 'rule.state_set', rule: rule.id, sha256, to: 'shadow', who, because: 'its file is sound' } },
    ];
  }

  #choose(proposals: readonly Proposal[]): void {
    const records = this.#deps.records();
    this.#shadows = proposals
      .filter(({ rule, sha256 }) => {
        const { state, sha256: known } = recordOf(records, rule.id);
        return state === 'shadow' && known === sha256;
      })
      .map((proposal) => ({ proposal, book: createRulebook([proposal.rule]) }));
  }

  /**
   * Once for each incident, over restarts too: the first look is what the rule would have acted on. All in one append,
   * for this is in the wake of a decision.
   */
  #match({ fact, incident, channel, run }: JournalEntry): void {
    if (fact.type !== 'envelope.taken' || incident === undefined) return;
    const { envelope } = fact;
    const drafts = this.#shadows.flatMap(({ proposal, book }): readonly Draft[] => {
      const { sha256 } = proposal;
      const rule = proposal.rule.id;
      if (this.#isSeen(rule, sha256, incident)) return [];
      const plan = book.decide(envelope, [], () => true);
      if (plan === undefined) return [];
      this.#remember(`${sha256}/${incident}`);
      const would = plan.kind === 'act' ? describeCall(plan.call) : plan.kind;
      const deadlineMs = this.#deps.clock.monotonicMs() + SHADOW_MS;
      const { fingerprint } = envelope;
      const shadowed = { type: 'rule.shadowed', rule, sha256, fingerprint, would, deadlineMs } as const;
      return [{ channel, incident, run, fact: shadowed }];
    });
    if (drafts.length > 0) this.#deps.append(drafts);
  }

  #isSeen(rule: string, sha256: string, incident: string): boolean {
    const isWritten = (one: { readonly rule: string; readonly incident: string }) =>
      one.rule === rule && one.incident === incident;
    return this.#seen.has(`${sha256}/${incident}`) || this.#deps.records().would?.some(isWritten) === true;
  }

  #remember(key: string): void {
    this.#seen.add(key);
    const [oldest] = this.#seen;
    if (this.#seen.size > SEEN_MAX && oldest !== undefined) this.#seen.delete(oldest);
  }

  #judge(record: RuleRecord): void {
    const because = fallOf(record);
    if (because === undefined || !record.sha256) return;
    const { rule, sha256 } = record;
    const fact = { type: 'rule.state_set', rule, sha256, to: 'demoted', who: 'reeve', because } as const;
    this.#deps.append([{ fact }]);
  }
}
