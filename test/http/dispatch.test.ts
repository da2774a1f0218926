import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { countingIds } from '../../src/core/id.ts';
import { tokenProjection } from '../../src/control/tokens.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import type { CommandName } from '../../src/http/daemon.ts';
import { type CommandDeps, createCommands } from '../../src/http/dispatch.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const HOOK = { receiver: 'hook', error: undefined, failingForMs: undefined, pages: 0, isOwed: false };
const NO_RECEIVER = {
  deliverTest: async () => [],
  status: () => [],
  acknowledgeUnjournaled: () => false,
  pages: () => [],
};
const ANN = { who: 'ann', because: 'on call' };

function setUp(with_: Partial<CommandDeps> = {}, options: Parameters<typeof pipelineHarness>[0] = {}) {
  const world = pipelineHarness(options);
  const { pipeline, ledger, clock, outbox } = world;
  const refuse = () => ({ ok: false as const, because: 'not here', hint: undefined });
  const command = createCommands({
    ...{ pipeline, clock, outbox, append: ledger.append, ids: countingIds() },
    known: {
      channels: new Set(options.channels ?? ['news']),
      groups: new Set(['encoders']),
      engines: new Set(['local']),
    },
    dispatcher: { ...NO_RECEIVER, status: () => [HOOK] },
    reload: () => ({ ok: false, configuration: undefined as never, problems: [] }),
    learning: { setState: () => ({ ok: false, code: 'target_unknown', because: 'no rule' }) },
    settings: () => ({
      ...{ limits: DEFAULT_LIMITS, rulebook: { rules: [] } as never, planner: undefined },
      ...{ personaOf: () => undefined as never, initialPhase: () => 4 as never },
    }),
    access: { state: () => tokenProjection.initial, taken: new Set(['operator']) },
    teaching: { teach: refuse, setState: refuse },
    dialogue: { begin: refuse, end: refuse },
    ...with_,
  });
  const run = (name: CommandName, fields: Readonly<Record<string, unknown>> = {}, signed = ANN) =>
    command({ name, ...signed, fields });
  return { ...world, run };
}

describe('a command', () => {
  it('is written down with who and why, and holds at once', async () => {
    const { run, facts, pipeline } = setUp();
    expect(await run('freeze')).toEqual({ ok: true, said: 'done: freeze' });
    expect(facts('control.frozen')).toMatchObject([ANN]);
    expect(pipeline.control().frozen).toMatchObject({ who: 'ann' });
    expect(await run('freeze')).toEqual({ ok: false, code: 'nothing_to_do', because: 'already frozen by ann' });
    expect(facts('control.frozen')).toHaveLength(1);
  });

  it('that is a yes says why the guard refuses all the same, and an ordinary yes says nothing more', async () => {
    const restart_channel = { personaWith: { tool_access_policy: { restart_channel: 'require_approval' as const } } };
    const asked = async (world: ReturnType<typeof setUp>): Promise<string> => {
      await world.live(10_000);
      world.engine.kill('news');
      while (world.facts('approval.asked').length === 0) await world.live(250);
      return world.facts('approval.asked')[0]?.approval.id ?? '';
    };
    const tightened = setUp({}, restart_channel);
    const id = await asked(tightened);
    tightened.reload({ persona: { tool_access_policy: { restart_channel: 'deny' } } });
    expect(await tightened.run('approve', { id, yes: true })).toMatchObject({
      said:
        'yes to restart_channel on channel:news; the guard refuses it now: persona system_admin does not allow ' +
        'restart_channel (persona_denies; see: reeve why-not news restart_channel)',
    });
    const calm = setUp({}, restart_channel);
    const said = { said: 'yes to restart_channel on channel:news' };
    expect(await calm.run('approve', { id: await asked(calm), yes: true })).toMatchObject(said);
  });

  it('that permits something says that a freeze still forbids it', async () => {
    const { run } = setUp();
    await run('freeze');
    const held = 'Reeve is frozen by ann, so nothing is changed before: reeve thaw --because "…"';
    expect(await run('phase', { phase: 3 })).toEqual({ ok: true, said: `done: phase; ${held}` });
    expect(await run('reset', { scope: 'news' })).toEqual({ ok: true, said: `done: reset; ${held}` });
    expect(await run('lease', { scope: 'news', for_ms: 60_000 })).toEqual({ ok: true, said: 'done: lease' });
    expect(await run('thaw')).toMatchObject({ ok: true });
    expect(await run('phase', { phase: 4 })).toEqual({ ok: true, said: 'done: phase' });
  });

  it('that begins or ends a hold names it, and what ends it', async () => {
    const { run } = setUp();
    const added = await run('window_add', { scope: 'group:encoders', for_ms: 60_000, starts_in_ms: 0 });
    const [id] = /win-\S+/.exec(JSON.stringify(added)) ?? [];
    expect(added).toEqual({
      ok: true,
      said: `window ${id} on group:encoders; to end it before its time: reeve maintenance end ${id} --because "…"`,
    });
    const ended = await run('window_end', { id });
    expect(ended).toEqual({ ok: true, said: `window ${id} on group:encoders has ended` });
    await run('lease', { scope: 'news', for_ms: 60_000 });
    expect(await run('unlease', { scope: 'news' })).toEqual({ ok: true, said: 'the lease on channel:news has ended' });
  });

  it('that ends a freeze says that the containment it raised goes on for a minute', async () => {
    const { run, live } = setUp();
    await run('freeze');
    await live(2_000);
    const still = 'nothing is restarted for a minute yet, or until: reeve release fleet --because "…"';
    expect(await run('thaw')).toEqual({ ok: true, said: `done: thaw; ${still}` });
    expect(await run('release', { scope: 'fleet' })).toMatchObject({ ok: true });
    await live(2_000);
    expect(await run('freeze')).toMatchObject({ ok: true });
  });

  it('to reset a channel that its group has tried in vain to start names the group', async () => {
    const { run, live, engine, pipeline } = setUp({}, { channels: ['a', 'b', 'c'] });
    await live(10_000);
    engine.onRestart = async () => 'said yes and did nothing';
    for (const name of ['a', 'b', 'c']) engine.kill(name);
    await live(180_000);
    const [{ incident } = expect.unreachable()] = pipeline.incidents().open;
    const whole = `group:encoders speaks for it (${incident.id}): reeve reset group:encoders --because "…"`;
    expect(await run('reset', { scope: 'b' })).toEqual({ ok: true, said: `done: reset; ${whole}` });
    engine.onRestart = undefined;
    expect(await run('reset', { scope: 'group:encoders' })).toEqual({ ok: true, said: 'done: reset' });
    await live(120_000);
    expect(pipeline.incidents().open).toEqual([]);
  });

  it('lets what waits be looked at again, and a refused one does not', async () => {
    const { run, pipeline } = setUp();
    const onCommand = vi.spyOn(pipeline, 'onCommand');
    await run('thaw');
    expect(onCommand).not.toHaveBeenCalled();
    await run('freeze');
    expect(onCommand).toHaveBeenCalledTimes(1);
  });

  it('without a reason is refused, and nothing is written', async () => {
    const { run, ledger } = setUp();
    const before = ledger.lastSeq;
    expect(await run('freeze', {}, { who: 'ann', because: ' ' })).toMatchObject({ ok: false });
    expect(ledger.lastSeq).toBe(before);
  });

  it.each([
    ['lease', { for_ms: 60_000 }],
    ['unlease', {}],
    ['reset', {}],
    ['release', {}],
    ['window_add', { for_ms: 60_000, starts_in_ms: 0 }],
  ] as const)('%s about no scope says what a scope is, and nothing is written', async (name, fields) => {
    const { run, ledger } = setUp();
    const before = ledger.lastSeq;
    for (const scope of ['', 'group:', undefined]) {
      const answer = await run(name, { ...fields, scope });
      expect(answer).toMatchObject({ ok: false, because: expect.stringContaining('a scope is a channel, group:NAME') });
    }
    expect(ledger.lastSeq).toBe(before);
  });

  it('about something that is not configured is refused', async () => {
    const { run } = setUp();
    expect(await run('lease', { scope: 'group:nowhere', for_ms: 60_000 })).toMatchObject({ ok: false });
    expect(await run('lease', { scope: 'group:encoders', for_ms: 60_000 })).toMatchObject({ ok: true });
    expect(await run('lease', { scope: 'news' })).toMatchObject({ ok: false, because: expect.stringContaining('1 s') });
  });

  it('to release what a broken journal contains is refused until it is whole, and ends it then', async () => {
    const { run, pipeline, live } = setUp({}, { personaWith: { risk_tolerance: 'low' } });
    const held = () => Object.values(pipeline.guardState().containments).map(({ reason }) => reason);
    pipeline.guard.distrustJournal('no space left');
    await live(2_000);
    const because = expect.stringMatching(/^fleet is contained \(journal_error\): no release ends it before/);
    expect(await run('release', { scope: 'fleet' })).toMatchObject({ ok: false, code: 'nothing_to_do', because });
    pipeline.guard.journalTrusted();
    await live(120_000);
    expect(held()).toEqual(['journal_error']);
    expect(await run('release', { scope: 'fleet' })).toMatchObject({ ok: true });
    await live(2_000);
    expect(held()).toEqual([]);
  });

  it('to release what nothing contains is refused, and nothing is written', async () => {
    const { run, ledger } = setUp();
    const before = ledger.lastSeq;
    const because = 'group:encoders itself is not contained; nothing is';
    expect(await run('release', { scope: 'group:encoders' })).toMatchObject({ ok: false, because });
    expect(ledger.lastSeq).toBe(before);
  });

  it('for a phase that changes things needs a receiver, as the configuration does', async () => {
    const { run, facts } = setUp({ dispatcher: NO_RECEIVER });
    for (const fields of [{ phase: 2 }, { phase: 4, group: 'encoders' }]) {
      const because = expect.stringContaining('changes things, and no receiver could call a person');
      expect(await run('phase', fields)).toEqual({ ok: false, code: 'phase_invalid', because });
    }
    expect(await run('phase', { phase: 1 })).toMatchObject({ ok: true });
    expect(facts('control.phase_set')).toMatchObject([{ phase: 1 }]);
  });

  it('for a phase takes a number, and a group where one is named', async () => {
    const { run, facts } = setUp();
    expect(await run('phase', { phase: 2, group: 'encoders' })).toMatchObject({ ok: true });
    expect(await run('phase', { phase: '2' })).toMatchObject({ ok: false });
    expect(facts('control.phase_set')).toMatchObject([{ phase: 2, group: 'encoders' }]);
  });

  it('for a token answers with the token once and writes down its hash alone', async () => {
    const { run, facts } = setUp();
    const answer = await run('token_add', { name: 'bob', scopes: ['operate', 7], for_ms: 3_600_000 });
    if (!answer.ok) throw new Error(answer.because);
    const { token } = answer.more as { token: string };
    const [fact] = facts('token.added');
    expect(fact).toMatchObject({ name: 'bob', scopes: ['operate'], sha256: sha256Of(token) });
    expect(JSON.stringify(fact)).not.toContain(token);
    const taken = await run('token_add', { name: 'operator', scopes: ['operate'], for_ms: 3_600_000 });
    expect(taken).toMatchObject({ ok: false });
  });

  it('to acknowledge a page that is not open is refused', async () => {
    const { run } = setUp();
    expect(await run('ack', { key: 'incident/inc-9' })).toMatchObject({
      because: 'no page with this key is open and unacknowledged; none waits for that',
    });
  });

  it('to acknowledge a page that the journal could not take needs no journal', async () => {
    const asked: unknown[] = [];
    const acknowledgeUnjournaled = (...about: readonly string[]) => asked.push(about) > 0;
    const append = () => expect.unreachable('nothing can be written');
    const { run } = setUp({ dispatcher: { ...NO_RECEIVER, acknowledgeUnjournaled }, append });
    expect(await run('ack', { key: 'unjournaled/reeve/internal/journal' })).toMatchObject({ ok: true });
    expect(asked).toEqual([['unjournaled/reeve/internal/journal', 'ann']]);
  });

  it('to acknowledge a page by a wrong key names those that wait', async () => {
    const pages = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({ key, escalation: {} }));
    const all = [...pages, { key: 'over', resolved: {} }, { key: 'had', acked: { who: 'bob' } }];
    const { run } = setUp({ dispatcher: { ...NO_RECEIVER, pages: () => all as never } });
    expect(await run('ack', { key: 'had' })).toMatchObject({
      ...{ code: 'nothing_to_do', because: 'bob has acknowledged it already' },
    });
    expect(await run('ack', { key: 'incident/inc-9' })).toMatchObject({
      code: 'target_unknown',
      because: expect.stringContaining('these wait for that: a, b, c, d, e and 1 more'),
    });
  });

  it('about a scope that does not exist names the one that was probably meant', async () => {
    const { run } = setUp();
    const lease = (scope: string) => run('lease', { scope, for_ms: 60_000 });
    expect(await lease('nws')).toMatchObject({ ok: false, code: 'target_unknown', hint: 'did you mean news?' });
    expect(await lease('grup:encoders')).toMatchObject({ ok: false, hint: 'did you mean group:encoders?' });
    expect(await run('phase', { phase: 3, group: 'encodrs' })).toMatchObject({ hint: 'did you mean group:encoders?' });
    expect(await lease('zzzzzzzz')).not.toHaveProperty('hint');
  });

  it('to reflect says how to switch the memory on where it is off', async () => {
    expect(await setUp().run('reflect')).toMatchObject({ ok: false, hint: expect.stringContaining('memory:') });
    const reflect = async () => ({ ok: true as const, said: 'merged' });
    expect(await setUp({ reflect }).run('reflect')).toEqual({ ok: true, said: 'merged' });
  });

  it('to test the pages fails where no receiver would be paged, and names each receiver that did not take it', async () => {
    expect(await setUp().run('page_test')).toMatchObject({ ok: false, hint: 'add one under receivers:' });
    const took = { receiver: 'pager', ok: true, tookMs: 12, error: undefined };
    const failed = { receiver: 'mail', ok: false, tookMs: 1, error: 'refused' };
    const sent = (...deliveries: readonly object[]) => ({
      ...NO_RECEIVER,
      deliverTest: async () => deliveries as never,
    });
    expect(await setUp({ dispatcher: sent(took) }).run('page_test')).toMatchObject({
      ok: true,
      said: 'pager took it in 12 ms',
    });
    expect(await setUp({ dispatcher: sent(took, failed) }).run('page_test')).toEqual({
      ok: false,
      because: 'mail did not take it: refused; pager took it in 12 ms',
      more: { deliveries: [took, failed] },
    });
  });

  it('to reload reports the first problem and that the last good set stays', async () => {
    const problem = { file: 'reeve.yaml', line: 3, column: 1, path: 'x', message: 'unknown key' };
    const reload = () => ({ ok: false as const, configuration: undefined as never, problems: [problem, problem] });
    expect(await setUp({ reload }).run('reload')).toMatchObject({
      ok: false,
      because: '2 problems; the last good set stays. First: reeve.yaml:3:1: unknown key',
    });
  });
});
