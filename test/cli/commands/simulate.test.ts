import { describe, expect, it } from 'vitest';
import { addSimulate, type SimulationAnswer, type SimulationOrder } from '../../../src/cli/commands/simulate.ts';
import { type RunOptions, ran } from '../running.ts';

const ANSWER: Omit<SimulationAnswer, 'seed'> = {
  ...{ events: 7, virtualDays: 1, violations: [], traceSha256: 'abc', mttrS: { p50: 1.25, p95: 2 } },
  ...{ restarts: 3, unnecessaryRestarts: 1, storms: 0, darkViewerSeconds: 9, escalations: 2, missedEscalations: 0 },
};

/** Runs the command, and keeps what was ordered of the simulation. */
async function simulated(line: string, change: Partial<SimulationAnswer> = {}, options?: RunOptions) {
  const orders: SimulationOrder[] = [];
  const simulate = async (order: SimulationOrder) => {
    orders.push(order);
    return { ...ANSWER, seed: order.seed, ...change };
  };
  const argv = ['simulate', ...line.split(' ').filter((part) => part !== '')];
  const result = await ran((program, cli) => addSimulate(program, cli, simulate), argv, options);
  return { ...result, orders };
}

describe('a simulation', () => {
  it('is one plain day of ten channels under the rules unless more is asked for', async () => {
    const { orders, out, code } = await simulated('');
    expect(orders).toEqual([
      {
        ...{
          seed: 1,
          days: 1,
          channels: 10,
          calm: 4,
          sharedOrigin: false,
          sleeps: false,
          planner: 'rules',
          policy: undefined,
        },
        ...{ storm: false, startCost: false, cruel: false, attacker: false },
      },
    ]);
    expect(out).toContain('p50 1.3 s, p95 2.0 s');
    expect(out).toContain('3, 1 needless');
    expect([out.includes('again:'), code]).toEqual([false, 0]);
  });

  it('is run for each seed from the first on', async () => {
    const { orders } = await simulated('--seed 5 --seeds 3');
    expect(orders.map(({ seed }) => seed)).toEqual([5, 6, 7]);
  });

  it.each(['--seed 1.5', '--seeds 2.5', '--channels 0x10', '--seed 1e3', '--days 0x2'])(
    'is not begun with %s: seeds and channels are whole, and numbers are written plainly',
    async (line) => {
      await expect(simulated(line)).rejects.toThrow(/^--\w+ takes a (?:whole )?number from \S+ to \S+, got \S+$/);
    },
  );

  it('that breaks a law ends with 1, and says what, when, and the command that shows it again', async () => {
    const violations = [{ law: 'S1', atMs: 2_500, because: 'a second restart' }];
    const flags =
      '--seed 9 --storm --start-cost --cruel --shared-origin --sleeps --attacker --planner random --policy monit';
    const { out, code } = await simulated(flags, { violations, minimised: [{ kind: 'kill' }] });
    expect(code).toBe(1);
    expect(out).toContain('BROKEN S1 at 2.5 s: a second restart\n  {"kind":"kill"}\n');
    expect(out).toContain(
      'again: reeve simulate --seed 9 --days 1 --channels 10 --calm 4 --storm --start-cost --cruel --shared-origin --sleeps ' +
        '--attacker --planner random --policy monit\n',
    );
  });

  it('is one document with --json', async () => {
    const { out } = await simulated('', {}, { json: true });
    expect(JSON.parse(out)).toMatchObject({ seed: 1, trace_sha256: 'abc', unnecessary_restarts: 1 });
  });
});

describe('a number of a simulation', () => {
  it.each(['--channels 1', '--channels 2000', '--days 0.01', '--seed 0', '--calm 0.001', '--seeds 1'])(
    'is taken at its bound: %s',
    async (line) => {
      expect((await simulated(line)).orders).toHaveLength(1);
    },
  );

  it.each(['--channels 0', '--channels 2001', '--days 0.009', '--seed -1', '--calm 0', '--seeds 0', '--days x'])(
    'is refused beyond it: %s',
    async (line) => {
      const [flag] = line.split(' ');
      await expect(simulated(line)).rejects.toThrow(new RegExp(`^${flag} takes a (?:whole )?number from`));
    },
  );

  it('is not the only thing that is checked: planners and policies are known by name', async () => {
    await expect(simulated('--planner wise')).rejects.toThrow('--planner is one of rules, random, adversary, model');
    await expect(simulated('--policy wise')).rejects.toThrow('--policy is one of reeve, none');
  });
});
