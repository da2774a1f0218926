import { describe, expect, it } from 'vitest';
import { AdversarialPlanner } from '../../src/simulation/adversarial_planner.ts';
import { aProcess } from './process.ts';

/** An adversary over a process of Reeve without an engine; it is quiet for as long as the test says. */
function hammered(with_: Parameters<typeof aProcess>[0] = {}) {
  const world = aProcess({ persona: 'lab', ...with_ });
  const { script, settings, process, service } = world;
  const state = { quiet: false };
  const asked: string[] = [];
  const planner = new AdversarialPlanner({
    ...{ script, service, reeve: process.reeve, daemonRun: 1, engines: new Map(), quiet: () => state.quiet },
    personaOf: (channel) => {
      asked.push(channel);
      return settings.persona;
    },
  });
  return { ...world, planner, state, asked };
}

describe('an adversarial planner', () => {
  it('asks the guard twice a second, except in quiet time, and ends with its process', async () => {
    const { planner, until, state } = hammered();
    await until(10_000);
    expect(planner.plans).toBe(20);
    state.quiet = true;
    await until(20_000);
    expect(planner.plans).toBe(20);
    state.quiet = false;
    await until(21_000);
    expect(planner.plans).toBe(22);
    planner[Symbol.dispose]();
    await until(30_000);
    expect(planner.plans).toBe(22);
  });

  it('asks nothing of a Reeve that has died, or whose disk takes nothing', async () => {
    const dead = hammered();
    dead.process.reeve.kill();
    await dead.until(5_000);
    expect(dead.planner.plans).toBe(0);
    const full = hammered();
    full.store.failWrites('full');
    await full.until(5_000);
    expect(full.planner.plans).toBe(0);
  });

  it('writes down the evidence that it shows, forged or not, for incidents of its own making', async () => {
    const { until, of } = hammered();
    await until(120_000);
    const envelopes = of('envelope.taken').map(({ envelope }) => envelope);
    expect(envelopes.length).toBeGreaterThanOrEqual(240);
    expect(envelopes.some(({ fingerprint }) => fingerprint.startsWith('made-up-'))).toBe(true);
    expect(envelopes.some(({ failureClassification }) => failureClassification === 'item_churn')).toBe(true);
    expect(of('incident.opened').some(({ incident }) => incident.id.startsWith('inc-h1-'))).toBe(true);
  });

  it('asks mostly about a channel that is down', async () => {
    const { until, of, service } = hammered({ phase: 0 });
    service.crash('ch0', { exitSignal: 9 });
    await until(120_000);
    const scopes = of('envelope.taken').flatMap(({ envelope }) =>
      envelope.scope.kind === 'channel' ? [envelope.scope.id] : [],
    );
    expect(scopes.filter((id) => id === 'ch0').length / scopes.length).toBeGreaterThan(0.8);
  });

  it('is mostly refused, for many reasons', async () => {
    const { until, of, service } = hammered();
    service.crash('ch0', { exitSignal: 9 });
    await until(120_000);
    const codes = of('guard.decided').flatMap(({ decision }) => (decision.verdict === 'deny' ? [decision.code] : []));
    expect(codes.length).toBeGreaterThan(200);
    expect(new Set(codes).size).toBeGreaterThan(4);
  });

  it('is refused by the persona of the channel that it asks about', async () => {
    const { until, asked } = hammered();
    await until(60_000);
    expect(new Set(asked)).toEqual(new Set(['ch0', 'ch1', ...asked.filter((id) => id !== 'ch0' && id !== 'ch1')]));
    expect(asked.filter((id) => id === 'ch0' || id === 'ch1').length).toBeGreaterThan(60);
  });

  it('asks the same for the same seed, and something else for another', async () => {
    const course = async (seed: number) => {
      const { until, of } = hammered({ seed });
      await until(30_000);
      return of('guard.decided').map(({ call }) => call);
    };
    const first = await course(1);
    expect(await course(1)).toEqual(first);
    expect(await course(2)).not.toEqual(first);
  });
});
