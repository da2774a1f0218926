import { describe, expect, it } from 'vitest';
import type { Escalation } from '../../src/core/incident.ts';
import type { Draft } from '../../src/core/journal.ts';
import { adopt, undeliveredOf, readUndelivered } from '../../src/escalate/undelivered.ts';
import { applyToOutbox, EMPTY_OUTBOX, type Outbox } from '../../src/escalate/outbox.ts';

const page: Escalation = {
  id: 'esc-1',
  key: 'unjournaled/reeve/internal/journal',
  severity: 'critical',
  reason: 'journal_broken',
  scope: { kind: 'fleet' },
  incident: undefined,
  classification: undefined,
  summary: 'no space left',
  details: 'a long story',
  at: 5,
};
const raised: Draft = { fact: { type: 'escalation.raised', escalation: page } };
const taken: Draft = {
  fact: { type: 'delivery.done', key: page.key, receiver: 'hook', what: 'trigger', attempts: 1, escalation: 'esc-1' },
};

const folded = (drafts: readonly Draft[]): Outbox =>
  drafts.reduce<Outbox>(
    (outbox, draft, index) => applyToOutbox(outbox, { ...draft, seq: index + 1, at: 5, monoMs: 5, boot: 'b' }),
    EMPTY_OUTBOX,
  );
const kept = undeliveredOf(folded([raised, taken]).pages);

describe('a page that the journal could not take', () => {
  it('is kept with who took it, and read back', () => {
    expect(readUndelivered(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
    expect(kept).toMatchObject([{ id: 'esc-1', key: page.key, receivers: ['hook'] }]);
  });

  it('is not kept before a receiver took it: no receiver needs its end', () => {
    expect(undeliveredOf(folded([raised]).pages)).toEqual([]);
  });

  it('is open and known to the same receivers once it is adopted', () => {
    const outbox = folded(adopt(EMPTY_OUTBOX, kept));
    expect(outbox.pages).toMatchObject([
      { key: page.key, resolved: undefined, told: [{ receiver: 'hook', state: 'open', content: { id: 'esc-1' } }] },
    ]);
    expect(adopt(outbox, kept)).toEqual([]);
  });

  it('is not kept once every receiver heard its end', () => {
    const ended: Draft = { fact: { type: 'escalation.resolved', key: page.key, because: 'over' } };
    const heard: Draft = { fact: { ...taken.fact, what: 'resolve' } as Draft['fact'] };
    expect(undeliveredOf(folded([raised, taken, ended]).pages)).toHaveLength(1);
    expect(undeliveredOf(folded([raised, taken, ended, heard]).pages)).toEqual([]);
  });

  it('keeps the channels that it lists, as many as fit into the note, and lists them once it is adopted', () => {
    const channels = Array.from({ length: 500 }, (_, at) => `channel-${at}`);
    const many: Draft = { fact: { type: 'escalation.raised', escalation: { ...page, channels } } };
    const [listing] = undeliveredOf(folded([many, taken]).pages);
    const count = listing?.channels?.length ?? 0;
    expect(listing?.channels).toEqual(channels.slice(0, count));
    expect(count).toBeGreaterThan(100);
    const [adopted] = folded(adopt(EMPTY_OUTBOX, readUndelivered([listing]))).pages;
    expect(adopted?.escalation.channels).toEqual(listing?.channels);
    expect(adopted?.escalation.details).toMatch(/^In trouble \(\d+\): channel-0, channel-1, /);
  });

  it.each([1, 3, 64])('fits into the note with its channels, four pages of ids of %s characters', (length) => {
    const channels = Array.from({ length: 2_000 }, (_, at) => String(at).padStart(length, 'x').slice(-length));
    const pages = [1, 2, 3, 4].flatMap((number): readonly Draft[] => {
      const escalation = { ...page, channels, id: `esc-${number}`, key: `unjournaled/unrecorded/${number}` };
      const { id, key } = escalation;
      return [
        { fact: { type: 'escalation.raised', escalation } },
        { fact: { type: 'delivery.done', key, receiver: 'hook', what: 'trigger', attempts: 1, escalation: id } },
      ];
    });
    const note = undeliveredOf(folded(pages).pages);
    expect(note.map(({ channels: listed = [] }) => listed.length > 0)).toEqual([true, true, true, true]);
    expect(JSON.stringify(note).length).toBeLessThan(4_096);
  });

  it.each([
    [undefined],
    [{}],
    ['no'],
    [[{ ...kept[0], key: 'incident/inc-1' }]],
    [[{ ...kept[0], receivers: 'hook' }]],
    [[...kept, ...kept, ...kept, ...kept, ...kept]],
  ])('is not made up of %j', (note) => {
    expect(readUndelivered(note)).toEqual([]);
  });
});
