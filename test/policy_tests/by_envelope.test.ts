import { describe, expect, it } from 'vitest';
import { loadPersonas } from '../../src/config/personas.ts';
import { loadRules } from '../../src/config/rules.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { answerByEnvelope, incidentOf, NOON, NOW_MS } from '../../src/policy_tests/by_envelope.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { aFrame } from './support.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const { personas } = loadPersonas(`${ROOT}personas`);
const { rules } = loadRules(`${ROOT}config/rules`, [...TOOL_SPECS.values()]);
const frameOf = (given: object) => aFrame(given, {}, { personas, rules, limits: DEFAULT_LIMITS });
const CRASHED = { classification: 'process_crashed' };
const answer = (envelope: object, more: object = {}) =>
  answerByEnvelope(frameOf({ envelope: { ...CRASHED, ...envelope }, ...more }));

describe('the answer to an envelope', () => {
  it('is the run to its end: planned, permitted, done and verified', async () => {
    expect(await answer({})).toMatchObject({
      ...{ classification: 'process_crashed', plan: { kind: 'act' }, tools: ['restart_channel'] },
      ...{ decisions: [{ verdict: 'allow' }], outcome: { kind: 'resolved' }, pages: [], failures: [] },
    });
  });

  it('waits for a question that is open, and asks again once that has expired', async () => {
    const asked = (at: string) => answer({}, { history: [{ at, approval: 'pending', tool: 'restart_channel' }] });
    expect(await asked('5m ago')).toMatchObject({ plan: undefined, tools: [] });
    expect(await asked('2h ago')).toMatchObject({ plan: { kind: 'act' }, tools: ['restart_channel'] });
  });

  it('is no run where nothing was concluded, or where the channel is well', async () => {
    for (const given of [
      { envelope: { classification: undefined, healthy: true } },
      { envelope: { healthy: 'unknown' } },
    ])
      expect(await answerByEnvelope(frameOf(given))).toMatchObject({ plan: undefined, tools: [], outcome: undefined });
  });

  it('calls a person where a change helps nothing', async () => {
    const { outcome, pages } = await answer({}, { effect: 'unchanged' });
    expect(outcome).toMatchObject({ kind: 'escalated' });
    expect(pages.length).toBeGreaterThan(0);
  });

  it('is of the case alone: what was written down before its question is no part of it', async () => {
    const history = [{ at: '2h ago', tool: 'restart_channel', result: 'cured' }];
    expect((await answer({}, { history })).tools).toEqual(['restart_channel']);
  });

  it('counts what happened before, whatever its order in the file', async () => {
    const restart = (at: string) => ({ at, tool: 'restart_channel', result: 'cured' });
    const codeAfter = async (...history: readonly object[]) => (await answer({}, { history })).decisions[0]?.code;
    const [late, early] = [restart('20s ago'), restart('3h ago')];
    expect(await codeAfter(late, early)).toBe('high_risk_spacing');
    expect(await codeAfter(early, late)).toBe('high_risk_spacing');
    expect(await codeAfter(early)).toBeUndefined();
  });

  it('is held back by containment that holds now', async () => {
    const contained = await answer({ containment: ['restart_storm'] });
    expect(contained.tools).toEqual([]);
    expect((await answer({})).tools).toEqual(['restart_channel']);
  });

  it('is changed by a freeze only until a person thaws it', async () => {
    const freeze = { at: '2m ago', freeze: true };
    expect((await answer({}, { history: [freeze] })).tools).toEqual([]);
    const thawed = [freeze, { at: '1m ago', thaw: true }];
    expect((await answer({}, { history: thawed })).tools).toEqual(['restart_channel']);
  });
});

describe('the incident of a case', () => {
  it('is open as long as it was, by both clocks', () => {
    const incident = incidentOf(frameOf({ envelope: CRASHED }), NOW_MS - 60_000);
    expect(incident).toMatchObject({
      ...{ scope: { kind: 'channel', id: 'news' }, group: 'encoders', classification: 'process_crashed' },
      ...{ openedMs: NOW_MS - 60_000, openedAt: NOON - 60_000 },
    });
  });

  it('of a group is of that group, and unknown where nothing was concluded', () => {
    const incident = incidentOf(frameOf({ envelope: { scope: 'group:g', channels: ['news'] } }), NOW_MS);
    expect(incident).toMatchObject({ group: 'g', classification: 'unknown', channels: ['news'] });
  });
});
