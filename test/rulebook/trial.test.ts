import { describe, expect, it } from 'vitest';
import { anEnvelope } from '../support/a.ts';
import { setUp, TEXT } from './on_trial.ts';

const about = { incident: 'inc-1', channel: 'news', run: 'run-1' } as const;

describe('a rule on trial', () => {
  it('begins in shadow as soon as its file is sound, once', () => {
    const { trial, facts } = setUp();
    trial.refresh();
    trial.refresh();
    expect(facts('rule.state_set')).toMatchObject([{ to: 'proposed' }, { to: 'shadow' }]);
  });

  it('is matched once for each incident, and only written down', () => {
    const { trial, ledger, facts } = setUp();
    trial.refresh();
    ledger.append([{ ...about, fact: { type: 'envelope.taken', envelope: anEnvelope() } }]);
    ledger.append([{ ...about, fact: { type: 'envelope.taken', envelope: anEnvelope() } }]);
    expect(facts('rule.shadowed')).toMatchObject([{ rule: 'start_crashed', would: 'restart_channel on channel:news' }]);
    expect(facts('plan.made')).toEqual([]);
    ledger.append([{ ...about, incident: 'inc-2', fact: { type: 'envelope.taken', envelope: anEnvelope() } }]);
    expect(facts('rule.shadowed')).toHaveLength(2);
  });

  it('is matched once for each incident over restarts, too, but with its new text where that has changed', () => {
    const { trial, begun, ledger, facts, proposals, record } = setUp();
    const look = () => ledger.append([{ ...about, fact: { type: 'envelope.taken', envelope: anEnvelope() } }]);
    trial.refresh();
    look();
    begun().refresh();
    look();
    expect([facts('rule.shadowed').length, record().shadowed]).toEqual([1, 1]);
    proposals.write(TEXT.replace('Start what died.', 'Start what has died.'));
    trial.refresh();
    look();
    expect([facts('rule.shadowed').length, record().shadowed]).toEqual([2, 1]);
  });

  it('is matched once also where somebody has made its call since, before a restart', () => {
    const { trial, begun, ledger, facts, record } = setUp();
    const look = () => ledger.append([{ ...about, fact: { type: 'envelope.taken', envelope: anEnvelope() } }]);
    const by = { kind: 'operator', who: 'ann' } as const;
    const scored = { by, permit: 'p', tool: 'restart_channel', score: 0, cured: false, fingerprint: 'f' } as const;
    trial.refresh();
    look();
    ledger.append([{ ...about, fact: { type: 'attempt.scored', ...scored } }]);
    begun().refresh();
    look();
    ledger.append([{ ...about, fact: { type: 'attempt.scored', ...scored } }]);
    expect(facts('rule.shadowed')).toHaveLength(1);
    expect(record()).toMatchObject({ shadowed: 1, agreed: { successes: 0, failures: 1 } });
  });

  it('is not matched against another trouble, nor before its trial, nor when it was taken out of it', () => {
    const { trial, ledger, facts, record } = setUp();
    const taken = (incident: string, failureClassification: 'process_crashed' | 'output_stalled') =>
      ledger.append([
        { ...about, incident, fact: { type: 'envelope.taken', envelope: anEnvelope({ failureClassification }) } },
      ]);
    taken('inc-1', 'process_crashed');
    trial.refresh();
    taken('inc-2', 'output_stalled');
    const { sha256 = '' } = record();
    const retired = { rule: 'start_crashed', sha256, to: 'retired', who: 'ann', because: 'b' } as const;
    ledger.append([{ fact: { type: 'rule.state_set', ...retired } }]);
    taken('inc-3', 'process_crashed');
    expect(facts('rule.shadowed')).toEqual([]);
  });

  it('is taken out of use the moment it did harm', () => {
    const { trial, ledger, record } = setUp();
    trial.refresh();
    const { sha256 = '' } = record();
    const promoted = { rule: 'start_crashed', sha256, to: 'staging', who: 'ann', because: 'b' } as const;
    ledger.append([{ fact: { type: 'rule.state_set', ...promoted } }]);
    const by = { kind: 'rule', rule: 'start_crashed' } as const;
    const scored = { by, permit: 'p', tool: 'restart_channel', score: 0, cured: false, fingerprint: 'f' } as const;
    ledger.append([{ ...about, fact: { type: 'attempt.scored', ...scored, harmed: true } }]);
    expect(record()).toMatchObject({ state: 'demoted', who: 'reeve' });
  });
});
