import { describe, expect, it } from 'vitest';
import type { PermitTerms } from '../../../src/core/tool.ts';
import { aPersona, anIncident } from '../../support/a.ts';
import { bench, type Bench } from '../bench.ts';

const MINUTE_MS = 60_000;
const persona = aPersona({ restart_cap: 2 });

/** A new incident of news, as the pipeline opens one. */
function opened(b: Bench, id: string) {
  const incident = anIncident({ id, openedMs: b.nowMs() });
  b.record({ type: 'incident.opened', incident });
  return incident;
}

const closed = (b: Bench, incident: string) =>
  b.record({ type: 'incident.closed', ending: 'resolved', because: 'well', openMs: 1 }, 'news', incident);

/** It dies, is restarted and verified, and its incident closes. */
function cured(b: Bench, id: string): void {
  const incident = opened(b, id);
  b.restart('news', { cured: true }, { incident, persona, run: `run-${id}` });
  closed(b, id);
}

/** It dies and is restarted, which is not judged yet. */
function begun(b: Bench, id: string): PermitTerms {
  const incident = opened(b, id);
  const decision = b.guard.decide(b.request('news', { incident, persona, run: `run-${id}` }));
  if (decision.verdict === 'deny') throw new Error(decision.code);
  const { terms } = decision.permit;
  b.started(terms);
  return terms;
}

const ask = (b: Bench, id: string) =>
  b.guard.decide(b.request('news', { incident: opened(b, id), persona, run: `run-${id}` }));

describe('a trouble that comes back after a verified cure (S5)', () => {
  it('counts the restarts of the incidents before: a new id refills nothing', () => {
    const b = bench();
    cured(b, 'inc-1');
    b.pass(2 * MINUTE_MS);
    cured(b, 'inc-2');
    b.pass(2 * MINUTE_MS);
    expect(ask(b, 'inc-3')).toMatchObject({
      code: 'restart_cap',
      because: '2 of 2 restarts of this incident are used, those before it whose cure did not hold for 30 min included',
    });
  });

  it('is an incident of its own from 30 min after the cure on, and not a moment before', () => {
    for (const [afterMs, verdict] of [
      [30 * MINUTE_MS - 1, 'deny'],
      [30 * MINUTE_MS, 'allow'],
    ] as const) {
      const b = bench();
      cured(b, 'inc-1');
      b.pass(2 * MINUTE_MS);
      cured(b, 'inc-2');
      b.pass(afterMs);
      expect(ask(b, 'inc-3').verdict).toBe(verdict);
    }
  });

  it('carries the count on from cure to cure, however long that goes on', () => {
    const b = bench();
    cured(b, 'inc-1');
    b.pass(20 * MINUTE_MS);
    cured(b, 'inc-2');
    b.pass(20 * MINUTE_MS);
    expect(ask(b, 'inc-3')).toMatchObject({ code: 'restart_cap' });
  });

  it('counts nothing of another channel, and nothing where the restart was not verified', () => {
    const b = bench();
    const incident = opened(b, 'inc-1');
    b.restart('news', { cured: false }, { incident, persona, run: 'run-inc-1' });
    closed(b, 'inc-1');
    b.pass(61 * MINUTE_MS);
    cured(b, 'inc-2');
    b.pass(2 * MINUTE_MS);
    expect(ask(b, 'inc-3').verdict).toBe('allow');
  });

  it('goes on answering for them when another incident has cured the channel meanwhile', () => {
    const b = bench();
    cured(b, 'inc-1');
    b.pass(2 * MINUTE_MS);
    cured(b, 'inc-2');
    b.pass(2 * MINUTE_MS);
    const incident = opened(b, 'inc-3');
    b.pass(31 * MINUTE_MS);
    cured(b, 'inc-of-the-group');
    b.pass(2 * MINUTE_MS);
    const request = b.request('news', { incident, persona, run: 'run-inc-3' });
    expect(b.guard.decide(request)).toMatchObject({ code: 'restart_cap' });
  });

  it('is counted where the verdict came after its incident was closed', () => {
    const b = bench();
    cured(b, 'inc-1');
    b.pass(2 * MINUTE_MS);
    const terms = begun(b, 'inc-2');
    closed(b, 'inc-2');
    b.verified(terms, true);
    b.pass(29 * MINUTE_MS);
    expect(ask(b, 'inc-3')).toMatchObject({ code: 'restart_cap' });
  });

  it('counts a restart of unknown end that was seen to work after a person had reset the channel', () => {
    for (const [isSeenToWork, verdict] of [
      [true, 'deny'],
      [false, 'allow'],
    ] as const) {
      const b = bench();
      cured(b, 'inc-1');
      b.pass(2 * MINUTE_MS);
      const terms = begun(b, 'inc-2');
      b.record({ type: 'tool.unknown', permit: terms, because: 'TIMED_OUT' }, 'news');
      b.record({ type: 'control.reset', scope: { kind: 'channel', id: 'news' }, who: 'ann', because: 'x' }, 'news');
      b.pass(29 * MINUTE_MS);
      if (isSeenToWork) b.verified(terms, true);
      closed(b, 'inc-2');
      b.pass(2 * MINUTE_MS);
      expect(ask(b, 'inc-3').verdict).toBe(verdict);
    }
  });

  it('is remembered over a restart of Reeve', () => {
    const b = bench();
    cured(b, 'inc-1');
    b.pass(2 * MINUTE_MS);
    cured(b, 'inc-2');
    b.pass(2 * MINUTE_MS);
    const again = bench({ store: b.store, hand: b });
    expect(ask(again, 'inc-3')).toMatchObject({ code: 'restart_cap' });
  });
});
