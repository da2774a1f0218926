import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/core/incident.ts';
import type { JournalFact } from '../../../src/core/journal.ts';
import { DENIAL_CODES, type DenialCode } from '../../../src/core/plan.ts';
import { newlyOpen, type OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import { isUndoneBy, mayUndo } from '../../../src/incident/lifecycle/undone.ts';
import { anIncident } from '../../support/a.ts';

const loaded = (applied?: readonly string[]): JournalFact => ({
  ...{ type: 'config.loaded', configSha: 'ab', because: 'applied: …' },
  ...(applied && { applied }),
});
const heldAfter = (last: Outcome | undefined): OpenIncident => ({ ...newlyOpen(anIncident(), 0), last });
const escalated = (reason: Extract<Outcome, { kind: 'escalated' }>['reason'], denial?: DenialCode): OpenIncident =>
  heldAfter({ kind: 'escalated', reason, because: '', denial });

describe('a start with another configuration', () => {
  const started = (configSha: string): JournalFact => ({ type: 'reeve.started', version: '1', configSha });
  const denied = escalated('guard_refused', 'persona_denies');

  it('undoes what an edit does, and a start with the same one undoes nothing', () => {
    expect(isUndoneBy(started('cd'), denied, 'ab')).toBe(true);
    expect(isUndoneBy(started('ab'), denied, 'ab')).toBe(false);
    expect(isUndoneBy(started('cd'), escalated('guard_refused', 'breaker_open'), 'ab')).toBe(false);
    // A journal of an earlier version does not tell which one was in force.
    expect(isUndoneBy(started('cd'), denied)).toBe(false);
  });
});

describe('an edit of the configuration', () => {
  it('undoes what the configuration refused, and that nothing could be planned', () => {
    const undone = DENIAL_CODES.filter((code) => isUndoneBy(loaded(['limits']), escalated('guard_refused', code)));
    expect([...undone].sort()).toEqual(
      [
        'daily_cap',
        'fleet_daily_cap',
        'mode_forbids',
        'persona_denies',
        'phase',
        'restart_cap',
        'viewer_budget',
      ].sort(),
    );
    expect(isUndoneBy(loaded(['rules']), escalated('no_plan'))).toBe(true);
  });

  it('undoes nothing that was tried and did not help, and nothing before the first run has ended', () => {
    for (const reason of ['not_helping', 'steps_spent'] as const) {
      expect(isUndoneBy(loaded(['personas']), escalated(reason))).toBe(false);
    }
    expect(isUndoneBy(loaded(['personas']), heldAfter(undefined))).toBe(false);
  });

  it.each([
    [['personas'], true],
    [['persona'], true],
    [['phase'], true],
    [['planner'], true],
    [['log', 'limits'], true],
    [['patterns', 'escalation', 'log'], false],
    [[], false],
    [undefined, false],
  ])('of %j undoes it: %s', (applied, isUndone) => {
    expect(isUndoneBy(loaded(applied), escalated('guard_refused', 'persona_denies'))).toBe(isUndone);
  });

  it('is looked at, as a start is, and an end is not', () => {
    expect(mayUndo(loaded())).toBe(true);
    expect(mayUndo({ type: 'reeve.started', version: '1', configSha: 'ab' })).toBe(true);
    expect(mayUndo({ type: 'reeve.stopped', because: '' })).toBe(false);
    expect(isUndoneBy({ type: 'reeve.stopped', because: '' }, escalated('no_plan'))).toBe(false);
  });
});
