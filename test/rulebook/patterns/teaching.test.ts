import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReeveError } from '../../../src/core/errors.ts';
import type { JournalFact, PatternState } from '../../../src/core/journal.ts';
import type { Catalogue } from '../../../src/detect/patterns/catalogue.ts';
import type { BlindSpot } from '../../../src/detect/templates/blind_spots.ts';
import { patternFiles } from '../../../src/rulebook/patterns/files.ts';
import { anIncident } from '../../support/a.ts';
import { ID, spot, teachingIn, ZORBLE } from './taught.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-teaching-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setUp = (spots?: readonly BlindSpot[], catalogue?: Catalogue) => teachingIn(folder, spots, catalogue);

describe('the lines of an incident that nothing recognised', () => {
  it('are those from five minutes before it to one minute after it ended, or after now', async () => {
    const { teaching, append, advance, asked } = setUp();
    await advance(60_000);
    teaching.linesOf('inc-1');
    append({ type: 'incident.closed', ending: 'self_healed', because: 'b', openMs: 1 });
    await advance(60_000);
    teaching.linesOf('inc-1');
    expect(asked).toEqual([
      [['news'], -360_000, 60_000],
      [['news'], -420_000, 0],
    ]);
  });

  it('are asked of every channel of an incident that several share', () => {
    const { teaching, append, asked } = setUp();
    const shared = anIncident({ id: 'inc-2', scope: { kind: 'group', id: 'g' }, channels: ['news', 'sport'] });
    append({ type: 'incident.opened', incident: shared } as JournalFact, 'inc-2');
    teaching.linesOf('inc-2');
    expect(asked).toMatchObject([[['news', 'sport'], expect.anything(), expect.anything()]]);
  });

  it('begin with those of channels, the most frequent first, and are at most twenty', () => {
    const many = Array.from({ length: 21 }, (_, at) => spot(`line ${at}`, 2, 'news'));
    const { teaching } = setUp([spot('of no channel', 9), ...many, spot('often', 3, 'news')]);
    const lines = teaching.linesOf('inc-1')!;
    expect(lines.map(({ text }) => text).slice(0, 2)).toEqual(['often', 'line 0']);
    expect(lines).toHaveLength(20);
    const few = setUp([spot('of no channel', 9), spot('its own', 1, 'news')]).teaching;
    expect(few.linesOf('inc-1')).toEqual([
      { text: 'its own', count: 1, channel: 'news' },
      { text: 'of no channel', count: 9, channel: undefined },
    ]);
  });

  it('are not known of an incident that does not exist', () => {
    const { teaching } = setUp();
    expect(teaching.linesOf('inc-9')).toBeUndefined();
    const order = { incident: 'inc-9', symptom: 'stalled_output', lines: [1], write: false, who: 'ann' } as const;
    expect(teaching.teach(order)).toMatchObject({ ok: false, code: 'target_unknown' });
  });
});

describe('a pattern on trial', () => {
  it('counts the lines that it fits, by channel, and writes them down once a minute', async () => {
    const { teaching, teach, advance, shadowed } = setUp();
    using _ = teaching.start();
    teach();
    teaching.heard(ZORBLE, 'news');
    teaching.heard(ZORBLE, 'news');
    teaching.heard(ZORBLE);
    teaching.heard('something else', 'news');
    await advance(59_999);
    expect(shadowed()).toEqual([]);
    await advance(1);
    const once = [
      ['news', 2],
      [undefined, 1],
    ];
    expect(shadowed()).toEqual(once);
    await advance(60_000);
    expect(shadowed()).toEqual(once);
  });

  it('keeps its counts while the journal takes nothing, which is told and ends nothing', async () => {
    const { teaching, teach, advance, store, shadowed, failures } = setUp();
    using _ = teaching.start();
    teach();
    teaching.heard(ZORBLE, 'news');
    const append = vi.spyOn(store, 'append').mockImplementation(() => {
      throw new ReeveError('JOURNAL_UNWRITABLE', 'the disk is full');
    });
    await advance(60_000);
    expect(failures).toEqual(['patterns on trial: JOURNAL_UNWRITABLE: the disk is full']);
    append.mockRestore();
    teaching.heard(ZORBLE, 'news');
    await advance(60_000);
    expect(shadowed()).toEqual([['news', 2]]);
  });

  it('begins its trial with the daemon where its file is sound, anew where its text has changed', () => {
    setUp().teach();
    const [before] = patternFiles(folder);
    writeFileSync(before!.file, before!.text.replace('0.8', '0.7'));
    writeFileSync(join(folder, 'broken.yaml'), 'patterns: 7\n');
    const { teaching, ledger, set, states } = setUp();
    set('shadow', ID, before!.sha256);
    teaching.start();
    expect(states()).toEqual([[ID, 'shadow']]);
    const begun = [...ledger.read({ types: ['pattern.state_set'] })].map(({ fact }) => fact);
    const [, { sha256 } = before!] = patternFiles(folder);
    expect(sha256).not.toBe(before!.sha256);
    expect(begun.at(-1)).toMatchObject({ who: 'reeve', sha256 });
  });

  it('begins its trial once, and none where it was taken out of use, whatever its file says now', () => {
    const { teaching, ledger, teach, set } = setUp();
    const begun = () => [...ledger.read({ types: ['pattern.state_set'] })].length;
    teach();
    expect(begun()).toBe(2);
    teaching.start();
    expect(begun()).toBe(2);
    set('retired', ID, 'older');
    teaching.start();
    expect(begun()).toBe(3);
  });

  it('fits lines while it is tried, and no longer when it is in use or retired', () => {
    const { teaching, teach, move } = setUp();
    expect(teaching.isTried(ZORBLE)).toBe(false);
    teach();
    expect([teaching.isTried(ZORBLE), teaching.isTried('something else')]).toEqual([true, false]);
    move('staging');
    expect(teaching.isTried(ZORBLE)).toBe(false);
  });
});

describe('how far a pattern is trusted', () => {
  it.each<[PatternState, string]>([
    ['proposed', 'trial'],
    ['shadow', 'trial'],
    ['staging', 'trial'],
    ['production', 'full'],
    ['promoted', 'full'],
    ['demoted', 'none'],
    ['retired', 'none'],
  ])('in %s is %s', (to, trust) => {
    const { teaching, set } = setUp();
    set(to, 'p');
    expect(teaching.trustIn('p')).toBe('full');
    teaching.start();
    expect(teaching.trustIn('p')).toBe(trust);
  });

  it('is fully where it has no record: a person wrote it', () => {
    const { teaching } = setUp();
    teaching.start();
    expect(teaching.trustIn('p')).toBe('full');
  });
});

describe('a pattern whose record speaks against it', () => {
  it('is demoted as soon as a call that rested on it is scored, and lines are read without it', () => {
    const { teaching, ledger, teach, move, harm, states, silenced } = setUp();
    teaching.start();
    ledger.subscribe((entry) => teaching.onEntry(entry));
    teach();
    move('production');
    harm();
    expect(states()).toEqual([[ID, 'demoted']]);
    expect(silenced).toEqual(['silenced']);
    teaching.judge();
    expect(silenced).toHaveLength(1);
  });

  it('is demoted within a minute where no event announced it', async () => {
    const { teaching, teach, move, harm, states, advance } = setUp();
    using _ = teaching.start();
    teach();
    move('production');
    harm();
    await advance(59_999);
    expect(states()).toEqual([[ID, 'production']]);
    await advance(1);
    expect(states()).toEqual([[ID, 'demoted']]);
  });

  it('is retired from its trial, in which it had no effect anyway', async () => {
    const { teaching, teach, append, states, silenced, advance } = setUp();
    using _ = teaching.start();
    teach();
    append({ type: 'incident.closed', ending: 'self_healed', because: 'b', openMs: 1 });
    // Eight fits, each without a trouble for five minutes.
    for (let fit = 0; fit < 8; fit += 1) {
      teaching.heard(ZORBLE, 'sport');
      await advance(360_000 + 1);
      append({ type: 'start.observed' } as JournalFact, 'none');
    }
    await advance(60_000);
    expect(states()).toEqual([[ID, 'retired']]);
    expect([silenced, teaching.isTried(ZORBLE)]).toEqual([[], false]);
  });

  it('has no effect from the start on, after a restart', () => {
    const fallen = setUp();
    fallen.set('demoted', 'p');
    fallen.teaching.start();
    expect(fallen.silenced).toHaveLength(1);
    const sound = setUp();
    sound.set('production', 'p');
    sound.set('shadow', 'q');
    sound.teaching.start();
    expect(sound.silenced).toEqual([]);
  });
});

describe('a person who moves a pattern', () => {
  it('is answered with the state that it has now, and promotes what a person named into production', () => {
    const { teach, move, states } = setUp();
    teach();
    expect(move('promoted')).toEqual({ ok: true, said: `${ID} is in production` });
    expect(states()).toEqual([[ID, 'production']]);
    expect(move('production')).toMatchObject({ ok: false, because: `${ID} is production already` });
  });

  it('is refused a pattern without a file, and a move that its state does not have', () => {
    const { teach, move } = setUp();
    const because = `there is no proposed pattern ${ID}`;
    expect(move('staging')).toMatchObject({ ok: false, code: 'target_unknown', because });
    teach();
    const moves = `${ID} is in shadow; from there it may go to production, staging, retired, not to demoted`;
    expect(move('demoted')).toMatchObject({ ok: false, because: moves });
  });

  it('has lines read anew only where it begins or ceases to have an effect', () => {
    const { teaching, teach, move, silenced } = setUp();
    teaching.start();
    teach();
    const movedTo = (to: PatternState) => {
      move(to);
      return silenced.length;
    };
    expect([movedTo('staging'), movedTo('production'), movedTo('demoted')]).toEqual([0, 0, 1]);
    expect([movedTo('retired'), movedTo('staging')]).toEqual([1, 2]);
  });
});

describe('how proposed patterns are shown', () => {
  it('is each file with its state, what it fitted, and what may be done with it', async () => {
    const { teaching, teach, advance } = setUp();
    writeFileSync(join(folder, 'broken.yaml'), 'patterns: 7\n');
    using _ = teaching.start();
    teach();
    teaching.heard(ZORBLE, 'news');
    await advance(60_000);
    expect(teaching.views()).toMatchObject([
      { id: 'broken', state: 'proposed', next: null, moves: [], who: null, shadowed: 0, record: null, offer: null },
      {
        ...{ id: ID, state: 'shadow', next: 'production', who: 'ann', because: 'from inc-1', shadowed: 1 },
        ...{ moves: ['production', 'staging', 'retired'], record: { namedBy: 'ann', incidents: 1 }, offer: null },
      },
    ]);
  });
});
