import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PermitTerms } from '../../src/core/tool.ts';
import { breakerOf } from '../../src/guard/containment.ts';
import { subjectAt } from '../../src/guard/state/state.ts';
import { anIncident } from '../support/a.ts';
import { type Bench, bench } from './bench.ts';

/** From the end of a restart to the failure that silence is: settling 500 ms, verifying 30 s, a grace of 10 s. */
const JUDGED_WITHIN_MS = 40_500;
const LIMITS = {
  windowStartsMax: 1_000,
  highRiskSpacingMs: 1,
  restartCooldownMs: 1,
  dailyRestartCap: 200,
  fleetDailyRestartCap: 200,
  highRiskPerGroupMax: 100,
};

/** The breaker as one would draw it: it moves when something happens, and keeps nothing it does not need. */
class Drawn {
  state: 'closed' | 'open' | 'half_open' = 'closed';
  failures: number[] = [];
  untilMs = 0;
  trips = 0;
  probe: string | undefined;
  /** Restarts of the present state that wait for a verdict, by permit: when silence fails them. */
  waiting = new Map<string, number>();

  /** Everything that time alone does up to `nowMs`, in its order. */
  wait(nowMs: number): void {
    for (;;) {
      const [permit, dueMs] = [...this.waiting].sort((a, b) => a[1] - b[1])[0] ?? ['', Number.POSITIVE_INFINITY];
      const next = Math.min(dueMs, this.state === 'open' ? this.untilMs : Number.POSITIVE_INFINITY);
      if (next > nowMs) return;
      if (this.state === 'open' && this.untilMs === next) this.state = 'half_open';
      else this.fail(permit, dueMs);
    }
  }

  admit(permit: string, nowMs: number): void {
    if (this.state === 'half_open') {
      this.probe = permit;
      this.waiting.clear();
    }
    this.waiting.set(permit, nowMs + JUDGED_WITHIN_MS);
  }

  fail(permit: string, nowMs: number): void {
    if (!this.waiting.delete(permit)) return;
    if (this.state === 'closed') {
      this.failures = [...this.failures, nowMs];
      const fifth = this.failures.at(-5);
      if (fifth !== undefined && nowMs - fifth < 300_000) this.open(nowMs, 1);
    } else if (this.probe === permit) this.open(nowMs, this.trips + 1);
  }

  cure(permit: string): void {
    if (!this.waiting.delete(permit) || this.probe !== permit) return;
    this.reset();
  }

  reset(): void {
    this.state = 'closed';
    this.failures = [];
    this.trips = 0;
    this.probe = undefined;
    this.waiting.clear();
  }

  open(nowMs: number, trips: number): void {
    this.state = 'open';
    this.trips = trips;
    this.untilMs = nowMs + Math.min(120_000 * 2 ** (trips - 1), 1_800_000);
    this.failures = [];
    this.probe = undefined;
    this.waiting.clear();
  }
}

interface Real {
  readonly b: Bench;
  readonly permits: PermitTerms[];
  incidents: number;
}

/** After each command both must agree. */
abstract class Move implements fc.Command<Drawn, Real> {
  check = () => true;
  abstract act(model: Drawn, real: Real): void;
  run(model: Drawn, real: Real): void {
    this.act(model, real);
    model.wait(real.b.nowMs());
    const view = breakerOf(subjectAt(real.b.guardState(), 'channel:news'), real.b.world.limits, real.b.nowMs());
    expect(view.state).toBe(model.state);
    if (view.state === 'open') expect([view.trips, view.untilMs]).toEqual([model.trips, model.untilMs]);
    if (view.state === 'half_open') expect(view.probe?.permit).toBe(model.probe);
  }
}

class Wait extends Move {
  readonly ms: number;
  constructor(ms: number) {
    super();
    this.ms = ms;
  }
  act(_model: Drawn, { b }: Real): void {
    b.pass(this.ms);
  }
  override toString = () => `wait ${this.ms}`;
}

class Restart extends Move {
  act(model: Drawn, real: Real): void {
    const { b } = real;
    b.pass(1);
    model.wait(b.nowMs());
    real.incidents += 1;
    const incident = anIncident({ id: `inc-${real.incidents}` });
    const decision = b.guard.decide(b.request('news', { incident }));
    const isFree = model.state === 'closed' || (model.state === 'half_open' && model.probe === undefined);
    expect(decision.verdict === 'allow' ? 'allow' : decision.code).toBe(
      isFree ? 'allow' : model.state === 'open' ? 'breaker_open' : 'breaker_probe_taken',
    );
    if (decision.verdict === 'deny') return;
    const terms = b.perform(decision.permit);
    real.permits.push(terms);
    model.admit(terms.id, b.nowMs());
  }
  override toString = () => 'restart';
}

class Verdict extends Move {
  readonly back: number;
  readonly cured: boolean;
  constructor(back: number, cured: boolean) {
    super();
    this.back = back;
    this.cured = cured;
  }
  act(model: Drawn, { b, permits }: Real): void {
    model.wait(b.nowMs());
    const terms = permits.at(-1 - this.back);
    if (terms === undefined) return;
    b.verified(terms, this.cured);
    if (this.cured) model.cure(terms.id);
    else model.fail(terms.id, b.nowMs());
  }
  override toString = () => `verdict ${this.cured} on the last but ${this.back}`;
}

class Reset extends Move {
  act(model: Drawn, { b }: Real): void {
    b.record({ type: 'control.reset', scope: { kind: 'channel', id: 'news' }, who: 'ann', because: 'x' }, 'news');
    model.wait(b.nowMs());
    model.reset();
  }
  override toString = () => 'reset';
}

it('S3: decides as a breaker written down step by step does, whatever happens to both', () => {
  const waits = [0, 1, 5_000, 40_499, 40_500, 60_000, 119_999, 120_000, 240_000, 299_999, 300_000, 1_800_000];
  const failing = fc.constant(new Verdict(0, false));
  const moves = [
    fc.constant(new Restart()),
    fc.constant(new Restart()),
    failing,
    failing,
    fc.tuple(fc.nat({ max: 3 }), fc.boolean()).map(([back, cured]) => new Verdict(back, cured)),
    fc.constantFrom(...waits).map((ms) => new Wait(ms)),
  ];
  const rarely = fc.constant(new Reset());
  fc.assert(
    fc.property(fc.commands([...moves, ...moves, ...moves, rarely], { maxCommands: 80, size: 'max' }), (commands) => {
      fc.modelRun(
        () => ({ model: new Drawn(), real: { b: bench({ limits: LIMITS }), permits: [], incidents: 0 } }),
        commands,
      );
    }),
    { numRuns: Number(process.env.REEVE_LAW_RUNS ?? 60) * 3 },
  );
}, 60_000);
