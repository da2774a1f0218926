import { describe, expect, it } from 'vitest';
import { endLeftOver, failurePage, keyOfFailure, raiseFailure, startedAnew } from '../../src/escalate/failure_pages.ts';
import { applyToOutbox, EMPTY_OUTBOX, type Outbox } from '../../src/escalate/outbox.ts';
import type { Escalation } from '../../src/core/incident.ts';
import type { Draft } from '../../src/core/journal.ts';
import { raise } from '../../src/escalate/escalator.ts';
import type { Undelivered } from '../../src/escalate/undelivered.ts';
import { fold, raisedFact, resolvedFact } from './support.ts';

const openKeys = ({ pages }: Outbox) => pages.filter(({ resolved }) => resolved === undefined).map(({ key }) => key);
const applied = (outbox: Outbox, drafts: readonly Draft[]): Outbox =>
  drafts.reduce(
    (state, draft, index) => applyToOutbox(state, { ...draft, seq: 100 + index, at: 9, monoMs: 9, boot: 'b' }),
    outbox,
  );

describe('a failure of Reeve itself', () => {
  it.each([
    ['run run-1: QUEUE_FULL: the lane is full', 'reeve/internal/run'],
    ['run run-2: something else', 'reeve/internal/run'],
    ['housekeeping: disk I/O error', 'reeve/internal/housekeeping'],
    ['JOURNAL_UNWRITABLE: cannot write', 'reeve/internal/journal_unwritable'],
    ['(unexpected)', 'reeve/internal/other'],
    ['', 'reeve/internal/other'],
    [`${'a'.repeat(41)}: long`, `reeve/internal/${'a'.repeat(40)}`],
  ])('%j is paged under %s', (text, key) => {
    expect(keyOfFailure(text)).toBe(key);
  });

  it('is a critical page about everything, with what failed and where to look', () => {
    const page = failurePage('sample: no such channel', undefined);
    expect(page).toMatchObject({ key: 'reeve/internal/sample', severity: 'critical', reason: 'internal' });
    expect(page.scope).toEqual({ kind: 'fleet' });
    expect(page.summary).toBe('Reeve itself failed: sample: no such channel');
    expect(page.details).toContain('reeve status');
  });

  it('is one and the same page whatever failed while the journal is broken, and says what to do about the disk', () => {
    const [one, other] = [failurePage('sample: a', 'unwritable'), failurePage('run: b', 'unwritable')];
    expect([one.key, other.key]).toEqual(['reeve/internal/journal', 'reeve/internal/journal']);
    expect(one).toMatchObject({ reason: 'journal_broken' });
    expect(one.details).toContain('df -h');
    expect(one.details).not.toContain('reeve audit verify');
  });

  it('says of a broken chain that it is for a person, and not that nothing is written', () => {
    const { key, reason, details } = failurePage('journal: it is broken', 'chain');
    expect([key, reason]).toEqual(['reeve/internal/journal', 'journal_broken']);
    expect(details).toContain('reeve audit verify');
    expect(details).not.toContain('takes nothing');
  });

  it('keeps its texts within what a page may hold', () => {
    const { summary, details } = failurePage('x'.repeat(5_000), undefined);
    expect([summary.length, details.length]).toEqual([200, 2_000]);
  });
});

describe('a start with a whole journal', () => {
  const failed = fold([
    [1, raisedFact('esc-1', { key: 'reeve/internal/sample' })],
    [2, raisedFact('esc-2', { key: 'reeve/internal' })],
    [3, raisedFact('esc-3', { key: 'incident/inc-1' })],
    [4, raisedFact('esc-4', { key: 'reeve/internal_affairs' })],
  ]);
  const kept: Undelivered = {
    id: 'esc-9',
    key: 'unjournaled/reeve/internal/journal',
    severity: 'critical',
    reason: 'journal_broken',
    at: 5,
    summary: 'no space left',
    receivers: ['hook'],
  };

  it('ends the failure pages of the process before it, and no other page', () => {
    expect(openKeys(applied(failed, startedAnew(failed, [])))).toEqual(['incident/inc-1', 'reeve/internal_affairs']);
  });

  it('drafts nothing for a failure page that is over', () => {
    const over = fold([
      [1, raisedFact('esc-1', { key: 'reeve/internal/sample' })],
      [2, resolvedFact('reeve/internal/sample')],
    ]);
    expect(startedAnew(over, [])).toEqual([]);
  });

  it('writes down what the journal could not take, and ends it once the start itself is written', () => {
    const adopted = applied(EMPTY_OUTBOX, startedAnew(EMPTY_OUTBOX, [kept]));
    expect(openKeys(adopted)).toEqual([kept.key]);
    expect(adopted.pages[0]!.told).toMatchObject([{ receiver: 'hook', state: 'open' }]);
    expect(openKeys(applied(adopted, endLeftOver(adopted, [kept])))).toEqual([]);
    expect(endLeftOver(EMPTY_OUTBOX, [kept])).toEqual([]);
  });

  it('leaves a page about channels open: what it lists may be down still', () => {
    const listing: Undelivered = { ...kept, key: 'unjournaled/unrecorded/esc-8', channels: ['news'] };
    const adopted = applied(EMPTY_OUTBOX, startedAnew(EMPTY_OUTBOX, [kept, listing]));
    expect(openKeys(applied(adopted, endLeftOver(adopted, [kept, listing])))).toEqual([listing.key]);
  });
});

describe('a failure page', () => {
  const page = (journal: 'unwritable' | 'chain' | undefined, id = 'esc-9') =>
    ({ ...failurePage('sample: a', journal), id, at: 0 }) as Escalation;

  function raised(journal: 'unwritable' | 'chain' | undefined, state = applied(EMPTY_OUTBOX, []), isFull = false) {
    const [written, sent]: [Draft[], Escalation[]] = [[], []];
    let fault = journal;
    const how = raiseFailure((now) => page(now), {
      journal: () => fault,
      outbox: () => state,
      append: (drafts) => {
        if (isFull) {
          fault = 'unwritable';
          throw new Error('database or disk is full');
        }
        written.push(...drafts);
        return [];
      },
      pageUnjournaled: (one) => void sent.push(one),
    });
    return { how, written, sent };
  }

  it('is written down where the journal takes entries, whole or not', () => {
    for (const journal of [undefined, 'chain'] as const) {
      const { how, written, sent } = raised(journal);
      expect([how, written.length, sent.length]).toEqual(['journaled', 1, 0]);
    }
  });

  it('is sent past a journal that takes nothing, also where that is only found by the attempt', () => {
    expect(raised('unwritable')).toMatchObject({ how: 'unjournaled', written: [], sent: [{ id: 'esc-9' }] });
    for (const before of [undefined, 'chain'] as const) {
      const { how, sent } = raised(before, undefined, true);
      expect([how, sent[0]?.key]).toEqual(['unjournaled', 'reeve/internal/journal']);
      expect(sent[0]?.details).toContain('The journal takes nothing more');
    }
  });

  it('about a journal that takes nothing is sent though one about its broken chain is open', () => {
    const state = applied(EMPTY_OUTBOX, raise(EMPTY_OUTBOX, page('chain', 'esc-1')));
    expect(raised('unwritable', state)).toMatchObject({ how: 'unjournaled', sent: [{ id: 'esc-9' }] });
    expect(raised('chain', state)).toMatchObject({ how: 'journaled', written: [], sent: [] });
  });
});
