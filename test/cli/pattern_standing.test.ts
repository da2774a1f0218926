import { describe, expect, it } from 'vitest';
import { counted, standing, type WirePattern } from '../../src/cli/pattern_standing.ts';

const RECORD = {
  named_by: 'ann\u001b[31m',
  treated: { successes: 3, failures: 2 },
  control: { successes: 0, failures: 0 },
  incidents: 5,
  aimless: 1,
  uplift: { mean: 0.256, low: -0.1, high: 0.5 },
};
const pattern = (with_: Partial<WirePattern> = {}): WirePattern => ({
  ...{ id: 'p1', state: 'shadow', who: null, shadowed: 0, next: null, moves: [], file: 'p1.yaml', text: '' },
  record: RECORD,
  offer: null,
  ...with_,
});

describe('what was counted', () => {
  it('is a share of all, or a dash where there is nothing yet', () => {
    expect(counted({ successes: 0, failures: 1 })).toBe('0 of 1');
    expect(counted({ successes: 3, failures: 2 })).toBe('3 of 5');
    expect([counted({ successes: 0, failures: 0 }), counted(undefined)]).toEqual(['–', '–']);
  });
});

describe('how a proposed pattern stands', () => {
  it('is its state alone where it has no record', () => {
    expect(standing(pattern({ record: null }))).toEqual(['p1 (shadow)']);
  });

  it('is its record in percent, without what a terminal would obey', () => {
    expect(standing(pattern())).toEqual([
      expect.stringMatching(/^p1 \(shadow\), named by ann(?!.*\u001b)/),
      'fitted 5 incidents, and 1 times no trouble at all',
      'cured 3 of 5; left alone it went by itself –',
      'better than doing nothing by 26 % (-10 % to 50 %)',
    ]);
  });

  it('says in staging that its changes wait for a yes', () => {
    const waits = 'a change that rests on it alone waits for a yes';
    expect(standing(pattern({ state: 'staging' }))).toContain(waits);
    expect(standing(pattern({ state: 'production' }))).not.toContain(waits);
  });

  it('ends with what is offered and the command for it', () => {
    const offered = standing(pattern({ offer: { to: 'staging', because: 'it fitted five' }, next: 'staging' }));
    expect(offered.slice(-2)).toEqual([
      'ready for staging: it fitted five',
      'next: reeve patterns promote p1 --because … (staging)',
    ]);
  });
});
