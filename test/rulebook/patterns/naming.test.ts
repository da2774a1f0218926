import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalFact } from '../../../src/core/journal.ts';
import type { Catalogue } from '../../../src/detect/patterns/catalogue.ts';
import type { BlindSpot } from '../../../src/detect/templates/blind_spots.ts';
import { patternFiles } from '../../../src/rulebook/patterns/files.ts';
import type { TeachOrder } from '../../../src/rulebook/patterns/teaching.ts';
import type { Symptom } from '../../../src/core/symptom.ts';
import { aSymptom } from '../../support/a.ts';
import { ID, knowing, spot, teachingIn, ZORBLE } from './taught.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-teaching-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setUp = (spots?: readonly BlindSpot[], catalogue?: Catalogue) => teachingIn(folder, spots, catalogue);

/** A line of the journal that a pattern took for a full disk. */
const called = (pattern: string, with_: Partial<Symptom> = {}): JournalFact => {
  const evidence = [{ id: 'e', at: 0, origin: 'log', source: 's', text: ZORBLE }] as const;
  const symptom = aSymptom({ at: 0, monoMs: 0 }, { kind: 'disk_full', pattern, evidence, ...with_ });
  return { type: 'symptom.raised', symptom };
};

describe('a person who names a trouble', () => {
  it('gets a file with a pattern, whose trial begins at once', () => {
    const { teach, states } = setUp();
    const answer = teach();
    expect(answer).toMatchObject({ ok: true, said: `wrote ${join(folder, `${ID}.yaml`)}`, more: { id: ID } });
    const text = readFileSync(join(folder, `${ID}.yaml`), 'utf8');
    expect(text).toMatch(/^# proposed by ann from inc-1\n[\s\S]*symptom: stalled_output/);
    expect(states()).toEqual([[ID, 'shadow']]);
  });

  it('writes nothing where that is only tried', () => {
    const { teach, states } = setUp();
    expect(teach({ write: false })).toMatchObject({ ok: true, said: `${ID} is sound; nothing was written` });
    expect([patternFiles(folder), states()]).toEqual([[], []]);
  });

  it.each<[string, readonly BlindSpot[], Partial<TeachOrder>, string]>([
    ['an incident that does not exist', [spot(ZORBLE)], { incident: 'inc-9' }, 'there is no incident inc-9'],
    ['one of which every line was recognised', [], {}, 'no line around inc-1 was left unrecognised'],
    ['a line that is not shown', [spot(ZORBLE)], { lines: [1, 2] }, 'there is no line 2: there are 1'],
    ['a line number below 1', [spot(ZORBLE)], { lines: [0] }, 'there is no line 0: there are 1'],
    ['a line without words', [spot('0x12')], {}, 'no pattern can be made of it'],
  ])('is refused %s', (_, spots, order, because) => {
    const answer = setUp(spots).teach(order);
    expect(answer).toMatchObject({ ok: false, because: expect.stringContaining(because) });
    expect(patternFiles(folder)).toEqual([]);
  });

  it('is refused lines that would also match what says something else', () => {
    const { teach } = setUp([spot(ZORBLE)], knowing('zorble', ZORBLE));
    expect(teach()).toMatchObject({
      ...{ ok: false, because: 'it would also match 1 lines that say something else: disk_full' },
      more: { wouldMatch: { clashes: [{ text: ZORBLE }] } },
    });
    expect(teach({ symptom: 'disk_full' })).toMatchObject({ ok: true });
  });

  it('is refused what lines of the journal contradict, unless a pattern that fell had called them so', () => {
    const { teaching, teach, append, set } = setUp();
    teaching.start();
    append(called('old'));
    expect(teach({ write: false })).toMatchObject({ ok: false, because: expect.stringMatching(/disk_full/) });
    set('production', 'old');
    set('demoted', 'old');
    expect(teach({ write: false })).toMatchObject({ ok: true });
  });

  it('is checked against what lines say, not against what probes say, and only against the newest 5,000 of them', () => {
    const { teach, append } = setUp();
    append(called('old', { origin: 'probe' }));
    expect(teach({ write: false })).toMatchObject({ ok: true, more: { wouldMatch: { lines: 1 } } });
    append(called('old'));
    const other: JournalFact = { type: 'symptom.raised', symptom: aSymptom({ at: 0, monoMs: 0 }) };
    for (let count = 1; count < 5_000; count += 1) append(other);
    expect(teach({ write: false })).toMatchObject({ ok: false });
    append(other);
    expect(teach({ write: false })).toMatchObject({ ok: true });
  });

  it('names it for every channel, where the line has the name of one', () => {
    const { teach } = setUp([spot(`${ZORBLE} of news`)]);
    const { more } = teach() as { more: { regex: string } };
    expect(`${ZORBLE} of sport`).toMatch(new RegExp(more.regex));
  });

  it('gets another name for a second pattern of the same text', () => {
    const { teach } = setUp();
    teach();
    expect(teach()).toMatchObject({ ok: true, more: { id: `${ID}_2` } });
  });
});
