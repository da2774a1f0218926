import { expect } from 'vitest';
import type { About, JournalEntry, JournalFact } from '../../../src/core/journal.ts';
import type { RuleState } from '../../../src/core/rule.ts';
import {
  recordOf,
  type RuleRecord,
  type RuleRecords,
  ruleRecordsProjection,
} from '../../../src/rulebook/record/record.ts';

export const DEADLINE_MS = 300_000;

/** The record of one rule `r`, folded from the facts that are added; it must survive being saved as JSON. */
export class Book {
  state: RuleRecords = ruleRecordsProjection.initial;
  #seq = 0;
  nowMs = 1_000;

  add(fact: JournalFact, about: About = { incident: 'inc-1', channel: 'news', run: 'run-1' }): void {
    this.#seq += 1;
    const entry: JournalEntry = { ...about, seq: this.#seq, at: 0, monoMs: this.nowMs, boot: 'b', fact };
    this.state = ruleRecordsProjection.apply(this.state, entry);
    expect(JSON.parse(JSON.stringify(this.state))).toEqual(this.state);
  }
  set(to: RuleState, sha256 = 's1'): void {
    this.add({ type: 'rule.state_set', rule: 'r', sha256, to, who: 'ann', because: 'b' }, {});
  }
  shadow(about?: About): void {
    const deadlineMs = this.nowMs + DEADLINE_MS;
    this.add({ type: 'rule.shadowed', rule: 'r', sha256: 's1', fingerprint: 'f', would: 'x', deadlineMs }, about);
  }
  score(cured: boolean, extra: { harmed?: true; permit?: string } = {}): void {
    const { permit = 'per-1', ...rest } = extra;
    const by = { kind: 'rule', rule: 'r' } as const;
    const scored = { by, permit, tool: 'restart_channel', score: cured ? 1 : 0, cured, fingerprint: 'f' } as const;
    this.add({ type: 'attempt.scored', ...scored, ...rest });
  }
  close(ending: 'resolved' | 'self_healed' | 'by_person'): void {
    this.add({ type: 'incident.closed', ending, because: 'b', openMs: 1 });
  }
  get record(): RuleRecord {
    return recordOf(this.state, 'r');
  }
}
