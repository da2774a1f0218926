import { describe, expect, it } from 'vitest';
import { CRUEL_KINDS, KINDS } from '../../src/simulation/kinds.ts';
import { randomPlanner } from '../../src/simulation/planners.ts';
import { type Scenario, swarm } from '../../src/simulation/scenario.ts';
import { simulate } from '../../src/simulation/simulate.ts';
import { play } from './mutants/scenes.ts';

const LAST = ['set_back', 'journal_busy', 'journal_rot', 'second_reeve'];
const LATER = ['one_way', 'empty_playout', 'stale_address', ...LAST];

/** A crueller world as it was drawn before the later kinds were there. */
const cruelOf = (seed: number, later: readonly string[] = LATER) => {
  const kinds = swarm(seed, [...KINDS, ...CRUEL_KINDS.filter((kind) => !later.includes(kind))]);
  return { seed, kinds, calm: 1, cruel: true };
};

describe('worlds in which a channel was down in silence, or a refusal was forgotten', () => {
  it.each([
    ['after a thaw', { seed: 203, days: 1, storm: true }],
    ['while the place of a run that was cut off was taken', { seed: 20, days: 0.5, calm: 1 }],
    ['while the place of another run that was cut off was taken', { seed: 29, days: 0.5, calm: 1 }],
    ['during the spacing', { seed: 17, days: 0.5, calm: 1 }],
    ['while a containment outlived Reeve, and then its group’s incident', { seed: 15, days: 25, calm: 12 }],
    ['in the queue', { seed: 19, days: 25, calm: 12 }],
    ['as the third of its group', { ...cruelOf(108), days: 0.6, channels: 5 }],
    ['where a look at one of its group was cut off', { ...cruelOf(139), days: 0.6, channels: 8 }],
    ['while a containment is not paged yet', { ...cruelOf(5004), days: 0.125, storm: true, channels: 8 }],
    [
      'after the release of a group of which one channel may not be restarted',
      { ...cruelOf(8247), days: 0.125, storm: true, channels: 3 },
    ],
    ['after a shared cause', { ...cruelOf(126), days: 0.6, channels: 2 }],
    ['in a second outage of one incident', { ...cruelOf(5364), days: 0.125, storm: true, channels: 4 }],
    ['in another second outage of one incident', { ...cruelOf(131), days: 1, channels: 10 }],
    [
      'after a release that Reeve did not outlive, a quarter of an hour after the death',
      { ...cruelOf(24_822, LAST), days: 0.125, storm: true, channels: 2 },
    ],
    [
      'after a kill about which somebody wrote into the log that access ran out',
      { ...cruelOf(23_388, LAST), days: 0.125, storm: true, channels: 3 },
    ],
    [
      'after the containment of a group whose plan did not help, when its sources answer',
      { ...cruelOf(44_172, ['journal_rot', 'second_reeve']), days: 0.125, storm: true, channels: 4 },
    ],
    [
      'when a wait had run out during the run before the one that announced it',
      { ...cruelOf(46_874, ['second_reeve']), days: 0.125, storm: false, channels: 4 },
    ],
    [
      'beside the plan of its group that waits for a person’s yes',
      { ...cruelOf(45_132, ['second_reeve']), days: 0.125, storm: true, channels: 5 },
    ],
    [
      'after a release, when the containment had refused it many times',
      { ...cruelOf(45_438, ['second_reeve']), days: 0.125, storm: true, channels: 3 },
    ],
    [
      'beside an engine’s incident of which all play again, and which is open for its page alone',
      { ...cruelOf(49_692, []), days: 0.125, storm: true, channels: 8 },
    ],
    [
      'after an outage that had left its group down under two names',
      { ...cruelOf(46_833, []), days: 0.125, storm: true, channels: 5, wired: true },
    ],
    [
      'in the plan of an engine, right after a death in a group of which it starts another',
      { ...cruelOf(55_932, []), days: 0.125, storm: true, channels: 4 },
    ],
    [
      'during the spacing, when the engine started it and that process died, too',
      { ...cruelOf(51_048, []), days: 0.125, storm: true, channels: 6 },
    ],
  ])('break no law any more: %s', { timeout: 180_000 }, async (_, order) => {
    expect((await simulate(order)).violations).toEqual([]);
  });

  it('break no law any more: beside a second Reeve that came after the death and read that the encoder is slow', async () => {
    const order = { ...cruelOf(49_536, []), days: 0.125, storm: true, channels: 6 };
    const how = { rulebook: (script: Scenario) => randomPlanner(script).rulebook };
    expect((await simulate(order, how)).violations).toEqual([]);
  });

  it.each([
    ['beside a source that fails while others of its group answer', 'witness', 14],
    ['once a plan has started what a containment had refused, and that died again', 'witness', 49],
    ['of another group, once a plan has started what a containment had refused, and that died again', 'sources', 22],
    ['where the only one of a group that died was taken for a part of what was over for minutes', 'witness', 58],
    ['where a cause was over in the very millisecond in which the run that waited for it ended', 'witness', 61],
    ['after a group’s incident in the ninth run of a channel', 'witness', 67],
    ['after a plan that did not help, until its sources answer', 'witness', 99],
    ['beside what the cause of an engine has left down, which waits for its proof', 'plain', 42],
    ['handed over by its group, beside what the cause of an engine has left down', 'plain', 25],
    ['in the plan of an engine, while another group was contained', 'plain', 31],
    ['in the plan of an engine whose pool had been full', 'plain', 36],
    ['beside sources that fail of channels that the cause of the group has not touched', 'plain', 32],
    ['of a group whose incident had lost its cause when Reeve died', 'plain', 44],
    ['of another group whose incident had lost its cause when Reeve died', 'plain', 61],
    ['of a group of unknown trouble whose incident had lost its cause when Reeve died', 'plain', 62],
    ['of an engine whose incident had lost its cause when Reeve died', 'plain', 66],
    ['of a group whose incident had lost its cause when Reeve died twice', 'plain', 67],
    ['in a plan that a containment refused, when its restarts were used', 'plain', 72],
    ['while calls that hung, and came late, fill the window', 'plain', 80],
    ['which Reeve had not seen for more than two minutes when it died', 'plain', 46],
    ['of an engine whose incident had lost its cause, and then contained by a trouble of one', 'plain', 41],
    ['left down by a plan that a containment had put off for longer than its rule waits', 'plain', 8],
    ['listed by the page of another trouble’s group while its own rule waits', 'plain', 60],
    ['reset by a person before its restart of unknown end was seen to work', 'plain', 11],
    ['in the plan of its group, when its log had named a trouble of its own', 'plain', 5],
    ['of an engine whose plan has not helped, until the sources of its groups answer', 'plain', 15],
    ['of a group whose own sources answer, once the plan of its engine has not helped', 'plain', 99],
    ['in the plan of an engine, of which only the other group waits for a proof', 'plain', 156],
    ['of an engine that has left none of its channels down', 'plain', 89],
    ['whose log speaks of access while the sources of its group are out of reach', 'plain', 125],
    ['of an engine whose ninth run a freeze had refused', 'plain', 151],
    ['whose page came back and went while the receivers were away', 'plain', 189],
    ['under the containment of an engine whose page did not list it', 'plain', 2],
    ['under another containment whose page did not list it', 'plain', 12],
    ['whose page is open where the answers to all new ones are lost', 'adapters', 12],
    ['of which a restart is seen to work when its incident is closed', 'crashes', 83],
    ['contained in the very millisecond in which its page is resolved', 'crashes', 85],
    ['whose start contains the fleet in the very moment in which that was cleared', 'crashes', 89],
    ['once a group in its ninth run took over what a containment had refused', 'sources', 128],
    ['after a plan that did not help, beside one source that fails at times', 'witness', 207],
  ] as const)(
    'break no law any more in which much goes wrong at once: %s',
    { timeout: 60_000 },
    async (_, scene, seed) => {
      expect((await play(scene, seed)).violations).toEqual([]);
    },
  );
});
