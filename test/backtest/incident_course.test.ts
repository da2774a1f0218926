import { describe, expect, it } from 'vitest';
import { approvalHash } from '../../src/control/approvals.ts';
import type { FailureClass } from '../../src/core/classification.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import { aCall, aResult, permitTerms } from '../support/a.ts';
import { aRule } from '../rulebook/support.ts';
import { ALLOWS, courseOf, type Given, LOOKS, lookingFirst, PLANS, START_MS, WALL } from './recorded_course.ts';

const well = { channelHealthy: true, failureClassification: undefined } as const;

describe('what a policy decides on a recorded envelope', () => {
  it('is what its rules plan and its guard says, with where the envelope stands in the record', () => {
    const { course, begin, look } = courseOf();
    begin();
    look(1);
    expect(course.decisions).toMatchObject([
      {
        seq: 2,
        at: WALL + 1_000,
        run: 'run-1',
        steps: [PLANS, ALLOWS],
        because: 'rule r: because',
        envelope: { channelId: 'news' },
      },
    ]);
  });

  it('is to call a person where no rule fits, or where the rule says so', () => {
    const none = courseOf({ rules: [] });
    none.look(1);
    expect(none.steps()).toEqual([['plans escalate: no rule fits']]);
    const asks = courseOf({ rules: [aRule({ steps: [{ kind: 'escalate' }] })] });
    asks.look(1);
    asks.look(2);
    expect(asks.steps()).toEqual([['plans escalate, by rule r']]);
  });

  it('is nothing where no steps are allowed', () => {
    const { steps, look } = courseOf({ persona: { planning_depth_max: 0 } });
    look(1);
    look(2);
    expect(steps()).toEqual([['plans nothing: no steps are allowed'], ['plans nothing: no steps are allowed']]);
  });

  it('ends the run where the guard refuses, and begins anew with the next', () => {
    const { course, begin, look, steps, take } = courseOf();
    take(0, { type: 'control.frozen', who: 'ann', because: 'a test' });
    begin();
    look(1);
    look(2);
    begin(3, 'run-2');
    look(4);
    expect(steps()).toEqual([
      [PLANS, 'refuses restart_channel on channel:news: frozen'],
      [PLANS, 'refuses restart_channel on channel:news: frozen'],
    ]);
    expect(course.decisions[0]!.because).not.toBe('');
  });

  it.each<[string, Given]>([
    ['the engine cannot do', { can: [] }],
    ['the persona denies', { persona: { tool_access_policy: {} } }],
    ['the phase is too low for', { phase: 1, recordedPhase: 1 }],
  ])('plans nothing that %s', (_, given) => {
    const { steps, look } = courseOf(given);
    look(1);
    expect(steps()).toEqual([['plans escalate, by rule r']]);
  });
});

describe('a step that the record did too', () => {
  it('is judged by what the record says of it: a cure ends the run', () => {
    const { begin, look, recordedCall, steps } = courseOf();
    begin();
    look(1);
    recordedCall(1);
    look(5, well);
    expect(steps()).toEqual([[PLANS, ALLOWS]]);
  });

  it('ends the run where it was verified and did not help', () => {
    const { begin, look, recordedCall, steps } = courseOf();
    begin();
    look(1);
    recordedCall(1, { cured: false });
    look(5);
    expect(steps()).toEqual([[PLANS, ALLOWS]]);
  });

  it('is followed by the next step where it only looked, and each run begins with the first', () => {
    const { begin, look, looked, planned } = lookingFirst();
    begin();
    look(1);
    looked(1);
    look(40);
    begin(700, 'run-2');
    look(700, { fingerprint: 'b' });
    expect(planned()).toEqual([LOOKS, PLANS, LOOKS]);
  });

  it.each<[string, Given]>([
    ['the limits', { limits: { stepsMax: 1 } }],
    ['the persona', { persona: { planning_depth_max: 1 } }],
    ['a phase below the full one', { phase: 3, recordedPhase: 3 }],
  ])('is the last where %s allow no more', (_, given) => {
    const { begin, look, looked, planned } = lookingFirst(given);
    begin();
    look(1);
    looked(1);
    look(40);
    expect(planned()).toEqual([LOOKS]);
  });

  it('counts as done: the next run may not do another so soon', () => {
    const { begin, look, recordedCall, steps } = courseOf();
    begin();
    look(1);
    recordedCall(1, { cured: false });
    begin(10, 'run-2');
    look(10, { fingerprint: 'other' });
    expect(steps()[1]).toEqual([PLANS, 'refuses restart_channel on channel:news: high_risk_spacing']);
  });
});

describe('a step that the record did not do', () => {
  const imagined = () => {
    const all = courseOf();
    all.begin();
    all.look(1);
    all.look(2);
    return all;
  };

  it('ends the run: its effect is not in the record', () => {
    expect(imagined().steps()).toEqual([[PLANS, ALLOWS]]);
  });

  it('counts as done all the same: the next run may not do another so soon, and a later one may', () => {
    const { begin, look, steps } = imagined();
    begin(10, 'run-2');
    look(10, { fingerprint: 'b' });
    begin(700, 'run-3');
    look(700, { fingerprint: 'c' });
    expect(steps().slice(1)).toEqual([
      [PLANS, 'refuses restart_channel on channel:news: high_risk_spacing'],
      [PLANS, ALLOWS],
    ]);
  });

  it('is not taken for another call of the record', () => {
    const { begin, look, take, steps } = courseOf();
    begin();
    look(1);
    const permit = permitTerms({ id: 'rec', call: aCall({ tool: 'rebuild_playout' }) });
    take(1, { type: 'tool.started', permit });
    take(2, { type: 'tool.finished', permit, result: aResult({ permit: 'rec', call: permit.call }) });
    look(40);
    expect(steps()).toEqual([[PLANS, ALLOWS]]);
  });
});

describe('a call that did not help', () => {
  const FINGERPRINT = 'process_crashed|news|';
  const REFUSED = 'refuses restart_channel on channel:news: already_tried';
  const inNextRun = (act: (world: ReturnType<typeof courseOf>) => void) => {
    const world = courseOf();
    world.begin();
    act(world);
    world.begin(700, 'run-2');
    world.look(700, { fingerprint: FINGERPRINT });
    return world.steps().at(-1)![1];
  };

  it('is not made again for the same failure, where this policy made it or would have made it', () => {
    const did = (cured: boolean) =>
      inNextRun(({ look, recordedCall }) => {
        look(1, { fingerprint: FINGERPRINT });
        recordedCall(1, { cured, fingerprint: FINGERPRINT });
        look(5, { fingerprint: FINGERPRINT });
      });
    expect(did(false)).toBe(REFUSED);
    const wouldHave = inNextRun(({ look }) => {
      look(1, { fingerprint: FINGERPRINT });
      look(20, { fingerprint: FINGERPRINT });
    });
    expect(wouldHave).toBe(REFUSED);
  });

  it('may be made by this policy where only the record made it', () => {
    expect(inNextRun(({ recordedCall }) => recordedCall(1, { cured: false, fingerprint: FINGERPRINT }))).toBe(ALLOWS);
  });
});

describe('the budget of a day', () => {
  const later = (act: (world: ReturnType<typeof courseOf>) => void) => {
    const world = courseOf({ limits: { dailyRestartCap: 1 } });
    world.begin();
    act(world);
    world.begin(700, 'run-2');
    world.look(700, { fingerprint: 'b' });
    return world.steps().at(-1)![1];
  };

  it('is used by what this policy did or would have done, and not by what the record did instead', () => {
    const refused = 'refuses restart_channel on channel:news: daily_cap';
    const did = later(({ look, recordedCall }) => {
      look(1);
      recordedCall(1);
    });
    const wouldHave = later(({ look }) => {
      look(1);
      look(20);
    });
    expect([did, wouldHave]).toEqual([refused, refused]);
    expect(later(({ recordedCall }) => recordedCall(1))).toBe(ALLOWS);
  });
});

/** A person was asked for a restart, and answered at once. */
function askAndAnswer(
  { take }: ReturnType<typeof courseOf>,
  { id = 'app-1', classification = 'process_crashed' as FailureClass, yes = true },
): void {
  const hash = approvalHash(aCall(), classification);
  const approval = { id, call: aCall(), incident: 'inc-1', run: 'run-1', classification, hash };
  const times = { askedAt: WALL, askedMs: START_MS, expiresMs: START_MS + 60_000 };
  take(0, { type: 'approval.asked', approval: { ...approval, ...times } } as JournalFact);
  take(0, { type: 'approval.answered', id, yes, who: 'ann', because: 'b' } as JournalFact);
}

describe('a call that a person must approve', () => {
  const asked = (classification: 'process_crashed' | 'output_stalled', yes: boolean) => {
    const world = courseOf({ persona: { tool_access_policy: { restart_channel: 'require_approval' } } });
    askAndAnswer(world, { classification, yes });
    world.begin();
    return (second: number) => {
      world.look(second);
      return world.steps()[0]![1];
    };
  };

  it('is allowed with the recorded yes to this very call, for as long as that holds', () => {
    expect(asked('process_crashed', true)(59)).toBe(ALLOWS);
    expect(asked('process_crashed', true)(60)).toMatch(/^refuses .*: approval_needed$/);
  });

  it('is allowed with the one yes among several answers', () => {
    const world = courseOf({ persona: { tool_access_policy: { restart_channel: 'require_approval' } } });
    for (const [id, yes] of [
      ['app-1', false],
      ['app-2', true],
    ] as const)
      askAndAnswer(world, { id, yes });
    world.begin();
    world.look(1);
    expect(world.steps()[0]![1]).toBe(ALLOWS);
  });

  it('is refused with a no, or with a yes to another trouble', () => {
    expect(asked('process_crashed', false)(1)).toMatch(/^refuses .*: approval_/);
    expect(asked('output_stalled', true)(1)).toMatch(/^refuses .*: approval_needed$/);
  });
});

describe('what was recorded besides', () => {
  it('of other incidents is the same for every policy', () => {
    const { take, begin, look, steps } = courseOf();
    const permit = permitTerms({ id: 'other', incident: 'inc-0', run: 'run-0', expiresMs: START_MS + 60_000 });
    const decision = { verdict: 'allow', permit, trace: [] };
    take(0, { type: 'guard.decided', decision } as unknown as JournalFact, { incident: 'inc-0' });
    take(0, { type: 'tool.started', permit }, { incident: 'inc-0' });
    take(1, { type: 'tool.finished', permit, result: aResult({ permit: 'other' }) }, { incident: 'inc-0' });
    begin(2);
    look(2);
    expect(steps()).toEqual([[PLANS, 'refuses restart_channel on channel:news: high_risk_spacing']]);
  });

  it('of the own course is left out: another policy did not do it', () => {
    const { recordedCall, begin, look, steps } = courseOf();
    recordedCall(0);
    begin(4);
    look(4);
    expect(steps()).toEqual([[PLANS, ALLOWS]]);
  });

  it('of a phase that people set holds, unless the course is played at another phase', () => {
    const playedWith = (given: Given) => {
      const { take, look, steps } = courseOf(given);
      take(0, { type: 'control.phase_set', group: 'encoders', phase: 1, who: 'ann', because: 'b' } as JournalFact);
      look(1);
      return steps()[0]![0];
    };
    expect(playedWith({})).toBe('plans escalate, by rule r');
    expect(playedWith({ phase: 4, recordedPhase: 3 })).toBe(PLANS);
  });
});
