import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalFact } from '../../../src/core/journal.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { InvariantContext } from '../../../src/simulation/invariants/context.ts';
import { Silence } from '../../../src/simulation/invariants/silence.ts';
import { scenarioOf } from '../../../src/simulation/scenario.ts';
import { aPersona } from '../../support/a.ts';

/** Detection, no patience, and the grace: down and unnamed for as long as this is allowed. */
const ALLOWED_MS = 35_000;
/** After what named the channel has ended. */
const GAP_MS = 20_000;
const SCOPE = { kind: 'channel', id: 'ch0' } as const;

function oracle() {
  const broken: string[] = [];
  const script = scenarioOf({ seed: 1, days: 0.01, channels: 2, kinds: [] });
  const world: InvariantContext = {
    script,
    limits: DEFAULT_LIMITS,
    persona: aPersona({ aggressiveness: 'moderate' }),
    nowMs: () => 0,
    poolOf: () => 'unasked',
    broke: (law) => broken.push(law),
  };
  const silence = new Silence(world);
  const write = (fact: object, monoMs = 0): void =>
    silence.entry({ seq: 1, monoMs, run: 'run-1', incident: 'inc-1', fact: fact as JournalFact } as JournalEntry);
  const look = (playing: boolean, monoMs: number, visible = true): void =>
    silence.look([{ channel: 'ch0', playing, visible }], monoMs);
  const down = (monoMs: number, visible = true): void => look(false, monoMs, visible);
  const plays = (monoMs: number): void => look(true, monoMs);
  return { silence, broken, write, down, plays };
}

const page = (id: string) => ({
  type: 'escalation.raised',
  escalation: { key: 'incident/inc-1', incident: 'inc-1', scope: { kind: 'channel', id } },
});

describe('the oracle of silent downtime (L6)', () => {
  it('allows patience and the grace, and not a millisecond more', () => {
    const { broken, down } = oracle();
    for (const monoMs of [0, ALLOWED_MS]) down(monoMs);
    expect(broken).toEqual([]);
    down(ALLOWED_MS + 1);
    expect(broken).toEqual(['L6']);
  });

  it.each([
    ['an open page', page('ch0')],
    ['a run under way', { type: 'run.started', attempt: 1 }],
    ['a lease that has not ended', { type: 'control.leased', scope: SCOPE, forMs: 90_000, who: 'ann', because: '' }],
    ['a freeze', { type: 'control.frozen', who: 'ann', because: '' }],
  ])('counts %s as naming the channel', (_, fact) => {
    const { broken, write, down } = oracle();
    write({ type: 'incident.opened', incident: { id: 'inc-1', scope: SCOPE } });
    write(fact);
    for (const monoMs of [0, 80_000]) down(monoMs);
    expect(broken).toEqual([]);
  });

  describe('of a page that the journal could not take', () => {
    const unjournaled = (...ids: string[]) => ({
      key: 'unrecorded/esc-1',
      scope: { kind: 'fleet' } as const,
      details: `Needs an operator.\nIn trouble (${ids.length}): ${ids.join(', ')}`,
    });

    it.each([
      ['counts it for whom it lists', unjournaled('ch1', 'ch0'), []],
      ['counts it for nobody else', unjournaled('ch1'), ['L6']],
    ])('%s', (_, raised, expected) => {
      const { silence, broken, down } = oracle();
      silence.unjournaled(raised);
      for (const monoMs of [0, ALLOWED_MS + 1]) down(monoMs);
      expect(broken).toEqual(expected);
    });

    it('counts it until it is ended, or its process is', () => {
      const ended = oracle();
      ended.silence.unjournaled(unjournaled('ch0'));
      ended.down(0);
      ended.silence.ended('unrecorded/esc-1');
      for (const monoMs of [50_000, 50_000 + GAP_MS + 1]) ended.down(monoMs);
      expect(ended.broken).toEqual(['L6']);
      const restarted = oracle();
      restarted.silence.unjournaled(unjournaled('ch0'));
      restarted.down(0);
      restarted.write({ type: 'reeve.started' }, 10_000);
      for (const monoMs of [10_000, 10_000 + ALLOWED_MS + 1]) restarted.down(monoMs);
      expect(restarted.broken).toEqual(['L6']);
    });
  });

  it('allows the time that Reeve stood still in an append', () => {
    const { silence, broken, down } = oracle();
    down(0);
    silence.stoodStill(5_000);
    down(ALLOWED_MS + 5_000);
    expect(broken).toEqual([]);
    down(ALLOWED_MS + 5_001);
    expect(broken).toEqual(['L6']);
  });

  it('counts a page that Reeve has lost, as long as a person has it and the channel has not played since', () => {
    const before = oracle();
    before.write(page('ch0'));
    expect([before.silence.pagedOf(() => true), before.silence.pagedOf(() => false)]).toEqual([['ch0'], []]);
    const { silence, broken, down, plays } = oracle();
    silence.remember(['ch0']);
    for (const monoMs of [0, ALLOWED_MS + 1]) down(monoMs);
    expect(broken).toEqual([]);
    plays(50_000);
    for (const monoMs of [60_000, 60_001 + ALLOWED_MS]) down(monoMs);
    expect(broken).toEqual(['L6']);
  });

  it.each([
    ['phase/set_back', { kind: 'fleet' }, ['L6']],
    ['budget/fleet', { kind: 'fleet' }, ['L6']],
    ['reeve/internal', { kind: 'fleet' }, ['L6']],
    ['containment/fleet', { kind: 'fleet' }, []],
    ['containment/group:g1', { kind: 'group', id: 'g1' }, ['L6']],
    ['starts/fleet', { kind: 'fleet' }, []],
  ])('takes the page %s that lists the channel for one that names it or does not', (key, scope, expected) => {
    const { broken, write, down } = oracle();
    write({
      type: 'escalation.raised',
      escalation: { key, scope, details: 'Needs an operator\nIn trouble (2): ch0, ch1' },
    });
    for (const monoMs of [0, ALLOWED_MS + 1]) down(monoMs);
    expect(broken).toEqual(expected);
  });

  it('does not count the page of another channel as naming the channel', () => {
    const { broken, write, down } = oracle();
    write(page('ch1'));
    for (const monoMs of [0, ALLOWED_MS + 1]) down(monoMs);
    expect(broken).toEqual(['L6']);
  });

  const ofGroup = (details: string, incident?: string) => ({
    type: 'escalation.raised',
    escalation: {
      key: incident === undefined ? 'containment/group:g0' : 'k',
      scope: { kind: 'group', id: 'g0' },
      incident,
      details,
    },
  });

  it.each([
    ['that lists it', ofGroup('Why: x\nChannels: ch7, ch0', 'inc-1'), []],
    ['that lists others', ofGroup('Why: x\nChannels: ch7, ch00', 'inc-1'), ['L6']],
    ['without a list', ofGroup('Why: x', 'inc-1'), ['L6']],
    ['whose list was cut', ofGroup('Why: x\nChannels: ch7, ch…', 'inc-1'), []],
    ['of its containment that lists it', ofGroup('Contained\nIn trouble (1): ch0'), []],
    ['of its containment that lists others', ofGroup('Contained\nIn trouble (1): ch1'), ['L6']],
    ['of its containment that lists none', ofGroup('Contained'), ['L6']],
  ])('takes a page of its group %s as one that names it or does not', (_, fact, expected) => {
    const { broken, write, down } = oracle();
    write(fact);
    for (const monoMs of [0, ALLOWED_MS + 1]) down(monoMs);
    expect(broken).toEqual(expected);
  });

  const group = { kind: 'group', id: 'g0' };
  const ofPlan = (channels: string[]) => ({
    type: 'tool.started',
    permit: { call: { tool: 'restart_channel', target: group, channels } },
  });
  const ofAll = (target: object, tool = 'refresh_credentials') => ({
    type: 'tool.started',
    permit: { call: { tool, target, channels: [] } },
  });
  const onPage = (channels: string[]) => ofGroup(`Channels: ${channels.join(', ')}`, 'inc-1');
  const run = { type: 'run.started', attempt: 1 };

  it.each([
    ['whose incident is about it', ['ch0'], [run], []],
    ['whose plan starts it', ['ch7'], [run, ofPlan(['ch0'])], []],
    [
      'whose incident had it on its page',
      ['ch7'],
      [onPage(['ch0']), { type: 'escalation.resolved', key: 'k' }, run],
      [],
    ],
    ['that is about others', ['ch7'], [run, ofPlan(['ch7'])], ['L6']],
    ['that refreshes the credentials of its whole engine', ['ch7'], [run, ofAll({ kind: 'engine', id: 'e0' })], []],
    ['that refreshes the credentials of the whole group', ['ch7'], [run, ofAll(group)], []],
    ['that looks at the logs of the whole group', ['ch7'], [run, ofAll(group, 'fetch_recent_logs')], ['L6']],
    ['that invalidates the cache of the whole group', ['ch7'], [run, ofAll(group, 'invalidate_cache')], []],
    ['that refreshes those of another channel', ['ch7'], [run, ofAll({ kind: 'channel', id: 'ch7' })], ['L6']],
  ])('takes a run of its group %s as one that names it or does not', (_, channels, facts, expected) => {
    const { broken, write, down } = oracle();
    write({ type: 'incident.opened', incident: { id: 'inc-1', scope: group, channels } });
    for (const fact of facts) write(fact);
    for (const monoMs of [0, ALLOWED_MS + 1]) down(monoMs);
    expect(broken).toEqual(expected);
  });

  it('counts a page that comes once more by what its newest text lists', () => {
    const { broken, write, down } = oracle();
    write(ofGroup('Channels: ch0, ch1', 'inc-1'));
    down(0);
    write(ofGroup('outcome unknown', 'inc-1'));
    for (const monoMs of [1_000, 1_001 + ALLOWED_MS]) down(monoMs);
    expect(broken).toEqual(['L6']);
  });

  it('allows a gap of 20 s after a lease has ended, however long the channel has been down, and no longer', () => {
    const { broken, write, down } = oracle();
    write({ type: 'control.leased', scope: SCOPE, forMs: 60_000, who: 'ann', because: '' });
    for (const monoMs of [0, 60_000, 60_000 + GAP_MS]) down(monoMs);
    expect(broken).toEqual([]);
    down(60_000 + GAP_MS + 1);
    expect(broken).toEqual(['L6']);
  });

  it('allows all of its time where the lease ended early, and counts none in which the channel could not be seen', () => {
    const { broken, write, down } = oracle();
    write({ type: 'control.leased', scope: SCOPE, forMs: 10_000, who: 'ann', because: '' });
    for (const monoMs of [0, 10_000, ALLOWED_MS]) down(monoMs);
    down(ALLOWED_MS + 1, false);
    for (const monoMs of [50_000, 50_000 + ALLOWED_MS]) down(monoMs);
    expect(broken).toEqual([]);
    down(50_000 + ALLOWED_MS + 1);
    expect(broken).toEqual(['L6']);
  });

  it('counts the wait that a rule announces once, however often it is announced', () => {
    const { broken, write, down } = oracle();
    const outcome = { kind: 'watching', because: '', escalateAfterMs: 60_000, retryAfterMs: undefined };
    write({ type: 'incident.opened', incident: { id: 'inc-1', scope: SCOPE } });
    for (const monoMs of [0, 30_000]) write({ type: 'run.ended', outcome, steps: 0, tookMs: 0 }, monoMs);
    for (const monoMs of [0, 75_000]) down(monoMs);
    expect(broken).toEqual([]);
    down(75_001);
    expect(broken).toEqual(['L6']);
  });

  it('counts no wait that the guard asked for, whatever a rule announces later', () => {
    const { broken, write, down } = oracle();
    const outcome = { kind: 'watching', because: '', escalateAfterMs: 10_000, denial: 'evidence_missing' };
    write({ type: 'incident.opened', incident: { id: 'inc-1', scope: SCOPE } });
    write({ type: 'run.ended', outcome, steps: 0, tookMs: 0 }, 0);
    down(0);
    write(waits, 2_000);
    for (const monoMs of [2_000, 77_000]) down(monoMs);
    expect(broken).toEqual([]);
    down(77_001);
    expect(broken).toEqual(['L6']);
  });

  const waits = { type: 'run.ended', outcome: { kind: 'watching', because: '', escalateAfterMs: 60_000 } };

  it.each([
    ['after the channel has played in between', true, []],
    ['while the channel stays down', false, ['L6']],
  ])('counts an announced wait anew, or goes on with the first, %s: %s', (_, hasPlayed, expected) => {
    const { broken, write, down, plays } = oracle();
    write({ type: 'incident.opened', incident: { id: 'inc-1', scope: SCOPE } });
    down(0);
    write(waits, 1_000);
    if (hasPlayed) plays(62_000);
    down(63_000);
    write(waits, 64_000);
    for (const monoMs of [110_000, 139_000]) down(monoMs);
    expect(broken).toEqual(expected);
  });

  it('counts an announced wait anew after a start of Reeve, which has seen nothing before', () => {
    const { broken, write, down } = oracle();
    write({ type: 'incident.opened', incident: { id: 'inc-1', scope: SCOPE } });
    down(0);
    write(waits, 1_000);
    write({ type: 'reeve.started', version: '', configSha: '' }, 70_000);
    down(70_000);
    write(waits, 80_000);
    for (const monoMs of [110_000, 155_000]) down(monoMs);
    expect(broken).toEqual([]);
    down(155_001);
    expect(broken).toEqual(['L6']);
  });

  it('goes on with a wait that was running when Reeve was started again', () => {
    const { broken, write, down } = oracle();
    write({ type: 'incident.opened', incident: { id: 'inc-1', scope: SCOPE } });
    down(0);
    write(waits, 1_000);
    write({ type: 'reeve.started', version: '', configSha: '' }, 20_000);
    for (const monoMs of [20_000, 76_000]) down(monoMs);
    expect(broken).toEqual([]);
    down(76_001);
    expect(broken).toEqual(['L6']);
  });

  it('demands nothing of a Reeve that cannot see the channel', () => {
    const { broken, down } = oracle();
    for (const monoMs of [0, 30_000]) down(monoMs);
    down(31_000, false);
    for (const monoMs of [32_000, 66_000]) down(monoMs);
    expect(broken).toEqual([]);
  });
});
