import { describe, expect, it } from 'vitest';
import {
  type BaselinePolicyName,
  COMPARED_CRUEL_KINDS,
  COMPARED_KINDS,
  runBaseline,
} from '../../src/simulation/baseline_policies.ts';
import { CRUEL_KINDS, type Kind } from '../../src/simulation/kinds.ts';
import { type Injection, scenarioOf } from '../../src/simulation/scenario.ts';
import { anInjection } from './faults.ts';

const MINUTE = 60_000;

/** What a policy does in an hour in which these befall `ch0`, whose processes start without cost. */
function hour(name: BaselinePolicyName, injections: readonly Injection[] = [], { channels = 1, days = 1 / 24 } = {}) {
  const script = scenarioOf({ seed: 1, days, channels, kinds: [], limits: {}, persona: 'lab', phase: 4 });
  const end = runBaseline(name, { ...script, injections });
  return { ...end, startsAt: end.starts.map(({ atMs }) => atMs), state: () => end.service.at('ch0').state };
}
const at = (minute: number, kind: Kind, with_: Partial<Injection> = {}) =>
  anInjection(kind, { atMs: minute * MINUTE, variant: 0, ...with_ });
/** Within how many milliseconds each follows the one before. */
const gaps = (times: readonly number[]) => times.slice(1).map((ms, index) => ms - times[index]!);
const dead = [at(10, 'crash')];
const frozen = [at(10, 'freeze')];
const unfit = [at(10, 'misconfig', { forMs: 60 * MINUTE })];

describe('no policy', () => {
  it('does nothing, and what is dead stays dead', () => {
    const { starts, pages, state, nowMs } = hour('none', dead);
    expect([starts, pages, state(), nowMs]).toEqual([[], [], 'exited', 60 * MINUTE]);
  });
});

describe('every policy', () => {
  it.each(['naive', 'health_tasks', 'monit'] as const)('leaves alone what plays: %s', (name) => {
    expect(hour(name)).toMatchObject({ starts: [], pages: [] });
  });

  it('is the same for a seed', () => {
    expect(hour('naive', dead).startsAt).toEqual(hour('naive', dead).startsAt);
    // People look once a minute, and the policy every ten seconds.
    expect(hour('naive').events).toBeGreaterThanOrEqual(60 + 359);
  });

  it('gets the engine as it is: a start that hangs has no effect, one that is late comes late', () => {
    const calls = (variant: number) => [at(9, 'calls', { target: 'e0', variant, forMs: 60 * MINUTE }), ...dead];
    const hung = hour('naive', calls(0));
    expect([hung.starts[0]?.process, hung.state()]).toEqual([undefined, 'exited']);
    expect(hung.starts.length).toBeGreaterThan(100);
    const late = hour('naive', calls(0.17));
    expect([late.starts[0]?.process, late.state()]).toEqual([undefined, 'running']);
    const half = hour('naive', [at(9, 'half_restart', { target: 'e0', forMs: 60 * MINUTE }), ...dead]);
    expect([half.service.at('ch0').state, half.service.at('ch0').stoppedBy]).toEqual(['stopped', 'policy']);
  });

  it('gets what probes report, lies included', () => {
    const lies = (variant: number) => hour('naive', [at(10, 'probe_lie', { variant, forMs: 5 * MINUTE })]).starts;
    expect(lies(0.34).length).toBeGreaterThan(20);
    expect(lies(0).length).toBeGreaterThan(20);
    expect(lies(0).every(({ status }) => status === 'playing' || status === 'young')).toBe(true);
    expect(lies(0.99)).toEqual([]);
    const hidden = hour('naive', [at(9, 'probe_lie', { variant: 0.99, forMs: 10 * MINUTE }), ...frozen]);
    expect(hidden.startsAt[0]).toBeGreaterThan(19 * MINUTE);
  });
});

describe('the naive policy', () => {
  it('starts what is dead within ten seconds, and what stands still after twenty more', () => {
    const { startsAt, starts, state } = hour('naive', dead);
    expect(startsAt).toHaveLength(1);
    expect(startsAt[0]! - 10 * MINUTE).toBeLessThanOrEqual(10_000);
    expect([starts[0]!.status, starts[0]!.process?.by, state()]).toEqual(['curable', 'policy', 'running']);
    const still = hour('naive', frozen).startsAt[0]! - 10 * MINUTE;
    expect(still > 20_000 && still <= 40_000).toBe(true);
  });

  it('starts every ten seconds what no start can help', () => {
    const { startsAt } = hour('naive', unfit);
    expect(startsAt.length).toBeGreaterThan(250);
  });
});

describe('health tasks', () => {
  it('start what has had no output for three minutes', () => {
    const [first] = hour('health_tasks', dead).startsAt;
    expect(first! - 10 * MINUTE).toBeGreaterThan(180_000);
    expect(first! - 10 * MINUTE).toBeLessThanOrEqual(240_000);
  });

  it('make five starts of a channel within five minutes, and then stop for two', () => {
    const { startsAt } = hour('health_tasks', unfit);
    expect(gaps(startsAt).slice(0, 4)).toEqual([30_000, 30_000, 30_000, 30_000]);
    expect(gaps(startsAt)[4]).toBe(270_000);
    for (const ms of startsAt)
      expect(startsAt.filter((one) => one > ms - 300_000 && one <= ms).length).toBeLessThanOrEqual(5);
  });

  it('make ten starts of all channels within a minute', () => {
    const all = Array.from({ length: 12 }, (_, index) => at(10, 'freeze', { target: `ch${index}` }));
    const { startsAt } = hour('health_tasks', all, { channels: 12 });
    expect(new Set(startsAt.slice(0, 10)).size).toBe(1);
    expect(startsAt).toHaveLength(12);
    expect(startsAt[10]! - startsAt[0]!).toBe(60_000);
  });
});

describe('monit', () => {
  it('starts what is dead in its next cycle, and what stands still in the one after', () => {
    const deadMs = hour('monit', dead).startsAt[0]! - 10 * MINUTE;
    const stillMs = hour('monit', frozen).startsAt[0]! - 10 * MINUTE;
    expect(deadMs).toBeLessThanOrEqual(30_000);
    expect(stillMs - deadMs).toBe(60_000);
  });

  it('gives up after four starts within eight cycles, and calls a person once', () => {
    const { startsAt, pages } = hour('monit', unfit, { days: 20 / 24 / 60 });
    expect([startsAt.length, pages.length]).toEqual([4, 1]);
    expect(pages[0]).toMatchObject({ scope: 'channel:ch0' });
    expect(pages[0]!.atMs - startsAt[0]!).toBeLessThan(8 * 30_000);
  });

  it('has a person who comes after its page', () => {
    const { state, pages } = hour('monit', unfit);
    expect([pages.length > 0, state()]).toEqual([true, 'running']);
  });
});

describe('what policies are compared under', () => {
  it('is nothing that only Reeve can have', () => {
    const own: readonly Kind[] = [
      'reeve_crash',
      'disk',
      'receiver',
      'operator',
      'wall_jump',
      'suspend',
      'reboot',
      'graceful_stop',
      'reload',
      'moved',
      'set_back',
      'journal_busy',
    ];
    expect([...COMPARED_KINDS, ...COMPARED_CRUEL_KINDS].filter((kind) => own.includes(kind))).toEqual([]);
    expect(COMPARED_KINDS.some((kind) => (CRUEL_KINDS as readonly Kind[]).includes(kind))).toBe(false);
    expect(COMPARED_CRUEL_KINDS).toEqual(expect.arrayContaining([...COMPARED_KINDS]));
  });
});
