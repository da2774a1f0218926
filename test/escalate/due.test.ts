import { describe, expect, it } from 'vitest';
import type { JournalFact } from '../../src/core/journal.ts';
import { DueNotices, dueTo, LATE_HOLD_MS, noticeOf } from '../../src/escalate/due.ts';
import { FLOOD_MS } from '../../src/escalate/outbox.ts';
import { doneFact, fold, raisedFact, resolvedFact } from './support.ts';

const REPEAT_MS = 4 * 3_600_000;

type Steps = readonly (readonly [number, JournalFact])[];

const pageAfter = (steps: Steps) => fold(steps).pages[0]!;
const due = (steps: Steps, receiver = 'pager') => dueTo(pageAfter(steps), receiver, REPEAT_MS);

const raised = [10, raisedFact('esc-1', { severity: 'warning' })] as const;
const triggered = [20, doneFact('trigger', 'esc-1')] as const;
const resolved = [30, resolvedFact()] as const;

describe('what is due to a receiver, of all pages', () => {
  it('is worked out once for a page as it stands, and anew for what is repeated sooner', () => {
    const notices = new DueNotices('pager');
    const page = pageAfter([raised, triggered]);
    const first = notices.of(page, REPEAT_MS);
    expect(first).toEqual({ ...dueTo(page, 'pager', REPEAT_MS), id: noticeOf(page, 'pager', 'repeat').id });
    expect(notices.of(page, REPEAT_MS)).toBe(first);
    expect(notices.of(page, 1_000)).toMatchObject({ what: 'repeat', dueMs: 1_020 });
    expect(notices.of(pageAfter([raised, triggered, resolved]), 1_000)).toMatchObject({ what: 'resolve' });
  });

  it('is nothing where a receiver knows everything', () => {
    const told = [40, doneFact('resolve', 'esc-1')] as const;
    expect(new DueNotices('pager').of(pageAfter([raised, triggered, resolved, told]), REPEAT_MS)).toBeUndefined();
  });
});

describe('what is due to a receiver next', () => {
  it('is the trigger, at once', () => {
    expect(due([raised])).toEqual({ what: 'trigger', dueMs: 10 });
  });

  it('is a repeat when the page stays open and unacknowledged', () => {
    expect(due([raised, triggered])).toEqual({ what: 'repeat', dueMs: 20 + REPEAT_MS });
    expect(
      due([raised, triggered, [25, { type: 'escalation.acked', key: 'incident/inc-1', who: 'eve' }]]),
    ).toBeUndefined();
    expect(due([raised, triggered, [99, doneFact('repeat', 'esc-1')]])).toEqual({
      what: 'repeat',
      dueMs: 99 + REPEAT_MS,
    });
  });

  it('is the resolve after the trigger, and then nothing', () => {
    expect(due([raised, triggered, resolved])).toEqual({ what: 'resolve', dueMs: 30 });
    expect(due([raised, triggered, resolved, [40, doneFact('resolve', 'esc-1')]])).toBeUndefined();
  });

  it('is the trigger of a page that is over and was never delivered, and after a while its resolve', () => {
    expect(due([raised, resolved])).toEqual({ what: 'trigger', dueMs: 10 });
    const late = [60, doneFact('trigger', 'esc-1')] as const;
    expect(due([raised, resolved, late])).toEqual({ what: 'resolve', dueMs: 60 + LATE_HOLD_MS });
  });

  it('goes by the order of the entries where all of it falls into one millisecond', () => {
    const at = (...facts: readonly JournalFact[]) => due(facts.map((fact) => [30, fact] as const));
    const [raise, trigger, resolve] = [raised[1], triggered[1], resolved[1]];
    expect(at(raise, trigger, resolve)).toEqual({ what: 'resolve', dueMs: 30 });
    expect(at(raise, resolve, trigger)).toEqual({ what: 'resolve', dueMs: 30 + LATE_HOLD_MS });
  });

  it('is only the resolve where another receiver took a page that is over', () => {
    expect(due([raised, triggered, resolved], 'chat')).toEqual({ what: 'resolve', dueMs: 30 });
    const heard = [40, doneFact('resolve', 'esc-1', { receiver: 'chat' })] as const;
    expect(due([raised, triggered, resolved, heard], 'chat')).toBeUndefined();
    expect(due([raised, triggered], 'chat')).toEqual({ what: 'trigger', dueMs: 10 });
  });

  it('is an update not before the flood window ends', () => {
    const news = [30, raisedFact('esc-2', { severity: 'warning', reason: 'lasting' })] as const;
    expect(due([raised, triggered, news])).toEqual({ what: 'trigger', dueMs: 20 + FLOOD_MS });
    const later = [20 + 2 * FLOOD_MS, raisedFact('esc-2', { severity: 'warning', reason: 'lasting' })] as const;
    expect(due([raised, triggered, later])).toEqual({ what: 'trigger', dueMs: 20 + 2 * FLOOD_MS });
  });

  it('is sent at once when it asks for an answer and the last one did not, for a question runs out', () => {
    const asks = [30, raisedFact('esc-2', { severity: 'warning', reason: 'approval_needed' })] as const;
    expect(due([raised, triggered, asks])).toEqual({ what: 'trigger', dueMs: 30 });
    const heard = [40, doneFact('trigger', 'esc-2')] as const;
    const other = { severity: 'warning', reason: 'approval_needed', classification: 'media_unplayable' } as const;
    const again = [50, raisedFact('esc-3', other)] as const;
    expect(due([raised, triggered, asks, heard, again])).toEqual({ what: 'trigger', dueMs: 40 + FLOOD_MS });
  });

  it('is sent at once when it is more severe than anything sent in the window', () => {
    const louder = [30, raisedFact('esc-2', { severity: 'critical' })] as const;
    expect(due([raised, triggered, louder])).toEqual({ what: 'trigger', dueMs: 30 });
    const delivered = [35, doneFact('trigger', 'esc-2')] as const;
    const back = [50, raisedFact('esc-3', { severity: 'critical' })] as const;
    const again = [
      raised,
      triggered,
      louder,
      delivered,
      [40, resolvedFact()] as const,
      [45, doneFact('resolve', 'esc-2')] as const,
      back,
    ];
    expect(due(again)).toEqual({ what: 'trigger', dueMs: 35 + FLOOD_MS });
  });

  it('is a page that came back, as an update where its resolve was not sent yet', () => {
    const back = [40, raisedFact('esc-2', { severity: 'warning' })] as const;
    expect(due([raised, triggered, resolved, back])).toEqual({ what: 'trigger', dueMs: 20 + FLOOD_MS });
  });

  it('is the page first where one came back and went, for its first end may have been heard', () => {
    const back = [40, raisedFact('esc-2', { severity: 'warning' })] as const;
    const steps = [raised, triggered, resolved, back, [50, resolvedFact()] as const];
    expect(due(steps)).toEqual({ what: 'trigger', dueMs: 20 + FLOOD_MS });
    const heard = [20 + FLOOD_MS, doneFact('trigger', 'esc-2')] as const;
    expect(due([...steps, heard])).toEqual({ what: 'resolve', dueMs: 20 + FLOOD_MS + LATE_HOLD_MS });
    const elsewhere = [45, doneFact('trigger', 'esc-2', { receiver: 'chat' })] as const;
    expect(due([...steps.slice(0, 4), elsewhere, steps[4]!])).toEqual({ what: 'resolve', dueMs: 50 });
  });

  it('is only the resolve of a page that had other news and went without growing more severe', () => {
    const news = [25, raisedFact('esc-2', { severity: 'warning', reason: 'lasting' })] as const;
    expect(due([raised, triggered, news, resolved])).toEqual({ what: 'resolve', dueMs: 30 });
    expect(due([raised, triggered, news, resolved, [60, doneFact('resolve', 'esc-2')]])).toBeUndefined();
  });

  it('is the more severe update first, when the page ended before it was sent', () => {
    const louder = [25, raisedFact('esc-2', { severity: 'critical' })] as const;
    expect(due([raised, triggered, louder, resolved])).toEqual({ what: 'trigger', dueMs: 30 });
    const heard = [28, doneFact('trigger', 'esc-2', { receiver: 'chat' })] as const;
    expect(due([raised, triggered, louder, heard, resolved])).toEqual({ what: 'resolve', dueMs: 30 });
  });

  it('is the trigger of the next episode even when a resolve was under way', () => {
    const back = [40, raisedFact('esc-2', { severity: 'critical' })] as const;
    const steps = [raised, triggered, resolved, back, [45, doneFact('resolve', 'esc-1')] as const];
    expect(due(steps)).toEqual({ what: 'trigger', dueMs: 40 });
    expect(due([...steps, [48, resolvedFact()]])).toEqual({ what: 'trigger', dueMs: 40 });
  });
});

const FIRST = { severity: 'warning', reason: 'no_plan', classification: 'output_stalled' };

describe('a notice', () => {
  it('has one id over every attempt, and another for every other message', () => {
    const open = pageAfter([raised]);
    const delivered = pageAfter([raised, triggered]);
    const repeated = pageAfter([raised, triggered, [90, doneFact('repeat', 'esc-1')]]);
    const updated = pageAfter([raised, triggered, [95, raisedFact('esc-2')]]);
    expect(noticeOf(open, 'pager', 'trigger').id).toBe(noticeOf(pageAfter([raised, resolved]), 'pager', 'trigger').id);
    const ids = [
      noticeOf(open, 'pager', 'trigger').id,
      noticeOf(delivered, 'pager', 'repeat').id,
      noticeOf(repeated, 'pager', 'repeat').id,
      noticeOf(updated, 'pager', 'trigger').id,
      noticeOf(updated, 'pager', 'resolve').id,
      noticeOf(fold([[1, raisedFact('esc-1', { key: 'other' })]]).pages[0]!, 'pager', 'trigger').id,
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
  });

  it('says under which labels the receiver knows the page so far', () => {
    const page = pageAfter([raised, triggered, [95, raisedFact('esc-2', { reason: 'lasting' })]]);
    expect(noticeOf(page, 'pager', 'trigger')).toMatchObject({
      severity: 'critical',
      reason: 'lasting',
      previous: [FIRST],
    });
    expect(noticeOf(pageAfter([raised, triggered]), 'pager', 'repeat').previous).toEqual([]);
  });

  it('keeps the place in which its page was raised, until there is news from another', () => {
    const [here, there] = [
      { group: 'a', engine: 'one' },
      { group: 'b', engine: 'one' },
    ];
    const open = [[10, raisedFact('esc-1', { place: here })], triggered] as const;
    expect(noticeOf(pageAfter(open), 'pager', 'repeat')).toMatchObject({ place: here, previous: [] });
    const news = [30, raisedFact('esc-2', { reason: 'lasting', place: there })] as const;
    expect(noticeOf(pageAfter([...open, news]), 'pager', 'trigger')).toMatchObject({
      place: there,
      previous: [{ place: here }],
    });
    const later = [30, raisedFact('esc-2', { reason: 'lasting' })] as const;
    expect(noticeOf(pageAfter([...open, later]), 'pager', 'trigger')).toMatchObject({ place: here });
    const anew = noticeOf(pageAfter([...open, resolved, later]), 'pager', 'trigger');
    expect(anew.place).toBeUndefined();
  });

  it('says under which labels an attempt whose end was not seen may have opened the page', () => {
    const second = [95, raisedFact('esc-2', { reason: 'lasting' })] as const;
    const page = pageAfter([raised, triggered, second]);
    const SECOND = { ...FIRST, severity: 'critical', reason: 'lasting' };
    expect(noticeOf(page, 'pager', 'resolve')).toMatchObject({ ...FIRST, previous: [SECOND] });
    expect(noticeOf(page, 'pager', 'repeat')).toMatchObject({ ...FIRST, previous: [] });
    expect(noticeOf(page, 'chat', 'trigger')).toMatchObject({ ...SECOND, previous: [FIRST] });
    const third = pageAfter([raised, triggered, second, [96, raisedFact('esc-3', { reason: 'steps_spent' })]]);
    expect(noticeOf(third, 'pager', 'trigger').previous).toEqual([FIRST, SECOND]);
    const known = pageAfter([raised, triggered, second, [97, doneFact('trigger', 'esc-2')], resolved]);
    expect(noticeOf(known, 'pager', 'resolve')).toMatchObject({ ...SECOND, previous: [] });
  });

  it('counts what was raised since this receiver was last notified', () => {
    const more = [1, 2, 3].map((n) => [30 + n, raisedFact(`more-${n}`, { severity: 'warning' })] as const);
    expect(noticeOf(pageAfter([raised]), 'pager', 'trigger').raised).toBe(1);
    expect(noticeOf(pageAfter([raised, triggered, ...more]), 'pager', 'repeat').raised).toBe(3);
  });
});
