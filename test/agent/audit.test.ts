import { describe, expect, it } from 'vitest';
import { auditPlans } from '../../src/agent/audit.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import { anAct, anEnvelope } from '../support/a.ts';

const envelope = anEnvelope({ takenMs: 5 });
const taken: JournalFact = { type: 'envelope.taken', envelope };
const chosen = (with_: Partial<Extract<JournalFact, { type: 'plan.chosen' }>> = {}): JournalFact => ({
  ...{ type: 'plan.chosen', model: 'm', tool: 'restart_channel', target: 'channel:news', becauseCode: 'c' },
  ...{ evidenceIds: ['s1', 's2'], envelopeTakenMs: 5, choices: 4 },
  ...with_,
});
const made = (with_: Parameters<typeof anAct>[0] = {}): JournalFact => ({
  type: 'plan.made',
  plan: { ...anAct(with_), by: { kind: 'model', model: 'm' } },
});

type Written = JournalFact | { readonly run: string; readonly fact: JournalFact };

const audit = (...facts: readonly Written[]) =>
  auditPlans(
    facts.map((one, index) => {
      const { run, fact } = 'fact' in one ? one : { run: 'run-1', fact: one };
      return { seq: index + 1, at: 0, monoMs: 0, boot: 'b', run, fact };
    }),
  );
const reasons = (...facts: readonly Written[]) => audit(...facts).bad.map(({ because }) => because);

describe('the audit of plans', () => {
  it('confirms a choice whose evidence was shown, and the plan that was made of it', () => {
    expect(audit(taken, chosen(), made())).toEqual({
      ok: true,
      plans: 1,
      claims: 2,
      rejected: 0,
      unjudged: 0,
      bad: [],
    });
  });

  it('finds evidence that was not in the envelope', () => {
    expect(audit(taken, chosen({ evidenceIds: ['s2', 's3'] }), made())).toMatchObject({
      ok: false,
      bad: [{ seq: 2, run: 'run-1', because: 'there was no evidence s3' }],
    });
  });

  it('finds a choice that names an envelope which was not taken in its own run', () => {
    expect(reasons(taken, chosen({ envelopeTakenMs: 6 }))).toEqual(['no envelope was taken at 6']);
    expect(reasons({ run: 'run-2', fact: taken }, chosen())).toEqual(['no envelope was taken at 5']);
  });

  it('finds a plan that no choice came before, and one that is another than the choice', () => {
    expect(reasons(taken, made())).toEqual(['a plan in the name of a model, and no choice of a model before it']);
    expect(reasons(taken, chosen(), made(), made())).toHaveLength(1);
    expect(reasons(taken, chosen(), made({ tool: 'rebuild_playout' }))).toEqual([
      'the plan is rebuild_playout, and restart_channel was chosen',
    ]);
    expect(reasons(taken, chosen(), made({ target: { kind: 'channel', id: 'sport' } }))).toHaveLength(1);
  });

  it('does not judge a choice whose run began before what retention has left, and counts it', () => {
    const later = (facts: readonly JournalFact[], run = 'run-1') =>
      facts.map((fact, index) => ({ seq: 900 + index, at: 0, monoMs: 0, boot: 'b', run, fact }));
    const snapshot = { type: 'snapshot.taken', states: [] } as const;
    const none = { ok: true, plans: 0, claims: 0, rejected: 0, unjudged: 1, bad: [] };
    expect(auditPlans(later([snapshot, chosen(), made()]))).toEqual(none);
    expect(auditPlans(later([snapshot, taken, chosen({ envelopeTakenMs: 4 }), made()]))).toEqual(none);
    expect(auditPlans(later([snapshot, made()]))).toMatchObject({ ok: true, unjudged: 0 });
    const whole = [snapshot, { type: 'run.started', attempt: 1 }, taken] as const;
    expect(auditPlans(later([...whole, chosen(), made()]))).toMatchObject({ ok: true, plans: 1, unjudged: 0 });
    expect(auditPlans(later([...whole, chosen({ envelopeTakenMs: 4 })]))).toMatchObject({ ok: false, unjudged: 0 });
  });

  it('asks nothing of the plan of a rule', () => {
    expect(reasons(taken, { type: 'plan.made', plan: anAct() })).toEqual([]);
  });

  it('forgets the envelopes of a run with its end, and counts what was rejected', () => {
    const ended: JournalFact = {
      ...{ type: 'run.ended', steps: 0, tookMs: 0 },
      outcome: { kind: 'resolved', score: 1, because: '' },
    };
    expect(reasons(taken, ended, chosen())).toEqual(['no envelope was taken at 5']);
    expect(audit({ type: 'plan.rejected', model: 'm', reason: 'stale' }).rejected).toBe(1);
  });
});
