import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/core/incident.ts';
import type { Draft } from '../../../src/core/journal.ts';
import { aSymptom } from '../../support/a.ts';
import { endOf, NOW_MS, responding, TROUBLE } from './responding.ts';

const OPENED = ['incident.opened', 'run.started'];
const escalated = (reason: 'no_plan' | 'containment'): Outcome => ({
  kind: 'escalated',
  reason,
  because: 'it is so',
  denial: undefined,
});

const WATCHING: Outcome = {
  kind: 'watching',
  because: 'it is waited for',
  retryAfterMs: undefined,
  escalateAfterMs: 60_000,
};

describe('a look at a channel in trouble', () => {
  it('opens its incident and begins its run in one write', () => {
    const { look, written, runs } = responding();
    look();
    expect(written()).toEqual([OPENED]);
    expect(runs).toEqual(['run-2']);
  });

  it('begins no second incident and no second run while the first is under way', async () => {
    const { look, written, advance } = responding();
    look();
    look();
    await advance(600_000);
    look();
    expect(written()).toEqual([OPENED]);
  });

  it('opens an incident without a run where the start has to wait, and begins it at that moment', async () => {
    let startMs: number | undefined = Number.POSITIVE_INFINITY;
    const rig = responding({ startDelayMs: () => startMs });
    startMs = NOW_MS + 4_000;
    rig.look();
    expect(rig.written()).toEqual([['incident.opened']]);
    await rig.advance(3_999);
    startMs = undefined;
    expect(rig.runs).toEqual([]);
    await rig.advance(1);
    expect(rig.runs).toHaveLength(1);
  });

  it('does nothing more once the responder has ended', async () => {
    const rig = responding({}, { trouble: { ...TROUBLE, settling: true, settledMs: NOW_MS + 1_000 } });
    rig.look();
    rig.responder[Symbol.dispose]();
    rig.world.sight = { trouble: TROUBLE };
    await rig.advance(60_000);
    rig.look();
    expect(rig.written()).toEqual([]);
  });

  it('that a timer asked for and that fails is reported, and the timer throws nothing', async () => {
    let isBroken = false;
    const rig = responding(
      {
        startDelayMs: () => {
          if (isBroken) throw new Error('no disk');
          return NOW_MS + 1_000;
        },
      },
      { trouble: TROUBLE },
    );
    rig.look();
    isBroken = true;
    await rig.advance(1_000);
    expect(rig.failures).toEqual(['look at channel:news: no disk']);
  });
});

describe('a channel that is not configured any more', () => {
  it('has its incident closed', async () => {
    const rig = responding({ run: async () => endOf(escalated('no_plan')) });
    rig.look();
    await rig.advance(0);
    rig.world.sight = undefined;
    rig.look();
    expect(rig.written().at(-1)).toEqual(['incident.closed']);
    expect(rig.open()).toBeUndefined();
  });

  it('keeps its incident while a run is under way', () => {
    const rig = responding();
    rig.look();
    rig.world.sight = undefined;
    rig.look();
    expect(rig.open()?.running).toBe(true);
  });
});

describe('what was reported of a channel', () => {
  const symptom = (atMs: number) => aSymptom({ at: atMs, monoMs: atMs });

  it('before the incident begins its story, and after it is added once for each kind', () => {
    const rig = responding();
    const nowMs = NOW_MS;
    rig.responder.heard(symptom(nowMs));
    expect(rig.written()).toEqual([]);
    rig.look();
    expect(rig.written()).toEqual([['incident.opened', 'symptom.raised', 'run.started']]);
    rig.responder.heard(symptom(nowMs + 1));
    rig.responder.heard(symptom(nowMs + 2));
    rig.responder.heard({ ...symptom(nowMs + 3), kind: 'auth_denied' });
    expect(rig.written().slice(1)).toEqual([['symptom.raised'], ['symptom.raised']]);
  });
});

describe('a run that ends', () => {
  const endingIn = async (run: () => Promise<ReturnType<typeof endOf>>) => {
    const rig = responding({ run });
    rig.look();
    await rig.advance(0);
    return rig;
  };

  it('with a call for a person raises its page in the same write', async () => {
    const rig = await endingIn(async () => endOf(escalated('no_plan')));
    expect(rig.written()).toEqual([OPENED, ['run.ended', 'escalation.raised']]);
    expect(rig.pages).toEqual(['no_plan']);
  });

  it('pages about all channels that its cause has reached by then, also those that came after its start', async () => {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof endOf>>();
    const rig = responding({ run: () => promise });
    rig.world.channels = ['film'];
    rig.look();
    rig.world.channels = ['film', 'sport'];
    resolve(endOf(escalated('no_plan')));
    await rig.advance(0);
    expect(rig.details[0]).toContain('Channels: film, sport');
  });

  it('is followed by a page about a trouble that lasts, with all channels that its cause has reached by then', async () => {
    const rig = responding({ run: async () => endOf(WATCHING) });
    rig.world.channels = ['film'];
    rig.look();
    await rig.advance(0);
    rig.world.channels = ['film', 'sport'];
    await rig.advance(60_000);
    expect([rig.pages[0], rig.details[0]]).toEqual(['lasting', expect.stringContaining('Channels: film, sport')]);
    expect(rig.details[0]).toContain('What is seen now: it is so');
  });

  it('pages whom its cause reached after its page also while a start that is due has to wait', async () => {
    let startMs: number | undefined;
    const rig = responding({ run: async () => endOf(escalated('no_plan')), startDelayMs: () => startMs });
    rig.look();
    await rig.advance(0);
    startMs = NOW_MS + 600_000;
    const unlisted = { channels: ['sport'], sinceMs: NOW_MS };
    rig.world.sight = { trouble: { ...TROUBLE, leftMs: NOW_MS + 1_000 }, unlisted };
    await rig.advance(17_000);
    rig.look();
    expect(rig.pages).toEqual(['no_plan']);
    await rig.advance(1_000);
    rig.look();
    expect(rig.pages.slice(0, 2)).toEqual(['no_plan', 'lasting']);
    expect(rig.written().filter((facts) => facts.includes('run.started'))).toHaveLength(1);
  });

  it('puts a trouble that lasts on the list of a page about it and others, and pages it itself where none is open', async () => {
    const shared: Draft = { fact: { type: 'escalation.resolved', key: 'stands for a page', because: '' } };
    const lasting = async (listElsewhere: () => readonly Draft[]) => {
      const rig = responding({ run: async () => endOf(escalated('containment')), listElsewhere });
      rig.world.sight = { trouble: TROUBLE, contained: true };
      rig.look();
      await rig.advance(60_000);
      return rig;
    };
    const [listed, own] = [await lasting(() => [shared]), await lasting(() => [])];
    expect([listed.pages, own.pages]).toEqual([[], ['lasting']]);
    expect(listed.written().flat()).toContain('escalation.resolved');
  });

  it('in a containment raises no page of its own', async () => {
    expect((await endingIn(async () => endOf(escalated('containment')))).pages).toEqual([]);
  });

  it('with an error pages a person as a failure of Reeve itself', async () => {
    const rig = await endingIn(async () => {
      throw new Error('a bug');
    });
    expect(rig.failures).toEqual(['run run-2: a bug']);
    expect(rig.pages).toEqual(['internal']);
    expect(rig.open()).toMatchObject({ running: false, last: { kind: 'escalated', reason: 'internal' } });
  });
});

describe('a trouble that becomes another one', () => {
  const changed = async (yesUnused: boolean) => {
    const withdraw = () => ({ drafts: [{ fact: { type: 'approval.expired', id: 'apr-1' } } as const], yesUnused });
    const rig = responding({ run: async () => endOf({ kind: 'approval_needed', because: '' }), withdraw });
    rig.look();
    await rig.advance(1);
    rig.world.sight = { trouble: { ...TROUBLE, classification: 'output_stalled' } };
    rig.look();
    return rig;
  };

  it('takes back the question about the first', async () => {
    const rig = await changed(false);
    expect(rig.written()[2]).toEqual(['incident.reclassified', 'approval.expired']);
    expect(rig.pages).toEqual(['approval_needed']);
  });

  it('is asked about anew, though it becomes so in the very millisecond in which a run ends', async () => {
    const watching: Outcome = { kind: 'watching', because: '', retryAfterMs: undefined, escalateAfterMs: 600_000 };
    for (const outcome of [watching, escalated('no_plan')]) {
      let runs = 0;
      const rig = responding({
        run: async () => {
          runs += 1;
          rig.world.sight = { trouble: { ...TROUBLE, classification: 'output_stalled' } };
          return endOf(outcome);
        },
      });
      rig.look();
      await rig.advance(0);
      expect([runs, rig.written().at(-1)]).toEqual([1, ['incident.reclassified']]);
      await rig.advance(5_000);
      expect(runs).toBe(2);
      await rig.advance(300_000);
      expect(runs).toBe(2);
    }
  });

  it('pages a person whose yes to the first was not used', async () => {
    expect((await changed(true)).pages).toEqual(['approval_needed', 'approval_expired']);
  });
});

describe('after a start of Reeve', () => {
  it('every incident that is open is looked at again', async () => {
    const rig = responding({ run: async () => endOf(escalated('no_plan')) });
    rig.look();
    await rig.advance(0);
    rig.world.sight = undefined;
    rig.responder.resume();
    expect(rig.open()).toBeUndefined();
    expect(rig.written().at(-1)).toEqual(['incident.closed']);
  });
});

describe('the last moments before Reeve stops', () => {
  it('are over when the end of each run that was under way is written down with its page', async () => {
    let end = () => {};
    const rig = responding({
      run: () =>
        new Promise((resolve) => {
          end = () => resolve(endOf(escalated('no_plan')));
        }),
    });
    rig.look();
    rig.responder[Symbol.dispose]();
    let isOver = false;
    const over = rig.responder.written().then(() => {
      isOver = true;
    });
    await rig.advance(1_000);
    expect([isOver, rig.pages]).toEqual([false, []]);
    end();
    await over;
    expect(rig.written().at(-1)).toEqual(['run.ended', 'escalation.raised']);
  });

  it('are over at once where no run is under way', async () => {
    await expect(responding().responder.written()).resolves.toBeUndefined();
  });
});
