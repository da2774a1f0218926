import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { newGuardState } from '../../src/guard/state/state.ts';
import type { PastEvent } from '../../src/policy_tests/document.ts';
import { draftsOf } from '../../src/policy_tests/history.ts';
import { anIncident } from '../support/a.ts';
import { aFrame } from './support.ts';

const NOW_MS = 10_000_000;

/** What the daemon would have written of this, as a policy test says it. */
function written(past: object) {
  const frame = aFrame({ history: [{ at: '1m ago', ...past }], envelope: { classification: 'process_crashed' } });
  const [event] = frame.given.history as readonly PastEvent[];
  return draftsOf(event!, {
    ...{ at: 5_000_000, nowMs: NOW_MS, ids: countingIds(), limits: DEFAULT_LIMITS, guard: newGuardState() },
    ...{ incident: anIncident({ id: 'inc-this' }), channel: frame.channel, classification: frame.classification },
    fingerprint: frame.fingerprint,
  });
}
const types = (past: object) => written(past).map(({ fact }) => fact.type);
const of = <T extends JournalFact['type']>(past: object, type: T) =>
  written(past).flatMap(({ fact }) => (fact.type === type ? [fact as Extract<JournalFact, { type: T }>] : []));
const did = (result: string, more: object = {}) => ({ tool: 'restart_channel', result, ...more });

describe('something that Reeve did', () => {
  const begun = ['guard.decided', 'tool.started'];

  it.each([
    ['cured', ['tool.finished', 'attempt.verified']],
    ['failed', ['tool.finished', 'attempt.verified']],
    ['relapsed', ['tool.finished', 'attempt.verified', 'attempt.relapsed']],
    ['unjudged', ['tool.finished']],
    ['unknown', ['tool.unknown']],
    ['in_flight', []],
  ])('and that is %s was permitted, started, and then %j', (result, rest) => {
    expect(types(did(result))).toEqual([...begun, ...rest]);
  });

  it('is verified as what came of it', () => {
    const cured = (result: string) => of(did(result), 'attempt.verified').map(({ verification }) => verification.cured);
    expect([cured('cured'), cured('failed'), cured('relapsed')]).toEqual([[true], [false], [true]]);
  });

  it('was permitted then, for as long as permits hold, on the channel of the case', () => {
    const [started] = of(did('cured'), 'tool.started');
    expect(started?.permit).toMatchObject({
      call: { tool: 'restart_channel', target: { kind: 'channel', id: 'news' } },
      ...{ grantedMs: NOW_MS, expiresMs: NOW_MS + DEFAULT_LIMITS.permitMs, risk: 'high', fence: 1 },
      ...{ incident: 'inc-earlier', fingerprint: 'process_crashed|policy test|news' },
    });
  });

  it('may be of this incident, of another channel, and meant for another failure', () => {
    const drafts = written(did('cured', { incident: 'this', channel: 'sport', fingerprint: 'other' }));
    expect(drafts.map(({ channel, incident }) => [channel, incident])).toEqual(Array(4).fill(['sport', 'inc-this']));
    expect(drafts[3]!.fact).toMatchObject({ fingerprint: 'other', permit: { fingerprint: 'other' } });
  });

  it('so many times has a permit each time', () => {
    const permits = of(did('cured', { times: 3 }), 'tool.started').map(({ permit }) => permit.id);
    expect(new Set(permits).size).toBe(3);
  });
});

describe('a start that Reeve did not make', () => {
  it('is of another channel each time, unless one is named', () => {
    const channels = (past: object) => written(past).map(({ channel }) => channel);
    expect(channels({ start: 'engine', times: 2 })).toEqual(['another-1', 'another-2']);
    expect(channels({ start: 'engine', channel: 'sport', times: 2 })).toEqual(['sport', 'sport']);
  });

  it('has its origin and a process of its own', () => {
    const starts = of({ start: 'operator', times: 2 }, 'start.observed');
    expect(starts.map(({ origin, engine }) => [origin, engine])).toEqual(Array(2).fill(['operator', 'local']));
    expect(starts[0]!.generation).not.toBe(starts[1]!.generation);
  });
});

describe('a person who was paged or asked', () => {
  it('of an escalation got a page for its reason after a run', () => {
    const past = { escalation: 'no_plan' };
    expect(types(past)).toEqual(['run.started', 'run.ended', 'escalation.raised']);
    expect(of(past, 'run.ended')[0]!.outcome).toMatchObject({ kind: 'escalated', reason: 'no_plan' });
    expect(of(past, 'escalation.raised')[0]!.escalation).toMatchObject({ reason: 'no_plan', incident: 'inc-this' });
  });

  it.each([
    ['pending', undefined],
    ['yes', true],
    ['no', false],
  ])('of an approval that is %s has answered %s', (approval, yes) => {
    const past = { approval, tool: 'rebuild_playout' };
    const asked = ['run.started', 'run.ended', 'approval.asked'];
    expect(types(past)).toEqual(yes === undefined ? asked : [...asked, 'approval.answered']);
    expect(of(past, 'approval.answered').map((fact) => fact.yes)).toEqual(yes === undefined ? [] : [yes]);
  });
});

describe('a command of a person, or an event of more than one channel', () => {
  it.each([
    [
      { lease: 'channel:news', for: '5m' },
      { type: 'control.leased', scope: { kind: 'channel', id: 'news' }, forMs: 300_000 },
    ],
    [
      { maintenance: 'fleet', for: '1h' },
      { type: 'control.window_added', scope: { kind: 'fleet' }, startsInMs: 0 },
    ],
    [{ freeze: true }, { type: 'control.frozen', who: 'ann' }],
    [{ thaw: true }, { type: 'control.thawed', who: 'ann' }],
    [{ release: 'fleet' }, { type: 'control.released', scope: { kind: 'fleet' } }],
    [{ reset: 'channel:news' }, { type: 'control.reset', scope: { kind: 'channel', id: 'news' } }],
    [{ clock_jump: '2s' }, { type: 'clock.jumped', byMs: 2_000 }],
    [
      { containment: 'restart_storm', scope: 'fleet' },
      { type: 'containment.raised', reason: 'restart_storm' },
    ],
    [
      { incident: 'group:encoders' },
      { type: 'incident.opened', incident: { scope: { kind: 'group', id: 'encoders' } } },
    ],
  ])('%j is one fact', (past, fact) => {
    expect(written(past)).toMatchObject([{ fact }]);
  });
});
