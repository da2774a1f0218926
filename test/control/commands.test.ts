import { describe, expect, it } from 'vitest';
import * as commands from '../../src/control/commands.ts';
import { askApproval } from '../../src/control/approvals.ts';
import { type ControlState, controlProjection } from '../../src/control/state.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import type { Scope } from '../../src/core/scope.ts';
import { aCall } from '../support/a.ts';

const known = { channels: new Set(['news']), groups: new Set(['encoders']), engines: new Set(['local']) };
const context = { who: 'ann', because: 'a test' };
const news: Scope = { kind: 'channel', id: 'news' };
const initial = controlProjection.initial;

const stateAfter = (state: ControlState, command: commands.CommandResult): ControlState => {
  if (!command.ok) throw new Error(command.because);
  return command.drafts.reduce(
    (next, { fact }, index) => controlProjection.apply(next, { seq: index + 1, at: 0, monoMs: 0, boot: 'b', fact }),
    state,
  );
};

describe('a command from a person', () => {
  it('is refused without a name or a reason', () => {
    expect(commands.freeze(initial, { who: 'ann', because: '  ' })).toMatchObject({
      ok: false,
      code: 'reason_missing',
    });
    expect(commands.freeze(initial, { who: '\u0007', because: 'x' })).toMatchObject({ ok: false, code: 'who_missing' });
  });

  it('loses control characters and direction marks, and all beyond 400 characters', () => {
    const command = commands.freeze(initial, { who: 'ann\u001b[31m', because: `a\u202eb\n${'x'.repeat(500)}` });
    const fact = command.ok ? command.drafts[0]!.fact : undefined;
    expect(fact).toMatchObject({ who: 'ann [31m' });
    const because = fact?.type === 'control.frozen' ? fact.because : '';
    expect(because.startsWith('a b xxx')).toBe(true);
    expect(because).toHaveLength(400);
  });

  it('is refused about what does not exist', () => {
    for (const scope of [
      { kind: 'channel', id: 'nowhere' },
      { kind: 'group', id: 'nowhere' },
      { kind: 'engine', id: 'nowhere' },
    ] as const) {
      expect(commands.lease(known, { scope, forMs: 60_000 }, context)).toMatchObject({
        ok: false,
        code: 'target_unknown',
      });
      expect(commands.reset(known, scope, context)).toMatchObject({ ok: false, code: 'target_unknown' });
      expect(commands.release(known, scope, context)).toMatchObject({
        ok: false,
        code: 'target_unknown',
      });
    }
    for (const scope of [
      news,
      { kind: 'group', id: 'encoders' },
      { kind: 'engine', id: 'local' },
      { kind: 'fleet' },
    ] as const) {
      expect(commands.reset(known, scope, context).ok).toBe(true);
    }
  });

  it('freezes once and thaws once', () => {
    const frozen = stateAfter(initial, commands.freeze(initial, context));
    expect(commands.freeze(frozen, context)).toMatchObject({ code: 'nothing_to_do' });
    expect(commands.thaw(initial, context)).toMatchObject({ code: 'nothing_to_do' });
    expect(stateAfter(frozen, commands.thaw(frozen, context)).frozen).toBeUndefined();
  });

  it.each([0, 999, 86_400_001, Number.NaN, Number.POSITIVE_INFINITY, -1, 1_500.5])(
    'takes no lease of %s ms',
    (forMs) => {
      expect(commands.lease(known, { scope: news, forMs }, context)).toMatchObject({ code: 'duration_invalid' });
    },
  );

  it('takes a lease from a second to a day, and names its channel', () => {
    for (const forMs of [1_000, 86_400_000]) {
      expect(commands.lease(known, { scope: news, forMs }, context)).toMatchObject({
        ok: true,
        drafts: [{ channel: 'news' }],
      });
    }
    const state = stateAfter(initial, commands.lease(known, { scope: news, forMs: 60_000 }, context));
    expect(commands.endLease(state, { kind: 'fleet' }, context)).toMatchObject({ code: 'nothing_to_do' });
    expect(stateAfter(state, commands.endLease(state, news, context)).leases).toEqual([]);
  });

  it('takes windows of sound lengths, and ends only those that exist', () => {
    const add = (startsInMs: number, forMs: number) =>
      commands.addWindow(known, { id: 'win-1', scope: news, startsInMs, forMs }, context);
    expect(add(-1, 60_000)).toMatchObject({ code: 'duration_invalid' });
    expect(add(0, 0)).toMatchObject({ code: 'duration_invalid' });
    expect(add(0, 8 * 86_400_000)).toMatchObject({ code: 'duration_invalid' });
    expect(add(31 * 86_400_000, 60_000)).toMatchObject({ code: 'duration_invalid' });
    const state = stateAfter(initial, add(0, 60_000));
    expect(commands.endWindow(state, 'win-2', context)).toMatchObject({ code: 'target_unknown' });
    expect(stateAfter(state, commands.endWindow(state, 'win-1', context)).windows).toEqual([]);
  });

  it.each([-1, 5, 1.5, Number.NaN])('takes no phase %s', (phase) => {
    expect(commands.setPhase(known, { phase, group: undefined }, context)).toMatchObject({ code: 'phase_invalid' });
  });

  it('sets the phase of all or of a group that exists', () => {
    expect(stateAfter(initial, commands.setPhase(known, { phase: 3, group: undefined }, context)).phase).toBe(3);
    expect(stateAfter(initial, commands.setPhase(known, { phase: 0, group: 'encoders' }, context)).groupPhases).toEqual(
      [{ group: 'encoders', phase: 0 }],
    );
    expect(commands.setPhase(known, { phase: 3, group: 'x' }, context)).toMatchObject({ code: 'target_unknown' });
  });

  it('answers a question that waits, and no other', () => {
    const asked = askApproval(
      {
        id: 'apr-1',
        call: aCall(),
        incident: 'inc-1',
        run: 'run-1',
        classification: undefined,
        askedAt: 0,
        askedMs: 0,
      },
      600_000,
    );
    const state = controlProjection.apply(initial, { seq: 1, at: 0, monoMs: 0, boot: 'b', fact: asked.fact });
    const answer = (id: string, nowMs: number) => commands.answerApproval(state, { id, yes: true, nowMs }, context);
    expect(answer('apr-2', 1)).toMatchObject({
      code: 'approval_unknown',
      because: 'there is no question apr-2; these wait: apr-1 (restart_channel on channel:news)',
    });
    expect(answer('apr-2', 600_000)).toMatchObject({
      because: 'there is no question apr-2; none waits for an answer',
    });
    expect(answer('apr-1', 600_000)).toMatchObject({ code: 'approval_over' });
    const answered = answer('apr-1', 599_999);
    expect(answered).toMatchObject({ ok: true, drafts: [{ channel: 'news', incident: 'inc-1', run: 'run-1' }] });
    expect(answered).toMatchObject({ message: 'yes to restart_channel on channel:news' });
    expect(commands.answerApproval(state, { id: 'apr-1', yes: false, nowMs: 1 }, context)).toMatchObject({
      message:
        'no to restart_channel on channel:news. It is not asked again while this trouble lasts, or until: ' +
        'reeve reset channel:news --because "…"',
    });
    const over = stateAfter(state, answered);
    expect(commands.answerApproval(over, { id: 'apr-1', yes: false, nowMs: 1 }, context)).toMatchObject({
      code: 'approval_over',
    });
  });
});

describe('an answer to a question that ran out', () => {
  const asked = (id: string, tool: 'restart_channel' | 'invalidate_cache', askedMs: number) => {
    const call = aCall({ tool });
    const approval = { id, call, incident: 'inc-1', run: 'run-1', classification: undefined, askedAt: 0, askedMs };
    return askApproval(approval, 600_000).fact;
  };
  const stateOf = (...facts: readonly JournalFact[]) =>
    facts.reduce(
      (state, fact, at) => controlProjection.apply(state, { seq: at + 1, at: 0, monoMs: at, boot: 'b', fact }),
      initial,
    );
  const late = (state: typeof initial) =>
    commands.answerApproval(state, { id: 'apr-1', yes: true, nowMs: 700_000 }, context);
  const over = { type: 'approval.expired', id: 'apr-1' } as const;

  it('names the question that was asked since about the same thing', () => {
    const state = stateOf(asked('apr-1', 'restart_channel', 0), over, asked('apr-2', 'restart_channel', 600_000));
    expect(late(state)).toMatchObject({ because: 'this question is over: expired; it was asked again, as apr-2' });
  });

  it('names none about something else', () => {
    const state = stateOf(asked('apr-1', 'restart_channel', 0), over, asked('apr-2', 'invalidate_cache', 600_000));
    expect(late(state)).toMatchObject({ because: 'this question is over: expired' });
  });
});

describe('the release of a containment', () => {
  const fleet: Scope = { kind: 'fleet' };
  const encoders: Scope = { kind: 'group', id: 'encoders' };
  const storm = { scope: fleet, reason: 'restart_storm' };
  const released = { scope: encoders, reason: 'shared_cause', releasedBy: 'bob' };
  const answer = (scope: Scope, ...held: readonly commands.Contained[]) =>
    commands.releaseHeld({ known, held, isJournalBroken: false }, scope, context);

  it('is written down where exactly this scope is contained', () => {
    expect(answer(fleet, storm)).toMatchObject({
      ok: true,
      drafts: [{ fact: { type: 'control.released', scope: fleet } }],
    });
    expect(answer(encoders, released, { ...released, releasedBy: undefined } as never).ok).toBe(true);
  });

  it('is refused where the journal is broken, which it cannot mend, and written where something else holds, too', () => {
    const broken = { scope: fleet, reason: 'journal_error' };
    const because = expect.stringMatching(/^fleet is contained \(journal_error\): .*reeve audit verify/);
    const whileBroken = (...held: readonly commands.Contained[]) =>
      commands.releaseHeld({ known, held, isJournalBroken: true }, fleet, context);
    expect(whileBroken(broken)).toEqual({ ok: false, code: 'nothing_to_do', because });
    expect(whileBroken(broken, storm).ok).toBe(true);
  });

  it('is written once the journal is whole again: where only a person ends it, nothing else would', () => {
    expect(answer(fleet, { scope: fleet, reason: 'journal_error' }).ok).toBe(true);
  });

  it('is refused where it is not, and says what is', () => {
    const refused = { ok: false, code: 'nothing_to_do' };
    expect(answer(news)).toEqual({ ...refused, because: 'channel:news itself is not contained; nothing is' });
    expect(answer(news, storm, released)).toEqual({
      ...refused,
      because: 'channel:news itself is not contained; contained: fleet (restart_storm), group:encoders (shared_cause)',
    });
    expect(answer(encoders, released)).toEqual({
      ...refused,
      because: 'group:encoders was released by bob: it ends when its cause is gone',
    });
  });

  it('names at most five that are contained', () => {
    const many = Array.from(
      { length: 7 },
      (_, at) => ({ scope: { kind: 'channel', id: `c${at}` }, reason: 'r' }) as const,
    );
    const { because } = answer(news, ...many) as { readonly because: string };
    expect(because.match(/channel:c/g)).toHaveLength(5);
  });
});
