import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHints } from '../../src/app/hints_open.ts';
import { temporary } from '../hints/support.ts';
import { aBundle, EXAMPLE } from '../support/hint_bundle.ts';
import { hintsOfDaemon } from './support.ts';

const request = {
  ...{ errorLog: EXAMPLE.error_log, previousScores: EXAMPLE.previous_scores },
  currentIteration: EXAMPLE.current_iteration,
};

describe('the file of the hints', () => {
  it('is put aside and made anew where it is broken and no configuration insists on it', async () => {
    const state = temporary();
    writeFileSync(join(state, 'hints.db'), 'no database at all, whatever its name says '.repeat(50));
    const { start, failures, hints } = hintsOfDaemon('', state);
    await start(false);
    expect(failures).toEqual([
      expect.stringContaining('it was put aside as hints.db.broken and is made anew from the journal'),
    ]);
    expect(existsSync(join(state, 'hints.db.broken'))).toBe(true);
    expect(hints.loaded()).toBeDefined();
  });

  it('is served without a bundle that cannot be read, and the bundle is reported', async () => {
    const folder = join(temporary(), 'bundle');
    aBundle(folder, { no: 'cluster' });
    const { hints, failures } = hintsOfDaemon(`hints: { folder: "${folder}" }\n`);
    await hints.face();
    expect(failures).toEqual([expect.stringContaining('hints: the bundle is not used:')]);
  });
});

describe('hints that are opened', () => {
  /** Opened over a bundle, and closed with the test. */
  const open = (more = '', folder = aBundle(join(temporary(), 'bundle'))) => {
    const daemon = hintsOfDaemon(`hints: { folder: "${folder}"${more} }\n`);
    const opened = openHints(daemon.deps, daemon.file);
    onTestFinished(() => opened[Symbol.dispose]());
    return { ...daemon, ...opened };
  };

  it('answer by their bundle, follow the journal, and give its figures', () => {
    const { hints, ledger, figures } = open();
    const { injectionId } = hints.build(request, 'a');
    hints.feedback({ injectionId: injectionId!, postScore: 0.9 }, 'a');
    expect([...ledger.read({})].map(({ fact }) => fact.type)).toEqual(['hint.injected', 'hint.scored']);
    expect(hints.outcomes(0, 9)).toMatchObject([{ postScore: 0.9 }]);
    expect(figures()).toMatchObject({ clusters: expect.anything() });
  });

  it('read what the journal took while they were closed, once', () => {
    const first = open();
    first.hints.build(request, 'a');
    const again = openHints(first.deps, join(first.state, 'again.db'));
    onTestFinished(() => again[Symbol.dispose]());
    expect(again.hints.outcomes(0, 9)).toEqual(first.hints.outcomes(0, 9));
    again[Symbol.dispose]();
    const third = openHints(first.deps, join(first.state, 'again.db'));
    onTestFinished(() => third[Symbol.dispose]());
    expect(third.hints.outcomes(0, 9)).toHaveLength(1);
  });

  it('read everything anew from a journal that is not the one they have read, and keep the trust that people gave', () => {
    const folder = aBundle(join(temporary(), 'bundle'));
    const more = `hints: { folder: "${folder}" }\n`;
    const state = temporary();
    const before = hintsOfDaemon(more, state);
    const first = openHints(before.deps, before.file);
    const { injectionId, patternId } = first.hints.build(request, 'a');
    first.hints.feedback({ injectionId: injectionId!, postScore: 0.9 }, 'a');
    first.hints.promote(patternId!, { priority: 5 }, { who: 'ann', because: 'x' });
    const trusted = first.hints.clusters().map(({ priority }) => priority);
    for (let index = 0; index < 3; index += 1) first.hints.build(request, 'a');
    first[Symbol.dispose]();

    const now = hintsOfDaemon(more, state);
    now.ledger.append([{ fact: { type: 'control.thawed', who: 'ann', because: 'x' } }]);
    const second = openHints(now.deps, now.file);
    onTestFinished(() => second[Symbol.dispose]());
    expect(second.hints.outcomes(0, 9)).toEqual([]);
    expect(second.hints.clusters().map(({ priority }) => priority)).toEqual(trusted);
    second.hints.build(request, 'b');
    expect(second.hints.outcomes(0, 9)).toMatchObject([{ who: 'b' }]);
  });

  it('receive no journal entry once they are closed', () => {
    const { deps, ledger, state } = open();
    const file = join(state, 'other.db');
    const one = openHints(deps, file);
    one[Symbol.dispose]();
    expect(() => ledger.append([{ fact: { type: 'control.thawed', who: 'ann', because: 'x' } }])).not.toThrow();
    expect(existsSync(file)).toBe(true);
  });

  it('keep secrets out of what they write down', () => {
    const { hints, ledger } = open();
    hints.build({ ...request, errorLog: `${request.errorLog} password=hunter42` }, 'a');
    expect(JSON.stringify([...ledger.read({})])).not.toContain('hunter42');
  });

  it.each([
    ['store', 'store'],
    ['memory', 'memory'],
    ['auto', 'store'],
  ])('with the router %s look hints up in the %s', (router, backend) => {
    expect(open(`, router: ${router}`).hints.health()).toMatchObject({ backend });
  });

  it('of a broken file that the configuration insists on are not opened', () => {
    const { deps, file } = hintsOfDaemon('hints: { router: store }\n');
    writeFileSync(file, 'no database at all, whatever its name says '.repeat(50));
    expect(() => openHints(deps, file)).toThrow();
    expect(existsSync(`${file}.broken`)).toBe(false);
  });
});
