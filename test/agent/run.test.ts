import { describe, expect, it } from 'vitest';
import { type RunPorts, run } from '../../src/agent/run.ts';
import type { GroundedContextEnvelope } from '../../src/core/envelope.ts';
import { Permit } from '../../src/core/tool.ts';
import { anAct, anEnvelope, anIncident, aResult, aVerification, permitTerms } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';

const DOWN = anEnvelope();
const LIMITS = { steps: 3, retryThreshold: 0.5 };

function running(with_: Partial<RunPorts> = {}, limits = LIMITS, signal?: AbortSignal) {
  const { clock, advance } = fakeClock();
  const actedMs: number[] = [];
  const ports: RunPorts = {
    ground: () => DOWN,
    decide: async (envelope: GroundedContextEnvelope) => ({ plan: anAct(), envelope }),
    guard: () => ({ verdict: 'allow', permit: Permit.grant(permitTerms()), trace: [] }),
    act: async () => {
      actedMs.push(clock.monotonicMs());
      return aResult();
    },
    verify: async () => aVerification(),
    ...with_,
  };
  const frame = { incident: anIncident(), limits, clock, betweenToolsMs: 5_000, runMsMax: 60_000 };
  return { ended: run(frame, ports, signal), advance, actedMs, clock };
}

describe('a run', () => {
  it('is resolved by a restart that was verified, without waiting any further', async () => {
    expect(await running().ended).toMatchObject({ outcome: { kind: 'resolved', score: 1 }, steps: 1 });
  });

  it('asks the guard for nothing where there is no trouble any more', async () => {
    const well = anEnvelope({ failureClassification: undefined, channelHealthy: true });
    const { ended, actedMs } = running({ ground: () => well });
    expect(await ended).toMatchObject({ outcome: { kind: 'resolved' }, steps: 0 });
    expect(actedMs).toEqual([]);
  });

  it('keeps five seconds between the end of one tool and the next', async () => {
    const looksOnly = { verify: async () => undefined };
    const { ended, advance, actedMs } = running(looksOnly, { ...LIMITS, steps: 2 });
    await advance(4_999);
    expect(actedMs).toHaveLength(1);
    await advance(1);
    expect(actedMs).toHaveLength(2);
    expect(actedMs[1]! - actedMs[0]!).toBe(5_000);
    expect(await ended).toMatchObject({ outcome: { reason: 'steps_spent' }, steps: 2 });
  });

  it('does not wait after the last step that it may take', async () => {
    expect(await running({ verify: async () => undefined }, { ...LIMITS, steps: 1 }).ended).toMatchObject({ steps: 1 });
  });

  it('is cut short at its deadline, and keeps what it had tried', async () => {
    const decide: RunPorts['decide'] = (_, attempts, signal) =>
      attempts.length === 0
        ? Promise.resolve({ plan: anAct(), envelope: DOWN })
        : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { ended, advance } = running({ decide, verify: async () => undefined });
    const seen = ended.catch((thrown: unknown) => thrown);
    await advance(60_000);
    expect(await seen).toMatchObject({ code: 'TIMED_OUT' });
  });

  it('that is asked to stop between two steps begins no further step', async () => {
    const stop = new AbortController();
    const verify = async () => {
      stop.abort(new Error('asked to stop'));
      return undefined;
    };
    const { ended, actedMs } = running({ verify }, LIMITS, stop.signal);
    expect(await ended).toMatchObject({ outcome: { kind: 'escalated', reason: 'internal' }, steps: 1 });
    expect(actedMs).toHaveLength(1);
  });
});
