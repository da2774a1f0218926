import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import type { Draft } from '../../src/core/journal.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { openWorkProjection, recoveryDrafts } from '../../src/journal/recover.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { escalation } from '../escalate/support.ts';
import { permit } from './support.ts';

const ABOUT = { channel: 'news', incident: 'inc-1', run: 'run-1' };

const opened: Draft = {
  ...ABOUT,
  fact: {
    type: 'incident.opened',
    incident: {
      id: 'inc-1',
      scope: { kind: 'group', id: 'pull' },
      group: 'pull',
      engine: 'local',
      openedAt: 0,
      openedMs: 0,
      classification: 'output_stalled',
      channels: ['a', 'b'],
    },
  },
};
const runStarted: Draft = { ...ABOUT, fact: { type: 'run.started', attempt: 1 } };
const runEnded: Draft = {
  ...ABOUT,
  fact: { type: 'run.ended', outcome: { kind: 'resolved', score: 1, because: 'x' }, steps: 1, tookMs: 5 },
};
const toolStarted = (id: string, terms = {}): Draft => ({
  ...ABOUT,
  fact: { type: 'tool.started', permit: permit(id, terms) },
});
const toolFinished = (id: string): Draft => ({
  ...ABOUT,
  fact: {
    type: 'tool.finished',
    permit: permit(id),
    result: { permit: id, call: permit(id).call, ok: true, summary: '', durationMs: 1, code: undefined },
  },
});

/** What is found after a crash behind the given drafts. */
function afterCrash(drafts: readonly Draft[]) {
  const store = new MemoryStore();
  const before = new Ledger(store, fakeClock().clock);
  before.register(openWorkProjection);
  before.open();
  before.append(drafts);
  const ledger = new Ledger(store.crash(), fakeClock(undefined, 'boot-2').clock);
  const work = ledger.register(openWorkProjection);
  ledger.open();
  const moment = { at: ledger.clock.now(), nowMs: ledger.clock.monotonicMs(), ids: countingIds() };
  return { ledger, work, recover: () => recoveryDrafts(work(), moment) };
}

describe('recovery', () => {
  it('has nothing to do after an orderly stop', () => {
    const drafts = [opened, runStarted, toolStarted('per-1'), toolFinished('per-1'), runEnded];
    expect(afterCrash(drafts).recover()).toEqual([]);
    expect(afterCrash([]).recover()).toEqual([]);
  });

  it('makes a call without an end UNKNOWN, pages a person, and ends its run', () => {
    const { recover } = afterCrash([
      opened,
      runStarted,
      toolStarted('per-1'),
      toolFinished('per-1'),
      toolStarted('per-2'),
    ]);
    const drafts = recover();
    expect(drafts.map(({ fact }) => fact.type)).toEqual(['tool.unknown', 'escalation.raised', 'run.ended']);
    expect(drafts).toMatchObject([
      { ...ABOUT, fact: { permit: { id: 'per-2' } } },
      {
        ...ABOUT,
        fact: {
          escalation: {
            key: 'incident/inc-1',
            reason: 'outcome_unknown',
            severity: 'critical',
            incident: 'inc-1',
            summary: 'outcome unknown: restart_channel on channel:news was under way when Reeve stopped',
            details: expect.stringMatching(/If it is stopped, start it yourself: .*reeve reset channel:news/s),
          },
        },
      },
      { ...ABOUT, fact: { outcome: { kind: 'escalated', reason: 'internal' }, steps: 2, tookMs: 1_000_000 } },
    ]);
  });

  it('ends a run without an open call, and pages a person once, about the scope of its incident', () => {
    const drafts = afterCrash([opened, runStarted, toolStarted('per-1'), toolFinished('per-1')]).recover();
    expect(drafts).toMatchObject([
      { fact: { type: 'escalation.raised', escalation: { reason: 'internal', scope: { kind: 'group', id: 'pull' } } } },
      { fact: { type: 'run.ended', steps: 1, outcome: { kind: 'escalated' } } },
    ]);
  });

  it('lets an incident be taken up again at once, without a page, when its run had called nothing', () => {
    expect(afterCrash([opened, runStarted]).recover()).toMatchObject([
      { ...ABOUT, fact: { type: 'run.ended', steps: 0, cutOff: true, outcome: { kind: 'watching', retryAfterMs: 0 } } },
    ]);
  });

  it('pages a person when a run is cut off a second time in a row: the incident itself may be what ends Reeve', () => {
    const { ledger, recover } = afterCrash([opened, runStarted]);
    ledger.append([...recover(), runStarted]);
    expect(recover()).toMatchObject([
      { fact: { type: 'escalation.raised', escalation: { reason: 'internal' } } },
      { fact: { type: 'run.ended', cutOff: true, outcome: { kind: 'escalated' } } },
    ]);
  });

  it('takes it up again after a run between the two that came to its own end', () => {
    const { ledger, recover } = afterCrash([opened, runStarted]);
    ledger.append([...recover(), runStarted, runEnded, runStarted]);
    expect(recover()).toMatchObject([{ fact: { type: 'run.ended', outcome: { kind: 'watching' } } }]);
  });

  it('counts the cut-off runs of each incident for itself', () => {
    const other = { ...ABOUT, incident: 'inc-2', run: 'run-2' };
    const { ledger, recover } = afterCrash([opened, runStarted]);
    if (opened.fact.type !== 'incident.opened') throw new Error('not opened');
    const second: Draft = { ...other, fact: { ...opened.fact, incident: { ...opened.fact.incident, id: 'inc-2' } } };
    ledger.append([...recover(), second, { ...other, fact: runStarted.fact }]);
    expect(recover()).toMatchObject([{ incident: 'inc-2', fact: { outcome: { kind: 'watching' } } }]);
  });

  it('of a staged start makes one page, about the whole', () => {
    const target = { kind: 'group', id: 'pull' } as const;
    const call = { tool: 'restart_channel', target, channels: ['a', 'b'] } as const;
    const drafts = afterCrash([
      runStarted,
      toolStarted('per-2', { parent: 'per-1' }),
      toolStarted('per-1', { call }),
      toolStarted('per-3', { parent: 'per-1' }),
    ]).recover();
    const pages = drafts.flatMap(({ fact }) => (fact.type === 'escalation.raised' ? [fact.escalation] : []));
    expect(drafts.filter(({ fact }) => fact.type === 'tool.unknown')).toHaveLength(3);
    expect(pages).toMatchObject([{ scope: target, details: expect.stringContaining('Channels: a, b') }]);
  });

  it('tells no one that a look may or may not have happened: the run was interrupted, and nothing is blocked', () => {
    const call = { tool: 'fetch_recent_logs', target: { kind: 'channel', id: 'a' }, channels: [] } as const;
    const drafts = afterCrash([opened, runStarted, toolStarted('p1', { call, risk: 'low' })]).recover();
    expect(drafts.map(({ fact }) => fact.type)).toEqual(['tool.unknown', 'escalation.raised', 'run.ended']);
    expect(drafts[1]?.fact).toMatchObject({
      escalation: {
        ...{ reason: 'internal', scope: { kind: 'group', id: 'pull' }, channels: ['a', 'b'] },
        summary: 'group:pull: Reeve stopped in the middle of a run; no change was under way',
      },
    });
  });

  it('of a call on one channel makes a page about the group whose incident asked for it: all of it is down', () => {
    const work = afterCrash([opened, runStarted, toolStarted('p1')]);
    expect(work.recover().find(({ fact }) => fact.type === 'escalation.raised')?.fact).toMatchObject({
      escalation: { scope: { kind: 'group', id: 'pull' } },
    });
  });

  const listing = (channels: readonly string[]): Draft => ({
    ...ABOUT,
    fact: { type: 'escalation.raised', escalation: escalation('esc-1', { channels }) },
  });

  it.each([
    ['a call that is UNKNOWN', [toolStarted('p1')], 'a, b'],
    ['a run in which nothing is UNKNOWN', [toolStarted('p1'), toolFinished('p1')], 'a, b'],
    [
      'a call that is UNKNOWN, once the incident’s page listed others',
      [listing(['a', 'b', 'c']), toolStarted('p1')],
      'a, b, c',
    ],
  ])('lists all channels of the incident in the page about %s: it takes the place of theirs', (_, drafts, list) => {
    const { fact } = afterCrash([opened, runStarted, ...drafts])
      .recover()
      .find((draft) => draft.fact.type === 'escalation.raised')!;
    const channels = list.split(', ');
    expect(fact).toMatchObject({ escalation: { channels, details: expect.stringContaining(`Channels: ${list}`) } });
  });

  it('is done once: after its append nothing is open, over any further crash', () => {
    const { ledger, work, recover } = afterCrash([opened, runStarted, toolStarted('per-1')]);
    ledger.append(recover());
    expect(work()).toMatchObject({ permits: [], runs: [] });
    expect(recover()).toEqual([]);
  });

  it('forgets what is over', () => {
    const closed: Draft = { ...ABOUT, fact: { type: 'incident.closed', ending: 'resolved', because: '', openMs: 1 } };
    expect(afterCrash([opened, runStarted, runEnded, closed]).work()).toEqual({ permits: [], runs: [], scopes: [] });
  });
});
