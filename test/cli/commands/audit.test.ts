import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addAudit } from '../../../src/cli/commands/audit.ts';
import type { Draft } from '../../../src/core/journal.ts';
import { GENESIS } from '../../../src/journal/chain.ts';
import { stamp } from '../../../src/journal/entry.ts';
import { SqliteStore } from '../../../src/journal/sqlite.ts';
import { chainOf, jump, temporaryDirectory } from '../../journal/support.ts';
import { anEnvelope } from '../../support/a.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { type RunOptions, ran } from '../running.ts';

/** The state directory of a daemon that wrote these and is gone. */
function stateWith(drafts: readonly Draft[]) {
  const state = temporaryDirectory();
  const store = SqliteStore.open(join(state, 'journal.db'));
  const rows = stamp(drafts, { seq: 0, hash: GENESIS }, fakeClock().clock);
  store.append(rows);
  store.close();
  return { state, hashes: rows.map(({ hash }) => hash) };
}
const audit = (state: string, what: string, options?: RunOptions) =>
  ran((program, cli) => addAudit(program, cli, () => state), ['audit', what], options);

const taken: Draft = { run: 'run-1', fact: { type: 'envelope.taken', envelope: anEnvelope({ takenMs: 5 }) } };
const chosen = (evidenceIds: readonly string[]): Draft => ({
  run: 'run-1',
  fact: {
    ...{ type: 'plan.chosen', model: 'm', tool: 'restart_channel', target: 'channel:news', becauseCode: 'c' },
    ...{ evidenceIds, envelopeTakenMs: 5, choices: 4 },
  },
});
const rejected: Draft = { run: 'run-1', fact: { type: 'plan.rejected', model: 'm', reason: 'stale' } };

describe('the audit of plans, from the file of the journal', () => {
  it('counts what planners claimed where the journal confirms all of it, and ends with 0', async () => {
    const { state } = stateWith([taken, rejected, chosen(['s1', 's2'])]);
    const { out, code } = await audit(state, 'plans');
    expect([out, code]).toEqual(['1 choices, 2 claims, all borne out; 1 answers rejected\n', 0]);
  });

  it('names each claim that it does not confirm by its record and run, and ends with 1', async () => {
    const { state } = stateWith([taken, chosen(['s9']), chosen(['s1', 's8'])]);
    const { out, code } = await audit(state, 'plans');
    const lines = ['record 2, run run-1: there was no evidence s9', 'record 3, run run-1: there was no evidence s8'];
    expect([out, code]).toEqual([`${lines.join('\n')}\n`, 1]);
  });

  it('says of how many choices the beginning is no longer kept', async () => {
    const snapshot: Draft = { fact: { type: 'snapshot.taken', states: [] } };
    const { state } = stateWith([taken, snapshot, chosen(['s1'])]);
    const store = SqliteStore.open(join(state, 'journal.db'));
    store.deleteThrough(1);
    store.close();
    const { out, code } = await audit(state, 'plans');
    expect([out, code]).toEqual([expect.stringMatching(/^0 choices, .*; 1 choices are not judged: .* keeps\n$/), 0]);
  });

  it('is one document with --json, and ends with the same code', async () => {
    const whole = await audit(stateWith([taken, chosen(['s1'])]).state, 'plans', { json: true });
    expect([JSON.parse(whole.out), whole.code]).toEqual([
      { ok: true, plans: 1, claims: 1, rejected: 0, unjudged: 0, bad: [] },
      0,
    ]);
    const broken = await audit(stateWith([chosen(['s1'])]).state, 'plans', { json: true });
    const bad = [{ seq: 1, run: 'run-1', because: 'no envelope was taken at 5' }];
    expect([JSON.parse(broken.out), broken.code]).toEqual([
      { ok: false, plans: 1, claims: 1, rejected: 0, unjudged: 0, bad },
      1,
    ]);
  });
});

describe('the export of a journal', () => {
  it('is every record on a line of its own, oldest first, in wire names and with its hash', async () => {
    const { state, hashes } = stateWith([jump(5, { incident: 'inc-1' }), taken]);
    const { out, code } = await audit(state, 'export');
    const records = out.split('\n').slice(0, -1);
    expect(records.map((line) => JSON.parse(line) as object)).toMatchObject([
      { seq: 1, incident: 'inc-1', fact: { type: 'clock.jumped', by_ms: 5 }, hash: hashes[0] },
      { seq: 2, run: 'run-1', fact: { envelope: { taken_ms: 5 } }, hash: hashes[1] },
    ]);
    expect(code).toBe(0);
  });

  it('ends with the place where a record holds no fact', async () => {
    const state = temporaryDirectory();
    using writing = new DisposableStack();
    const store = writing.adopt(SqliteStore.open(join(state, 'journal.db')), (opened) => opened.close());
    store.append(chainOf(3, (seq) => (seq === 2 ? { body: '{"by_ms":9}' } : {})));
    for (const what of ['export', 'plans'])
      await expect(audit(state, what)).rejects.toMatchObject({
        code: 'JOURNAL_BROKEN',
        message: expect.stringMatching(/^record 2 /),
      });
  });

  it('of a journal without a record is empty', async () => {
    expect((await audit(stateWith([]).state, 'export')).out).toBe('');
  });
});

describe('the file of a journal', () => {
  it.each(['plans', 'export', 'verify'])(
    'that is not there is an error of audit %s that says where it was looked for',
    async (what) => {
      const state = temporaryDirectory();
      await expect(audit(state, what)).rejects.toMatchObject({
        code: 'JOURNAL_BROKEN',
        message: expect.stringContaining(join(state, 'journal.db')),
      });
    },
  );

  it('is read while a daemon has it open', async () => {
    const state = temporaryDirectory();
    using writing = new DisposableStack();
    const store = writing.adopt(SqliteStore.open(join(state, 'journal.db')), (opened) => opened.close());
    store.append(stamp([taken, chosen(['s1'])], { seq: 0, hash: GENESIS }, fakeClock().clock));
    expect((await audit(state, 'plans')).out).toContain('1 choices, 1 claims');
  });
});
