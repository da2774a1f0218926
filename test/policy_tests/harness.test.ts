import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/core/duration.ts';
import { PolicyHarness } from '../../src/policy_tests/harness.ts';
import { VirtualClock } from '../../src/replay/virtual_clock.ts';
import { aFrame, aPolicySet } from './support.ts';

const CRASHED = { classification: 'process_crashed' };

/** The harness of one case, and what it has written down. */
function aHarness(envelope: object = {}, set = aPolicySet()) {
  const clock = new VirtualClock({ at: Date.UTC(2026, 0, 1), monoMs: 2 * HOUR_MS });
  const harness = new PolicyHarness(aFrame({ envelope: { ...CRASHED, ...envelope } }, {}, set), clock);
  const raised = () =>
    harness.entries.flatMap(({ fact }) => (fact.type === 'containment.raised' ? [[fact.reason, fact.scope]] : []));
  const types = () => harness.entries.map(({ fact }) => fact.type);
  return { harness, clock, raised, types };
}
const engine = { kind: 'engine', id: 'local' };

describe('containment of a case', () => {
  it('is none where the case gives no reason for it', () => {
    const { harness, raised } = aHarness();
    harness.keepUp();
    expect(raised()).toEqual([]);
  });

  it('is that of the engine where its pool is full or is not known', () => {
    const of = (pool_pressure: number | string) => {
      const { harness, raised } = aHarness({ pool_pressure });
      harness.keepUp();
      return raised();
    };
    expect(of(1)).toEqual([['pool_pressure', engine]]);
    expect(of('unknown')).toEqual([['pool_unknown', engine]]);
    expect(of(0)).toEqual([]);
  });

  it('is that of the group where a shared cause is suspected, and pages no person', () => {
    const { harness, raised, types } = aHarness({ shared_cause: true });
    harness.keepUp();
    expect(raised()).toEqual([['shared_cause', { kind: 'group', id: 'encoders' }]]);
    expect(types()).not.toContain('escalation.raised');
  });

  it('for a pool that is full pages a person', () => {
    const { harness, types } = aHarness({ pool_pressure: 1 });
    harness.keepUp();
    expect(types()).toContain('escalation.raised');
  });
});

describe('the transitions of a case', () => {
  const looked = async (envelope: object) => {
    const { harness, types, clock } = aHarness(envelope);
    harness.look();
    harness.fail();
    harness.look();
    harness.responder.look({ kind: 'channel', id: 'news' });
    for (let seconds = 1; seconds < 60; seconds += 1) {
      clock.step(clock.monotonicMs() + 1_000);
      await harness.settle();
    }
    harness.responder[Symbol.dispose]();
    return { types: types(), failures: harness.failures };
  };

  it('opens an incident and runs where the channel is in trouble', async () => {
    const { types, failures } = await looked({});
    expect(types).toContain('incident.opened');
    expect(types).toContain('run.started');
    expect(failures).toEqual([]);
  });

  it('does nothing where nothing was concluded', async () => {
    const { types } = await looked({ classification: undefined, healthy: true });
    expect(types).not.toContain('incident.opened');
  });
});
