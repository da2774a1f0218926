/** Plays one scene to the end, and prints every broken law and how often Reeve started something, as JSON. */
import { DAY_MS } from '../../../src/core/duration.ts';
import { type Injection, type Scenario, type ScenarioOptions, scenarioOf } from '../../../src/simulation/scenario.ts';
import { Simulation } from '../../../src/simulation/simulation.ts';
import type { TruthSceneName } from './mutants.ts';

const base = { seed: 1, days: 0.015, channels: 12, kinds: [], phase: 4, persona: 'system_admin', limits: {} } as const;
const S = 1_000;

/** Twelve channels in three groups, all with a source. */
function world(choices: Partial<ScenarioOptions>, injections: readonly Partial<Injection>[]): Scenario {
  const empty = scenarioOf({ ...base, ...choices });
  return {
    ...empty,
    channels: empty.channels.map((channel) => ({ ...channel, hasSource: true })),
    injections: injections.map((one) => ({ atMs: 0, kind: 'crash', target: 'ch0', forMs: 0, variant: 0.1, ...one })),
  };
}

const busy = (choices: Partial<ScenarioOptions>): Scenario => ({
  ...world({ persona: 'lab', ...choices }, [
    { atMs: 600 * S, kind: 'journal_busy', target: '', forMs: 50 * S, variant: 0.4 },
    { atMs: 600 * S },
  ]),
  kinds: ['crash', 'journal_busy'],
});

/** One dies every half a minute: what is done about it, and what is not, fills the journal. */
const rotting = (rot: Partial<Injection>, others: readonly Partial<Injection>[] = []): Scenario => ({
  ...world({ persona: 'lab', days: 0.06, limits: { fleetDailyRestartCap: 500, dailyRestartCap: 100 } }, [
    ...Array.from({ length: 140 }, (_, n) => ({ atMs: 60 * S + n * 30 * S, target: `ch${n % 12}` })),
    { kind: 'journal_rot', target: '', forMs: 300 * S, ...rot },
    ...others,
  ]),
  kinds: ['crash', 'reeve_crash', 'journal_rot'],
});

const ASKING = { persona: 'live_event', channels: 24 } as const;
const DEATHS = [0, 1, 2, 3, 4, 5].map((n) => ({ atMs: 160 * S + n * 4 * S, target: `ch${n}` }));

const SCENES: Readonly<Record<TruthSceneName, () => Scenario>> = {
  /** Others start one channel every ten seconds, and one dies among them. */
  others: () =>
    world({ persona: 'lab', limits: { windowStartsMax: 4 } }, [
      ...Array.from({ length: 60 }, (_, n) => {
        const target = `ch${1 + (n % 11)}`;
        return { atMs: 120 * S + n * 10 * S, kind: 'foreign', target, variant: 0.9 } as const;
      }),
      { atMs: 400 * S },
    ]),
  /** One dies a minute after Reeve was given a copy of its journal that is some minutes old. */
  set_back: () =>
    world({ persona: 'lab' }, [
      { atMs: 120 * S },
      { atMs: 600 * S, target: 'ch1' },
      { atMs: 900 * S, kind: 'set_back', target: '', forMs: 5 * S, variant: 0.5 },
      { atMs: 960 * S },
    ]),
  /** One dies while another process holds the journal for longer than Reeve waits. */
  journal_busy: () => busy({}),
  /** The same, without the time that a page may take. */
  unwritten: () => busy({ days: (624 * S) / DAY_MS }),
  /** One dies as the disk begins to take nothing, and another a minute later. */
  full_disk: () => ({
    ...world({ persona: 'lab' }, [
      { atMs: 600 * S, kind: 'disk', target: '', forMs: 300 * S, variant: 0.4 },
      { atMs: 600 * S },
      { atMs: 660 * S, target: 'ch5' },
    ]),
    kinds: ['crash', 'disk'],
  }),
  /** Some wait for a yes when Reeve dies and the machine sleeps for longer than a question waits. */
  asleep_while_down: () =>
    world(ASKING, [
      ...DEATHS,
      { atMs: 190 * S, kind: 'reeve_crash', target: '', forMs: 630 * S },
      { atMs: 191 * S, kind: 'suspend', target: '', forMs: 620 * S },
    ]),
  rot: () => rotting({ atMs: 1_800 * S, variant: 0.5 }),
  /** The walk has found it when Reeve dies; one more channel dies as soon as the next one runs. */
  rot_before_a_restart: () =>
    rotting({ atMs: 1_800 * S, variant: 0.5 }, [
      { atMs: 1_930 * S, kind: 'reeve_crash', target: '', forMs: 2 * S },
      { atMs: 1_945 * S, target: 'ch7' },
    ]),
  /** Just before a round of retention. */
  rot_of_an_old_record: () => rotting({ atMs: 2_095 * S, variant: 0.5 }),
  /** The same, and a second Reeve that may start both. */
  two_reeves: () => ({
    ...world({ persona: 'cautious' }, [
      { atMs: 60 * S, kind: 'second_reeve', target: '', forMs: 900 * S },
      { atMs: 120 * S },
      { atMs: 150 * S, target: 'ch3' },
    ]),
    kinds: ['crash', 'second_reeve'],
  }),
  /** Two of one group die within the minute in which only one may be started. */
  spaced: () => world({ persona: 'cautious' }, [{ atMs: 120 * S }, { atMs: 150 * S, target: 'ch3' }]),
};

const script = SCENES[process.argv[2] as TruthSceneName]();
const { violations, record } = await new Simulation(script, { livenessMs: 0, stopEarly: false }).run();
const starts = record.invocations.filter(({ tool }) => tool === 'restart_channel').length;
process.stdout.write(JSON.stringify({ violations, starts }));
process.exit(0);
