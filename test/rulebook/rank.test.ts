import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { rankScore, type Standing, type StandingOf, trackRecord } from '../../src/rulebook/rank.ts';
import { anEnvelope } from '../support/a.ts';
import { aRule } from './support.ts';
import { planned, ruleOf } from './asking.ts';

const standing = (with_: Partial<Standing>): Standing => ({
  successes: 0,
  failures: 0,
  onTrial: false,
  retired: false,
  ...with_,
});

const evidence = (text: string) => [{ id: 'e1', at: 0, origin: 'log', source: 's', text }] as const;

describe('Theow 7, ranking', () => {
  const about = anEnvelope({ evidence: evidence('decoder error while decoding the first frame') });
  const near = aRule({ id: 'z_near', description: 'The decoder fails', examples: ['error while decoding frame'] });
  const far = aRule({ id: 'a_far', description: 'The disk is full', examples: ['no space left on device'] });

  it('puts the rule first whose description and examples are most like what was seen', () => {
    expect(ruleOf(planned([far, near], { about }))).toBe('z_near');
  });

  it("leaves the operator's priority above likeness", () => {
    expect(ruleOf(planned([{ ...far, priority: 101 }, near], { about }))).toBe('a_far');
  });

  it('weighs likeness by the record', () => {
    const also = aRule({ ...near, id: 'y_also', steps: near.then });
    expect(ruleOf(planned([near, also], { about }))).toBe('y_also');
    const standingOf = (id: string) => (id === 'y_also' ? standing({ failures: 9 }) : standing({ successes: 9 }));
    expect(ruleOf(planned([near, also], { about, standingOf }))).toBe('z_near');
  });

  it('tries what is established before what is on trial, and never what is out of use', () => {
    const onTrial: StandingOf = (id) => (id === 'z_near' ? standing({ onTrial: true }) : undefined);
    expect(ruleOf(planned([far, near], { about, standingOf: onTrial }))).toBe('a_far');
    const retired: StandingOf = (id) => (id === 'z_near' ? standing({ retired: true }) : undefined);
    expect(ruleOf(planned([near], { about, standingOf: retired }))).toBeUndefined();
  });

  property.prop([fc.float({ min: 0, max: 1, noNaN: true }), fc.nat(50), fc.nat(50)])(
    'grows with likeness and with each cure, falls with each failure, and stays between 0 and 1',
    (likeness, successes, failures) => {
      const score = rankScore(likeness, { successes, failures });
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(rankScore(likeness, { successes: successes + 1, failures })).toBeGreaterThanOrEqual(score);
      expect(rankScore(likeness, { successes, failures: failures + 1 })).toBeLessThanOrEqual(score);
    },
  );

  it('takes a rule without a record for one that cures every second time', () => {
    expect(trackRecord(undefined)).toBe(0.5);
    expect(trackRecord({ successes: 3, failures: 0 })).toBe(0.8);
  });
});
