import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemsOf, type Evidence } from './invariants.ts';
import type { Point, Trial } from './point.ts';
import { pointsOf, sampleOf } from './points.ts';
import { leftOf, TrialRecord } from './record.ts';

const points = pointsOf({ fsync: 47, pwrite64: 290 });

describe('crash points', () => {
  it('are every fault at every call', () => {
    expect(points).toHaveLength(3 * (47 + 290));
  });

  it('are sampled from first to last, the same ones for the same seed', () => {
    const some = sampleOf(points, 5, 1);
    expect(some).toHaveLength(6 * 5);
    expect(sampleOf(points, 5, 1)).toEqual(some);
    expect(sampleOf(points, 5, 2)).not.toEqual(some);
    const kills = some.filter(({ fault, call }) => fault === 'KILL' && call === 'fsync').map(({ nth }) => nth);
    expect(Math.max(...kills) - Math.min(...kills)).toBeGreaterThan(30);
  });

  it('sampled more than there are, are all', () => {
    expect(new Set(sampleOf(points, 1_000, 3).map((point) => JSON.stringify(point))).size).toBe(points.length);
  });
});

describe('the record of a long run', () => {
  const counts = { fsync: 2, pwrite64: 1 };
  const [first, second, third] = pointsOf(counts) as [Point, Point, Point];
  const survived = (point: Point): Trial => ({ point, hit: true, problems: [], unknown: 0 });
  const failed = (point: Point): Trial => ({ ...survived(point), problems: ['S6: twice'] });
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'reeve-record-'));
    path = join(dir, 'new/record.jsonl');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('gives back what was tried before it was cut off in the middle of a line', () => {
    const record = new TrialRecord(path);
    record.begin(counts);
    record.add(survived(first));
    record.add(failed(second));
    appendFileSync(path, '{"point":{"call":');
    expect(new TrialRecord(path).read()).toEqual({ counts, trials: [survived(first), failed(second)] });
  });

  it('keeps the newest trial of a point that was tried again', () => {
    const record = new TrialRecord(path);
    record.begin(counts);
    record.add(failed(first));
    record.add(survived(first));
    expect(record.read()?.trials).toEqual([survived(first)]);
  });

  it('cannot be resumed before it was begun, and is empty when it is begun again', () => {
    const record = new TrialRecord(path);
    expect(record.read()).toBeUndefined();
    record.begin(counts);
    record.add(survived(first));
    record.begin(counts);
    expect(record.read()).toEqual({ counts, trials: [] });
  });

  it('leaves to try the points that were not tried, and those that failed', () => {
    expect(leftOf([first, second, third], [survived(first), failed(second)])).toEqual([second, third]);
  });
});

const entry = (seq: number, fact: object, run?: string) =>
  ({ seq, fact, ...(run && { run }) }) as Evidence['entries'][0];
const permit = { id: 'per-1', call: { tool: 'restart_channel', target: { id: 'news' } } };

/** As it looks after a kill between the start and its end, with all in order. */
const evidence = (change: Partial<Evidence> = {}): Evidence => ({
  entries: [
    entry(1, { type: 'tool.started', permit }),
    entry(2, { type: 'tool.unknown', permit }),
    entry(3, { type: 'escalation.raised', escalation: { id: 'esc-1', key: 'incident/1', reason: 'outcome_unknown' } }),
  ],
  delivered: [
    {
      ...{ id: 'msg-1', what: 'trigger', key: 'incident/1', reason: 'outcome_unknown', severity: 'critical' },
      ...{ summary: '', details: '', scope: 'channel:news', incident: '1' },
    },
  ],
  invocations: [{ channel: 'news', count: 1 }],
  unknownShown: ['news'],
  whyNot: {
    checks: [
      { id: 10, value: '0 in the incident, 1 in 24 h' },
      { id: 14, value: '1 starts, 1 of local' },
    ],
  },
  chain: { ok: true, because: undefined },
  code: 0,
  ...change,
});

const DELIVERED = evidence().delivered[0]!;
const STARTED = evidence().entries[0]!;

describe('the laws of the crash points', () => {
  it('report nothing when all is in order', () => {
    expect(problemsOf(evidence())).toEqual([]);
  });

  it.each<[string, RegExp, Partial<Evidence>]>([
    ['a second invocation', /^S6: news was restarted 2 times/, { invocations: [{ channel: 'news', count: 2 }] }],
    ['an invocation without a record', /^S6: .* with 0 starts/, { entries: [] }],
    ['a permit used twice', /^S6: a permit was started twice/, { entries: [STARTED, ...evidence().entries] }],
    ['a start whose end is not known, forgotten', /^S6: per-1 began/, { entries: [STARTED] }],
    ['an UNKNOWN that status hides', /^S6: the status of news/, { unknownShown: [] }],
    ['an UNKNOWN without a page', /^S6: no page was sent/, { delivered: [{ ...DELIVERED, reason: 'internal' }] }],
    ['a page that got lost', /^L1: incident\/1 was raised/, { delivered: [] }],
    [
      'a resolve before its trigger',
      /^L1: .* before it was raised/,
      { delivered: [{ ...DELIVERED, what: 'resolve' }] },
    ],
    ['one id for two messages', /^L1: the message id/, { delivered: [DELIVERED, { ...DELIVERED, what: 'resolve' }] }],
    [
      'a run without an end',
      /^L2: run-1/,
      { entries: [entry(4, { type: 'run.started' }, 'run-1'), ...evidence().entries] },
    ],
    [
      'an incident that was left to a person though nothing had begun',
      /^a run that had called nothing ended as escalated/,
      { entries: [entry(5, { type: 'run.ended', cut_off: true, steps: 0, outcome: { kind: 'escalated' } })] },
    ],
    ['a start that the cap forgot', /^S5/, { whyNot: { checks: [{ id: 14, value: '1 starts' }] } }],
    ['a start that the window forgot', /^S2/, { whyNot: { checks: [{ id: 10, value: '0 in it, 1 in 24 h' }] } }],
    ['a chain that does not hold', /^S14: cut/, { chain: { ok: false, because: 'cut' } }],
    ['a second process that ends badly', /ended with 70/, { code: 70 }],
  ])('object to %s', (_, law, change) => {
    expect(problemsOf(evidence(change)).filter((problem) => law.test(problem))).not.toEqual([]);
  });
});
