import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIDENCE_THRESHOLD, RuleRouter, targetsOf } from '../../src/ask/router.ts';
import { toolsOver } from '../../src/ask/tools.ts';
import { aStamp } from './support.ts';

const never = () => Promise.reject(new Error('routing reads nothing'));
const tools = toolsOver({ get: never, tell: () => undefined });
const targets = targetsOf([...tools.values()]);
const route = (prompt: string, threshold = DEFAULT_CONFIDENCE_THRESHOLD) =>
  new RuleRouter(threshold, aStamp()).route(prompt, targets);
const words = fc.constantFrom(...targets.flatMap(({ hints }) => hints), 'news', 'the', 'xyz', 'Why?!', '');
const prompts = fc.array(words, { maxLength: 8 }).map((each) => each.join(' '));

describe('Routing', () => {
  it.each([
    ['why did news fail?', 'why'],
    ['why was it not restarted, why not?', 'why-not'],
    ['show me the log lines of inc-3f2a', 'logs'],
    ['what happened last night?', 'incidents'],
    ['is news healthy?', 'health'],
    ['how full is the pool?', 'pool'],
    ['which rule is that?', 'rules'],
    ['any blind spots?', 'blind-spots'],
    ['what have you learned?', 'insights'],
    ['have you seen before that it stalls?', 'memory'],
    ['tell me the story of inc-3f2a', 'trace'],
    ['status please', 'status'],
  ])('%s is for %s', (prompt, target) => expect(route(prompt).target).toBe(target));

  it('finds an incident, a tool and a marked channel in the question', () => {
    expect(route('why not restart_channel on channel:news after inc-3f2a').args).toMatchObject({
      ...{ incident: 'inc-3f2a', tool: 'restart_channel', channel: 'news' },
    });
  });

  it('falls back where no hint fits, and says so', () => {
    expect(route('good morning')).toMatchObject({
      target: undefined,
      target_type: 'fallback',
      confidence: 0,
      args: {},
    });
  });

  it('takes what reaches the threshold exactly and not what is below it', () => {
    expect(route('health', 0.5).target).toBe('health');
    expect(route('health', 0.501).target).toBeUndefined();
  });

  test.prop([prompts, fc.double({ min: 0, max: 1, noNaN: true })])(
    'the same question gives the same decision, whatever the order of the targets, and changes no target',
    (prompt, threshold) => {
      const before = JSON.stringify(targets);
      const router = () => new RuleRouter(threshold, aStamp());
      const decision = router().route(prompt, targets);
      expect(router().route(prompt, targets)).toEqual(decision);
      expect(router().route(prompt, [...targets].reverse())).toEqual(decision);
      expect(JSON.stringify(targets)).toBe(before);
      expect(decision.confidence).toBeGreaterThanOrEqual(0);
      expect(decision.confidence).toBeLessThanOrEqual(1);
    },
  );

  test.prop([prompts, fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })])(
    'a lower threshold only ever admits more, and never another target',
    (prompt, a, b) => {
      const [low, high] = [route(prompt, Math.min(a, b)), route(prompt, Math.max(a, b))];
      if (high.target !== undefined) expect(low.target).toBe(high.target);
    },
  );
});
