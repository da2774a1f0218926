import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { ProcessSample } from '../../../src/core/sample.ts';
import { classify } from '../../../src/ground/rules/classify.ts';
import { FactStore } from '../../../src/ground/facts/facts.ts';
import { type GuardState, newGuardState } from '../../../src/guard/state/state.ts';
import { FindingTracker } from '../../../src/incident/pipeline/finding_tracker.ts';
import { setupOf } from '../../ground/scene.ts';

const BORN_MS = 1_000_000;
const STALL_MS = 6_000;

/** A channel whose output has no probe: it is well while it writes. */
function aWatch(guardState: () => GuardState = newGuardState) {
  const setup = setupOf('news', { hasOutputProbe: false, stallAfterMs: STALL_MS });
  const engine = { id: 'local', pollMs: 1_000, autorestartGraceMs: 1_000, hostEveryMs: undefined };
  const factStore = new FactStore({ channels: [setup], engines: [engine] }, () => undefined);
  const watch = new FindingTracker({
    factStore,
    guardState,
    limits: () => DEFAULT_LIMITS,
    onWants: () => undefined,
  });
  const see = (monoMs: number, extra: Partial<ProcessSample> = {}): void =>
    factStore.observe({
      ...{ kind: 'process', at: 0, monoMs, source: 'test', channel: 'news', engine: 'local', state: 'running', pid: 1 },
      ...{ generation: '1', uptimeMs: monoMs - BORN_MS, exitCode: undefined, exitSignal: undefined, halted: false },
      ...{ stoppedOnPurpose: false, cpuMs: undefined, bytesWritten: 1 },
      ...extra,
    });
  const healthAt = (nowMs: number): boolean | undefined => {
    watch.refresh('news', nowMs);
    return watch.watched('news')?.finding.healthy;
  };
  see(BORN_MS);
  see(BORN_MS + 70_000, { bytesWritten: 9 });
  return { factStore, watch, see, healthAt, nowMs: BORN_MS + 70_000 };
}

describe('a channel that is well and has no new evidence', () => {
  it('is judged anew at the very moment from which its silence counts', () => {
    const { see, healthAt, nowMs } = aWatch();
    for (const afterMs of [0, 2_000, 4_000, STALL_MS]) {
      see(nowMs + afterMs, { bytesWritten: 9 });
      expect(healthAt(nowMs + afterMs)).toBe(true);
    }
    expect(healthAt(nowMs + STALL_MS + 1)).toBe(undefined);
  });

  it('keeps the same finding until then, and does not delay new evidence', () => {
    const { see, healthAt, watch, nowMs } = aWatch();
    expect(healthAt(nowMs)).toBe(true);
    const { finding } = watch.watched('news')!;
    see(nowMs + 2_000, { bytesWritten: 9 });
    healthAt(nowMs + 2_000);
    expect(watch.watched('news')!.finding).toBe(finding);
    see(nowMs + 3_000, { state: 'exited', exitCode: 1, bytesWritten: undefined });
    expect(healthAt(nowMs + 3_000)).toBe(false);
  });

  it('is found as a judgement of its own finds it, however often it is looked at', () => {
    const { see, healthAt, factStore, nowMs } = aWatch();
    const context = {
      ...{ engine: factStore.engineFacts('local'), host: undefined, limits: DEFAULT_LIMITS },
      ...{ autorestartGraceMs: 1_000, sharingSource: 0 },
    };
    for (let afterMs = 0; afterMs < 90_000; afterMs += 500) {
      if (afterMs % 15_000 === 0) see(nowMs + afterMs, { bytesWritten: 10 + afterMs });
      const { healthy } = classify(factStore.view('news')!, context, nowMs + afterMs);
      expect({ afterMs, healthy: healthAt(nowMs + afterMs) }).toEqual({ afterMs, healthy });
    }
  });
});

describe('a channel after Reeve stood still, and did not sleep (T3)', () => {
  it('has been well, and in no trouble, only since then: nobody looked in between', () => {
    let guardState = newGuardState();
    const { see, healthAt, watch, nowMs } = aWatch(() => guardState);
    healthAt(nowMs);
    const wentOnMs = nowMs + 120_000;
    guardState = { ...guardState, clockJumpedMs: wentOnMs };
    healthAt(wentOnMs + 1);
    expect(watch.watched('news')).toMatchObject({ healthySinceMs: undefined, clearSinceMs: wentOnMs });
    see(wentOnMs + 2_000, { bytesWritten: 99 });
    healthAt(wentOnMs + 2_000);
    expect(watch.watched('news')).toMatchObject({ healthySinceMs: wentOnMs + 2_000, clearSinceMs: wentOnMs });
  });
});
