import { describe, expect, it, onTestFinished } from 'vitest';
import { createChangeGateway } from '../../src/engine/change_gateway.ts';
import { supervisorDocument } from '../../src/engine/supervisor/schema.ts';
import { SupervisorEngine } from '../../src/engine/supervisor/engine.ts';
import { createTransport } from '../../src/resilience/transport.ts';
import type { ChannelPlan } from '../../src/simulation/scenario.ts';
import { type Generation, ServiceModel } from '../../src/simulation/service_model.ts';
import type { CallMode } from '../../src/simulation/sim_engine.ts';
import { SimulatedSupervisord } from '../../src/simulation/simulated_supervisord.ts';
import { fakeClock } from '../support/fake_clock.ts';

const NEVER = new AbortController().signal;

/** The real adapter over the simulated supervisord, and the service behind it, all on one clock. */
function theAdapter({ id = 'news', countsBytes = false } = {}) {
  const { clock, advance } = fakeClock();
  const at = (atMs: number, run: () => void): void => void clock.after(atMs - clock.monotonicMs(), run);
  const plan: ChannelPlan = { id, group: 'g', engine: 'e', hasSource: false, pidBase: 100_000 };
  const nowMs = () => clock.monotonicMs();
  const service = new ServiceModel([plan], { seed: 1, nowMs, at, onSymptom: () => undefined });
  const world = { mode: 'well' as CallMode, isUp: true, answers: true, effects: [] as Generation[] };
  const supervisord = new SimulatedSupervisord({
    ...{ engine: 'e', service, clock, worldMs: nowMs, at, mode: () => world.mode, isUp: () => world.isUp },
    answers: () => world.answers,
    ...{ by: 'reeve' as const, countsBytes },
    onStart: () => (process) => void world.effects.push(process),
  });
  const document = supervisorDocument.parse({ id: 'e', kind: 'supervisor', url: 'http://127.0.0.1:9001/RPC2' });
  const look = createTransport('e/look', { timeoutMs: document.timeout }, clock);
  const change = createTransport('e/change', { timeoutMs: document.change_timeout }, clock);
  onTestFinished(() => {
    for (const one of [look, change]) one[Symbol.dispose]();
  });
  const adapter = new SupervisorEngine({
    document,
    channels: [{ id, name: id }],
    parts: {
      ...{ clock, look, change: createChangeGateway(change), ask: supervisord.ask },
      ...{ secret: () => '', readProcess: supervisord.readProcess },
    },
  });
  let permits = 0;
  const seen = async () => (await adapter.observe(NEVER)).processes[0]!;
  const restart = (): Promise<string> => {
    permits += 1;
    const context = { permit: `per-${permits}`, fence: permits, signal: NEVER };
    return adapter.restart('news', context).catch((thrown: Error) => `failed: ${thrown.message}`);
  };
  /** What the restart came to after so long, or that it has not ended. */
  const outcomeAfter = async (ms: number, call = restart()): Promise<string> => {
    const ended = Promise.race([call, advance(ms).then(() => 'not ended')]);
    return ended;
  };
  return { world, service, adapter, seen, restart, outcomeAfter, advance };
}

describe('the machine of a supervisord within the simulation', () => {
  it('counts no bytes unless it is told to', async () => {
    expect((await theAdapter().seen()).bytesWritten).toBeUndefined();
  });

  it.each([
    ['ch0', true],
    ['ch1', false],
  ])('counts what a process has written: %s writes on while its output stands: %s', async (id, writesOn) => {
    const { seen, service, advance } = theAdapter({ id, countsBytes: true });
    const count = async (): Promise<number> => (await seen()).bytesWritten!;
    const first = await count();
    await advance(10_000);
    const playing = await count();
    expect(playing).toBeGreaterThan(first);
    service.stall(id, 60_000);
    const before = await count();
    await advance(10_000);
    expect((await count()) > before).toBe(writesOn);
    service.freeze(id);
    const frozen = await count();
    await advance(10_000);
    expect(await count()).toBe(frozen);
  });
});

describe('a supervisord within the simulation', () => {
  it('shows the adapter the process by the name that the service has for it, halted or not', async () => {
    const { service, seen } = theAdapter();
    expect(await seen()).toMatchObject({ state: 'running', generation: service.at('news').process.generation });
    expect((await seen()).halted).toBe(false);
    service.freeze('news');
    expect((await seen()).halted).toBe(true);
    service.crash('news', { exitCode: 3 });
    expect(await seen()).toMatchObject({ state: 'exited', exitCode: 3, pid: undefined });
  });

  it('stops and starts what the adapter asks for, and hands over the new process', async () => {
    const { world, service, outcomeAfter } = theAdapter();
    expect(await outcomeAfter(1_000)).toMatch(/stopped \(it was running, pid 100000\) and started/);
    expect(world.effects).toEqual([service.at('news').process]);
  });

  it.each<[CallMode, RegExp, string]>([
    ['refuse', /failed: fault 30/, 'running'],
    ['stop_only', /not ended/, 'stopped'],
    ['stop_lie_ok', /and started/, 'stopped'],
    ['stop_late_start', /not ended/, 'stopped'],
    ['lie_ok', /started by another party/, 'running'],
    ['hang', /not ended/, 'running'],
  ])('in mode %s lets the call come to %s', async (mode, outcome, state) => {
    const { world, service, outcomeAfter } = theAdapter();
    world.mode = mode;
    expect(await outcomeAfter(20_000)).toMatch(outcome);
    expect(service.at('news').state).toBe(state);
  });

  it('leaves what a restart has stopped half way, and the adapter does not take it for a person’s stop', async () => {
    const { world, seen, outcomeAfter } = theAdapter();
    world.mode = 'stop_fails';
    expect(await outcomeAfter(60_000)).toMatch(/failed: fault 30/);
    expect(await seen()).toMatchObject({ state: 'stopped', stoppedOnPurpose: false });
  });

  it('is changed by nothing while its answers are lost: the adapter looks before it stops', async () => {
    const { world, service, adapter, outcomeAfter, advance } = theAdapter();
    Object.assign(world, { mode: 'unheard', answers: false });
    const report = adapter.observe(NEVER);
    await advance(15_000);
    expect((await report).engine).toMatchObject({ ok: false, failure: 'timeout' });
    expect(await outcomeAfter(60_000)).toMatch(/failed/);
    expect(service.at('news').state).toBe('running');
  });

  it('stops what it was asked to stop when its answers are lost from then on', async () => {
    const { world, service, seen, restart, advance } = theAdapter();
    world.mode = 'unheard';
    const call = restart();
    await advance(100);
    world.answers = false;
    await advance(60_000);
    expect(await call).toMatch(/failed/);
    expect(service.at('news').state).toBe('stopped');
    Object.assign(world, { mode: 'well', answers: true });
    expect(await seen()).toMatchObject({ state: 'stopped', stoppedOnPurpose: false });
  });

  it('does not answer while it is down', async () => {
    const { world, adapter, advance } = theAdapter();
    world.isUp = false;
    const report = adapter.observe(NEVER);
    await advance(15_000);
    expect((await report).engine).toMatchObject({ ok: false, failure: 'timeout' });
  });
});
