import { describe, expect, it } from 'vitest';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import { newlyOpen, type OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import type { TrackedChannel } from '../../../src/incident/pipeline/finding_tracker.ts';
import { recoveredIncidents } from '../../../src/incident/pipeline/recovered.ts';
import { anIncident } from '../../support/a.ts';

const engine = { kind: 'engine', id: 'e' } as const;

/** Whether the incident of an engine that touched channel `a` keeps other channels of it no more. */
function isOver(with_: {
  readonly open?: Partial<OpenIncident>;
  readonly cause?: Partial<SharedCause>;
  readonly well?: readonly string[];
  /** Whom the guard is asked about; default: no channel. */
  readonly about?: string;
}): boolean {
  const incident = anIncident({ scope: engine, engine: 'e', channels: ['a'] });
  const cause = with_.cause && ({ phase: 'over', channels: ['a'], down: [], ...with_.cause } as unknown as SharedCause);
  const open = [{ ...newlyOpen(incident, 0), ...with_.open }];
  const ids = recoveredIncidents(
    { open },
    {
      causeOf: () => cause,
      watched: (id) => {
        const trouble = !(with_.well ?? ['a']).includes(id ?? '');
        return { finding: { trouble, healthy: !trouble, quiet: false } } as unknown as TrackedChannel;
      },
    },
    with_.about,
  );
  return ids.has(incident.id);
}

describe('an incident of an engine or a group that is still open', () => {
  it('is over for the other channels once all that it touched play and nothing shared is left', () => {
    expect([isOver({}), isOver({ cause: {} })]).toEqual([true, true]);
    expect(isOver({ well: [] })).toBe(false);
    expect(isOver({ open: { incident: anIncident({ scope: engine, channels: [] }) } })).toBe(false);
  });

  it('is not over while its cause is active, has left a channel down, or has touched one that does not play', () => {
    expect(isOver({ cause: { phase: 'active' } })).toBe(false);
    expect(isOver({ cause: { down: ['a'] } })).toBe(false);
    expect(isOver({ cause: { channels: ['a', 'b'] } })).toBe(false);
  });

  it('keeps those whom its cause has left down until their plan, and nobody else of the engine', () => {
    const left = { cause: { channels: ['a', 'b'], down: ['a'] }, well: ['b'] };
    expect([isOver({ ...left, about: 'a' }), isOver({ ...left, about: 'c' })]).toEqual([false, true]);
    expect(isOver({ cause: { ...left.cause, phase: 'active' }, about: 'c' })).toBe(false);
  });

  it('is not over during a run', () => {
    expect(isOver({ open: { running: true } })).toBe(false);
    expect(isOver({ open: { running: true }, cause: { down: ['a'] }, about: 'c' })).toBe(false);
  });

  it('is none of one channel', () => {
    expect(isOver({ open: { incident: anIncident({ channels: ['a'] }) } })).toBe(false);
  });
});
