import { describe, expect, it } from 'vitest';
import { TOOL_NAMES } from '../../src/core/tool.ts';
import {
  anyCall,
  gibberish,
  greedyPlanner,
  lookingPlanner,
  type Planner,
  randomPlanner,
  restartOf,
} from '../../src/simulation/planners.ts';
import { streamOf } from '../../src/simulation/random_streams.ts';
import { scenarioOf } from '../../src/simulation/scenario.ts';
import { anEnvelope } from '../support/a.ts';

const script = scenarioOf({ seed: 3, days: 0 });
const plansOf = (planner: Planner, count: number, envelope = anEnvelope()) =>
  Array.from({ length: count }, () => planner.rulebook.decide(envelope, [], () => true)!);
const calls = Array.from({ length: 2_000 }, (_, at) => anyCall(script, streamOf(at, 'calls')));

describe('a random planner', () => {
  const planner = randomPlanner(script);
  const plans = plansOf(planner, 1_000);

  it('waits, stops, escalates and mostly acts, and counts what it was asked', () => {
    const share = (kind: string) => plans.filter((one) => one.kind === kind).length / plans.length;
    expect(share('wait')).toBeCloseTo(0.1, 1);
    expect(share('stop')).toBeCloseTo(0.05, 1);
    expect(share('escalate')).toBeCloseTo(0.05, 1);
    expect(share('act')).toBeCloseTo(0.8, 1);
    expect(planner.plans()).toBe(1_000);
  });

  it('acts half of the times on what it was asked about', () => {
    const own = plans.filter(
      (one) => one.kind === 'act' && one.call.target.kind === 'channel' && one.call.target.id === 'news',
    );
    expect(own.length / plans.length).toBeCloseTo(0.4, 1);
  });

  it('waits for any time, also for less than none', () => {
    const waits = plans.flatMap((one) => (one.kind === 'wait' ? [one.escalateAfterMs] : []));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(-1_000);
    expect(Math.max(...waits)).toBeGreaterThan(1_000_000);
  });

  it('answers the same for the same seed, and knows no rules', () => {
    expect(plansOf(randomPlanner(script), 1_000)).toEqual(plans);
    expect(plansOf(randomPlanner({ ...script, seed: 4 }), 1_000)).not.toEqual(plans);
    expect([planner.rulebook.rules, planner.rulebook.matchAll(anEnvelope())]).toEqual([[], []]);
  });
});

describe('any call', () => {
  it('may ask for every tool, mostly for a restart, and for some that do not exist', () => {
    const tools = calls.map(({ tool }) => tool);
    expect(TOOL_NAMES.every((name) => tools.includes(name))).toBe(true);
    expect(tools.filter((tool) => tool === 'restart_channel').length).toBeGreaterThan(1_000);
    const unknown = tools.filter((tool) => !TOOL_NAMES.includes(tool)).length;
    expect(unknown > 10 && unknown < 120).toBe(true);
  });

  it('may aim at every kind of scope, and at channels that do not exist', () => {
    expect(new Set(calls.map(({ target }) => target.kind))).toEqual(new Set(['channel', 'group', 'engine', 'fleet']));
    const ids = new Set(script.channels.map(({ id }) => id));
    expect(calls.some(({ target }) => target.kind === 'channel' && !ids.has(target.id))).toBe(true);
    expect(calls.some(({ target }) => target.kind === 'channel' && ids.has(target.id))).toBe(true);
  });

  it('names one to five channels in a fifth of the times, and else none', () => {
    const counts = calls.map(({ channels }) => channels.length);
    expect(new Set(counts)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(counts.filter((count) => count > 0).length / calls.length).toBeCloseTo(0.2, 1);
  });
});

describe('gibberish', () => {
  it('is up to 24 bytes of any value', () => {
    const texts = Array.from({ length: 1_000 }, (_, at) => gibberish(streamOf(at, 'g')));
    expect(new Set(texts.map(({ length }) => length)).size).toBe(25);
    expect([...texts.join('')].every((sign) => sign.charCodeAt(0) < 256)).toBe(true);
  });
});

describe('a greedy planner', () => {
  it('wants a restart of what it was asked about, and nothing else', () => {
    expect(plansOf(greedyPlanner(script), 2)).toMatchObject([
      { kind: 'act', call: restartOf(anEnvelope()) },
      { kind: 'act' },
    ]);
  });

  it('restarts the channels of a shared trouble, and of a single channel only that', () => {
    const group = anEnvelope({ scope: { kind: 'group', id: 'g' }, channels: ['a', 'b'] });
    expect(restartOf(group)).toEqual({
      tool: 'restart_channel',
      target: { kind: 'group', id: 'g' },
      channels: ['a', 'b'],
    });
    expect(restartOf(anEnvelope({ channels: ['a', 'b'] })).channels).toEqual([]);
  });
});

describe('a looking planner', () => {
  it('alternates between two tools that look', () => {
    const tools = plansOf(lookingPlanner(script), 3).map((one) => one.kind === 'act' && one.call.tool);
    expect(tools).toEqual(['get_channel_health', 'fetch_recent_logs', 'get_channel_health']);
  });
});
