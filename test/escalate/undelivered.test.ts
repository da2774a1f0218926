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
