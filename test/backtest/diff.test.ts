import { describe, expect, it } from 'vitest';
import type { IncidentStory } from '../../src/backtest/decisions.ts';
import { diffOf, stepsOf } from '../../src/backtest/diff.ts';

type Decision = IncidentStory['decisions'][number];
const decision = (step: string, at = 0, kind = 'plan'): Decision => ({ step, at, kind, because: '' }) as Decision;

const story = (openedAt: number, steps: readonly Decision[], over: Partial<IncidentStory> = {}): IncidentStory =>
  ({
    scope: 'channel:news',
    classification: 'process_crashed',
    openedAt,
    closedAt: openedAt + 1_000,
    decisions: steps,
    ...over,
  }) as IncidentStory;

const restart = (at: number) => decision('restart_channel', at, 'act');

describe('two policies on one recording', () => {
  it('agree where the same steps come in the same order, whenever they were made', () => {
    const diff = diffOf([story(0, [restart(10)])], [story(500, [restart(9_000)])]);
    expect(diff).toMatchObject({ same: 1, other: 0, onlyBase: 0, onlyAgainst: 0 });
    expect(diff.incidents[0]).toMatchObject({ verdict: 'same', actsLaterMs: 8_990 });
  });

  it('differ where the steps do, and have no delay where one of them changed nothing', () => {
    const [one] = diffOf([story(0, [restart(10)])], [story(0, [decision('escalate')])]).incidents;
    expect(one).toMatchObject({ verdict: 'other', base: ['restart_channel'], against: ['escalate'] });
    expect(one?.actsLaterMs).toBeUndefined();
  });

  it.each([
    ['at two minutes', 120_000, { same: 1, onlyBase: 0, onlyAgainst: 0 }],
    ['a millisecond later', 120_001, { same: 0, onlyBase: 1, onlyAgainst: 1 }],
  ])('are taken for one trouble %s apart, when neither overlaps the other', (_, apartMs, counts) => {
    expect(diffOf([story(0, [])], [story(apartMs, [])])).toMatchObject(counts);
  });

  it('are taken for one trouble however far apart they opened, where one was still open', () => {
    const open = story(0, [], { closedAt: undefined });
    expect(diffOf([open], [story(900_000, [])])).toMatchObject({ same: 1, onlyBase: 0 });
  });

  it('never pair two scopes, and pair each incident once, with the nearest', () => {
    const other = story(0, [], { scope: 'channel:films' });
    expect(diffOf([story(0, [])], [other])).toMatchObject({ onlyBase: 1, onlyAgainst: 1 });
    const diff = diffOf([story(10_000, [])], [story(0, [decision('escalate')]), story(9_000, [])]);
    expect(diff).toMatchObject({ same: 1, other: 0, onlyAgainst: 1 });
  });

  it('are listed by time', () => {
    const at = diffOf([story(900_000, [])], [story(0, [])]).incidents.map(({ openedAt }) => openedAt);
    expect(at).toEqual([0, 900_000]);
  });
});

describe('the steps of an incident', () => {
  it('name a step once that comes again at once, and again after another', () => {
    const decisions = ['wait', 'wait', 'restart_channel', 'wait'].map((step) => decision(step));
    expect(stepsOf({ decisions })).toEqual(['wait', 'restart_channel', 'wait']);
  });
});
