import { describe, expect, it } from 'vitest';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import { newlyOpen, type OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import { nonBlockingIncidents } from '../../../src/incident/pipeline/non_blocking.ts';
import { aChannel, anIncident } from '../../support/a.ts';

const engine = { kind: 'engine', id: 'e' } as const;

/** Whether the open incident of an engine, which touched channel `a`, is no reason to refuse a start. */
function isNonBlocking(with_: {
  readonly open?: Partial<OpenIncident>;
  readonly cause?: Partial<SharedCause>;
  /** Whom the guard is asked about. */
  readonly about?: string | undefined;
}): boolean {
  const incident = anIncident({ scope: engine, engine: 'e', channels: ['a'] });
  const cause =
    with_.cause &&
    ({ phase: 'over', scope: engine, channels: ['a'], down: [], ...with_.cause } as unknown as SharedCause);
  const open = [{ ...newlyOpen(incident, 0), ...with_.open }];
  const about = 'about' in with_ ? with_.about : 'c';
  const ref = about === undefined ? undefined : aChannel({ id: about, group: `group of ${about}`, engine: 'e' });
  const ids = nonBlockingIncidents({ open }, { causeOf: () => cause }, ref);
  return ids.has(incident.id);
}

describe('an incident of an engine or a group that is still open', () => {
  it('is no reason once its cause is over or forgotten, whatever those are down of that it has touched', () => {
    expect([isNonBlocking({}), isNonBlocking({ cause: {} })]).toEqual([true, true]);
    expect([isNonBlocking({ about: 'a' }), isNonBlocking({ cause: {}, about: 'a' })]).toEqual([true, true]);
  });

  it('is one while its cause is active', () => {
    expect(isNonBlocking({ cause: { phase: 'active' } })).toBe(false);
    expect(isNonBlocking({ cause: { channels: ['a', 'b'], down: ['a'], phase: 'active' } })).toBe(false);
  });

  it('is none to groups that a cause which others share has not touched', () => {
    const cause = { phase: 'active', groups: ['group of a', 'group of b'] } as const;
    const about = (id: string) => isNonBlocking({ cause, about: id });
    expect([about('a'), about('b'), about('c')]).toEqual([false, false, true]);
  });

  it('keeps those whom its cause has left down until their plan, and nobody else of the engine', () => {
    const cause = { channels: ['a', 'b'], down: ['a'] };
    const about = (id: string) => isNonBlocking({ cause, about: id });
    expect([about('a'), about('b'), about('c')]).toEqual([false, true, true]);
  });

  it('is no reason where it has touched nobody, but for as long as its cause is active', () => {
    const open = { incident: anIncident({ scope: engine, channels: [] }) };
    expect([isNonBlocking({ open }), isNonBlocking({ open, cause: { channels: [] } })]).toEqual([true, true]);
    expect(isNonBlocking({ open, cause: { channels: [], phase: 'active' } })).toBe(false);
  });

  it('is one during a run', () => {
    expect(isNonBlocking({ open: { running: true } })).toBe(false);
    expect(isNonBlocking({ open: { running: true }, cause: { down: ['a'] } })).toBe(false);
  });

  it('is none of one channel, and says nothing of what is asked about no channel', () => {
    expect(isNonBlocking({ open: { incident: anIncident({ channels: ['a'] }) } })).toBe(false);
    expect(isNonBlocking({ about: undefined })).toBe(false);
  });
});
