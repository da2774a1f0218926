import { describe, expect, it } from 'vitest';
import { newTally } from '../../src/backtest/batches.ts';
import { diffOf } from '../../src/backtest/diff.ts';
import { changedLines, countsOf, laterText, summaryOf, textOf } from '../../src/backtest/text.ts';
import { aBacktest, aCourse, aLine, aStory } from './courses.ts';
import { at } from './support.ts';

const linesOf = (...about: Parameters<typeof aBacktest>) => textOf(aBacktest(...about)).split('\n');

describe('the head of a report', () => {
  it('says what was played, and at which phase', () => {
    const sources = [
      { ...newTally('news.log'), lines: 3 },
      { ...newTally('b.log'), lines: 4 },
    ];
    expect(linesOf({}, { sources })[0]).toBe(
      '2026-07-28T12:00:00.000Z to 2026-07-28T12:10:00.000Z: 7 lines of 2 logs, 7 samples, 1 channels; phase 4',
    );
  });

  it('says which logs have no times, and what failed in Reeve itself', () => {
    const lines = linesOf({}, { undated: ['b.log'], failures: ['a bug'] });
    expect(lines.slice(1, 4)).toEqual([
      'b.log has no times: its lines were placed 10 to a second',
      'Reeve itself failed: a bug',
      '',
    ]);
  });
});

describe('the summary of a policy', () => {
  it('has its counts: of what would be done, what the record shows to have helped', () => {
    const act = {
      at: at(0),
      incident: 'inc-1',
      tool: 'restart_channel',
      target: 'channel:news',
      viewerSeconds: 1,
    } as const;
    const wouldAct = [true, false, undefined].map((helped) => ({ ...act, helped }));
    const refusedByCode = [
      { code: 'cooldown', count: 2 },
      { code: 'frozen', count: 1 },
    ];
    const viewerSeconds = { inTrouble: 30, spent: 4 };
    const course = { incidents: [aStory()], wouldAct, refusedByCode, storms: 1, startsSeen: 5, viewerSeconds };
    expect(summaryOf(aCourse(course))).toEqual([
      'as configured',
      '  incidents       1',
      '  would act       3, of which the record shows help after 1',
      '  refused         cooldown 2, frozen 1',
      '  pages           0',
      '  storms          1 (5 starts seen)',
      '  viewer-seconds  30 in trouble, 4 spent on changes',
      '  decisions       abc',
    ]);
  });

  it('says so where nothing was refused, and where nothing is known of viewers', () => {
    expect(summaryOf(aCourse())).toEqual(
      expect.arrayContaining(['  refused         nothing', '  viewer-seconds  not known']),
    );
  });
});

describe('an incident in the report', () => {
  const head = '2026-07-28T12:00:00.000Z  channel:news  process_crashed';
  const told = (with_: Parameters<typeof aStory>[0]) => {
    const lines = linesOf({ incidents: [aStory(with_)] });
    return lines.slice(lines.findIndex((line) => line.startsWith(head)));
  };

  it('shows its classifications, its ending, its symptoms, and each decision with its time', () => {
    const decisions = [aLine(1.5, 'plans wait', { because: 'a rule' }), aLine(120, 'would do it')];
    const classifications = ['process_crashed', 'output_stalled'] as const;
    expect(told({ classifications, symptoms: ['a (log)', 'b (probe)'], decisions })).toEqual([
      `${head} → output_stalled  (self_healed at 2026-07-28T12:01:00.000Z)`,
      '            said: a (log), b (probe)',
      '    +1.5 s  plans wait: a rule',
      '  +120.0 s  would do it',
      '',
    ]);
  });

  it('may be open at the end, and may have no symptom', () => {
    expect(told({ closedAt: undefined, ending: 'open' })).toEqual([`${head}  (open at the end)`, '']);
  });

  it('has at most forty lines, and the others are counted', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, second) => aLine(second, 'plans wait'));
    expect(told({ decisions: lines(40) })).toHaveLength(42);
    expect(told({ decisions: lines(41) }).slice(40)).toEqual([
      '   +39.0 s  plans wait',
      '            and 1 lines more',
      '',
    ]);
  });

  it('is one of at most 200, and the others are counted', () => {
    const lines = (count: number) => linesOf({ incidents: Array.from({ length: count }, () => aStory()) });
    expect(lines(200).at(-1)).toBe('');
    expect(lines(201).at(-1)).toBe('and 1 incidents more: --json has them all');
    expect(lines(201).filter((line) => line.startsWith(head))).toHaveLength(200);
  });
});

describe('a report of two policies', () => {
  const mine = aStory({ decisions: [aLine(5, 'restart', { kind: 'act' }), aLine(6, 'b')] });
  const compared = (theirs: readonly ReturnType<typeof aStory>[]) => {
    const diff = diffOf([mine], theirs);
    const against = aCourse({ policy: 'persona cautious', incidents: theirs });
    const lines = linesOf({ incidents: [mine] }, { against, diff });
    return lines.slice(lines.findIndex((line) => line.startsWith('against ')));
  };
  const later = aStory({ decisions: [aLine(19, 'restart', { kind: 'act' }), aLine(20, 'c')] });

  it('has the counts of both, the summary of the second, and step for step where they differ', () => {
    const lines = compared([later]);
    expect(lines.slice(0, 3)).toEqual([
      'against persona cautious: 0 the same, 1 other, 0 only here, 0 only there',
      '',
      'persona cautious',
    ]);
    expect(lines.slice(-4)).toEqual([
      'OTHER      2026-07-28T12:00:00.000Z  channel:news  process_crashed, acts 14.0 s later',
      '               restart',
      '             - b',
      '             + c',
    ]);
  });

  it('names an incident in which they agree without its steps, and those that only one has', () => {
    expect(compared([mine]).at(-1)).toBe('same       2026-07-28T12:00:00.000Z  channel:news  process_crashed');
    const marks = compared([aStory({ scope: 'channel:sport' })]).map((line) => line.slice(0, 10).trim());
    expect(marks).toEqual(expect.arrayContaining(['ONLY HERE', 'ONLY THERE']));
  });

  it('names the policy that acts sooner, and none where both act at the same time', () => {
    const diffs = diffOf([later], [mine]).incidents;
    expect(laterText(diffs[0]!)).toBe(', acts 14.0 s sooner');
    expect([laterText({ ...diffs[0]!, actsLaterMs: 0 }), laterText({ ...diffs[0]!, actsLaterMs: undefined })]).toEqual([
      '',
      '',
    ]);
    expect(countsOf({ ...diffOf([], []), same: 3 })).toBe('3 the same, 0 other, 0 only here, 0 only there');
  });
});

describe('steps that changed', () => {
  const changed = (before: string, after: string) => changedLines([...before], [...after]).join('|');

  it.each([
    ['', '', ''],
    ['ab', 'ab', '  a|  b'],
    ['a', '', '- a'],
    ['', 'a', '+ a'],
    ['ab', 'cb', '- a|+ c|  b'],
    ['abc', 'ac', '  a|- b|  c'],
    ['ac', 'abc', '  a|+ b|  c'],
    ['xab', 'abx', '- x|  a|  b|+ x'],
    ['abx', 'xab', '+ x|  a|  b|- x'],
    ['abca', 'ca', '- a|- b|  c|  a'],
    ['abcd', 'bxd', '- a|  b|- c|+ x|  d'],
  ])('from "%s" to "%s" are shown along the longest common run of steps', (before, after, lines) => {
    expect(changed(before, after)).toBe(lines);
  });
});
