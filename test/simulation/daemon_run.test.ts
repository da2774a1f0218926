import { describe, expect, it } from 'vitest';
import { aPlan, plansOf } from './plant.ts';
import { aProcess } from './process.ts';

const MINUTE = 60_000;

describe('a process of the simulated daemon', () => {
  it('sees a channel die and starts it, once, and that call is written down as the engine saw it', async () => {
    const { service, until, invocations, failures, status } = aProcess();
    await until(2 * MINUTE);
    service.crash('ch0', { exitSignal: 11 });
    await until(3 * MINUTE);
    expect(invocations).toHaveLength(1);
    expect(invocations[0]).toMatchObject({ tool: 'restart_channel', channel: 'ch0', daemonRun: 3, status: 'curable' });
    expect(invocations[0]!.effect).toBe(service.at('ch0').process);
    expect(invocations[0]!.endMs).toBeGreaterThan(invocations[0]!.atMs);
    expect([status(), failures]).toEqual(['playing', []]);
  });

  it('looks at a channel in doubt every second', async () => {
    const { service, until, samples } = aProcess({ phase: 0 });
    await until(2 * MINUTE);
    service.crash('ch0', { exitSignal: 11 });
    await until(2 * MINUTE + 6_000);
    samples.length = 0;
    await until(2 * MINUTE + 16_000);
    const looks = (id: string) => samples.filter((one) => one.kind === 'playlist' && one.channel === id).length;
    expect([looks('ch0'), looks('ch1')]).toEqual([10, 2]);
  });

  it('notifies two receivers about what it may not do itself', async () => {
    const { service, until, deliveries } = aProcess({ phase: 0 });
    await until(2 * MINUTE);
    service.crash('ch0', { exitSignal: 11 });
    await until(5 * MINUTE);
    const triggers = deliveries
      .filter(({ what }) => what === 'trigger')
      .map(({ receiver, scope }) => [receiver, scope]);
    expect(triggers.sort()).toEqual([
      ['chat', 'channel:ch0'],
      ['pager', 'channel:ch0'],
    ]);
  });

  it('meets engine, probes and receivers as they are at that moment', async () => {
    const { service, inject, until, deliveries, invocations } = aProcess({ phase: 0 });
    inject('receiver', { target: '', variant: 0, forMs: 60 * MINUTE });
    await until(2 * MINUTE);
    service.crash('ch0', { exitSignal: 11 });
    await until(5 * MINUTE);
    expect([deliveries.some(({ receiver }) => receiver === 'chat'), invocations]).toEqual([true, []]);
    expect(deliveries.some(({ receiver }) => receiver === 'pager')).toBe(false);
  });

  it('shows each sample before it makes anything of it, in what order it comes', async () => {
    const { inject, until, samples } = aProcess();
    inject('samples', { variant: 0.5 });
    await until(12_000);
    const times = samples.flatMap((one) => (one.kind === 'playlist' && one.channel === 'ch0' ? [one.monoMs] : []));
    expect(times.length).toBeGreaterThan(1);
    expect(times).not.toEqual([...times].sort((a, b) => a - b));
  });
});

describe('a process that is quiet', () => {
  it('has run for a minute, and knows that everything plays', async () => {
    const { process, until } = aProcess();
    await until(59_999);
    expect(process.quiet).toBe(false);
    await until(MINUTE + 5_000);
    expect(process.quiet).toBe(true);
  });

  it('is not one that looks closer, or has an incident', async () => {
    const { process, until, service } = aProcess();
    await until(2 * MINUTE);
    process.watcher.lookCloser(['ch0'], 2_000);
    expect(process.quiet).toBe(false);
    await until(2 * MINUTE + 2_000);
    expect(process.quiet).toBe(true);
    service.crash('ch0', { exitSignal: 11 });
    let opened = 0;
    for (let second = 123; second < 240; second += 1) {
      await until(second * 1_000);
      const isOpen = process.reeve.pipeline.incidents().open.length > 0;
      opened += isOpen ? 1 : 0;
      if (isOpen) expect(process.quiet).toBe(false);
    }
    expect([opened > 5, process.quiet]).toEqual([true, true]);
  });

  it('is not one that does not know how a channel stands', async () => {
    const { process, until, inject } = aProcess();
    inject('probe_gone', { forMs: 60 * MINUTE });
    await until(2 * MINUTE);
    expect(process.quiet).toBe(false);
  });
});

describe('what the process knows of a pool', () => {
  it('is what the engine reported last, and nothing before its first report', async () => {
    const { process, until, inject } = aProcess();
    expect(process.poolOf('e0')).toBe('unasked');
    await until(6_000);
    expect([process.poolOf('e0'), process.poolOf('e1')]).toEqual([0.4, 'unasked']);
    inject('pool', { target: 'e0', variant: 0.1 });
    await until(12_000);
    expect(process.poolOf('e0')).toBeUndefined();
  });
});

describe('what others send to the process', () => {
  const claim = { channel: 'ch0', kind: 'process_crash', origin: 'log' } as const;

  it('arrives 50 milliseconds later, and not at a process that has died', async () => {
    const symptomsOf = ({ process }: ReturnType<typeof aProcess>) =>
      process.reeve.pipeline.factStore.view('ch0')?.symptoms.map(({ kind, origin }) => [kind, origin]);
    const world = aProcess();
    await world.until(1_000);
    world.process.hear(claim);
    await world.until(1_049);
    expect(symptomsOf(world)).toEqual([]);
    await world.until(1_050);
    expect(symptomsOf(world)).toEqual([['process_crash', 'log']]);
    const dead = aProcess();
    dead.process.reeve.kill();
    dead.process.hear(claim);
    expect(dead.process.reeve.agenda.next()?.tick).not.toBe(false);
  });

  it('may be a sample of a status page', async () => {
    const { process, until } = aProcess();
    const reach = { kind: 'reach', channel: 'ch0', source: 'page', ok: false } as const;
    process.take(reach);
    await until(50);
    expect(process.reeve.pipeline.factStore.view('ch0')?.reach).toBeDefined();
    const dead = aProcess();
    dead.process.reeve.kill();
    dead.process.take(reach);
    expect(dead.process.reeve.pipeline.factStore.view('ch0')?.reach).toBeUndefined();
    expect(dead.process.reeve.agenda.next()?.tick).not.toBe(false);
  });
});

describe('a process that is asked to stop', () => {
  it('says so in its journal', async () => {
    const { process, until, of } = aProcess();
    await until(2 * MINUTE);
    expect(process.stopping).toBe(false);
    const stopped = process.stop();
    expect(process.stopping).toBe(true);
    await until(3 * MINUTE);
    await stopped;
    expect(of('reeve.stopped')).toHaveLength(1);
  });
});

describe('a process with an adversary', () => {
  it('is asked for anything while something is wrong, and for nothing before or after', async () => {
    const { process, until, service, injector } = aProcess({}, { adversary: true });
    await until(MINUTE);
    expect(process.plans).toBe(0);
    service.freeze('ch0');
    await until(MINUTE + 5_000);
    expect(process.plans).toBe(10);
    injector.heal();
    await until(2 * MINUTE);
    expect(process.plans).toBe(10);
  });

  it('is none where none was asked for', async () => {
    const { process, until, service } = aProcess();
    service.freeze('ch0');
    await until(5_000);
    expect(process.plans).toBe(0);
  });
});

describe('a process that reaches its engine through the adapter', () => {
  it('sees processes by its looks, and says that something goes on at each', async () => {
    const { until, counts, samples } = aProcess({ channels: [aPlan('ch0', { pidBase: 100_000 })] });
    await until(11_000);
    expect(counts.stirred).toBe(2);
    const seen = samples.flatMap((one) => (one.kind === 'process' ? [one.pid] : []));
    expect(seen.every((pid) => pid !== undefined && pid >= 100_000)).toBe(true);
    expect(seen.length).toBeGreaterThan(0);
    const plain = aProcess({ channels: plansOf(1) });
    await plain.until(11_000);
    expect(plain.counts.stirred).toBe(0);
  });
});
