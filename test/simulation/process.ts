// One process of the simulated daemon over a service, in virtual time, with nobody else in the world.
import type { JournalFact } from '../../src/core/journal.ts';
import type { Sample } from '../../src/core/sample.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { DaemonRun } from '../../src/simulation/daemon_run.ts';
import type { Delivery, Invocation } from '../../src/simulation/effect_log.ts';
import { ReceiverServers } from '../../src/simulation/receiver_servers.ts';
import { type Scenario, scenarioOf } from '../../src/simulation/scenario.ts';
import { settingsOf } from '../../src/simulation/settings.ts';
import { drained, SimulatedHost } from '../../src/simulation/virtual_time.ts';
import { faulty } from './faults.ts';
import { plansOf } from './plant.ts';

/** Two channels that play; the process has been started. */
export function aProcess(with_: Partial<Scenario> = {}, { adversary = false } = {}) {
  const options = { seed: 1, days: 1, channels: 2, kinds: [], persona: 'system_admin', phase: 4, limits: {} } as const;
  const script: Scenario = { ...scenarioOf(options), channels: plansOf(2), ...with_ };
  const world = faulty(script.channels);
  const { service, injector, nowMs, at } = world;
  const host = new SimulatedHost(nowMs);
  const settings = settingsOf(script, {});
  const store = new MemoryStore();
  const [invocations, deliveries, samples, facts]: [Invocation[], Delivery[], Sample[], JournalFact[]] = [
    [],
    [],
    [],
    [],
  ];
  const failures: string[] = [];
  const counts = { stirred: 0 };
  const process = new DaemonRun({
    ...{ number: 3, script, settings, host, store, setBack: undefined },
    ...{ recovery: undefined, upkeep: undefined },
    ...{ service, injector, adversary, nowMs, at, personaOf: () => settings.persona },
    onInvoked: (one) => invocations.push(one),
    onSample: (one) => samples.push(one),
    onDelivery: (one) => deliveries.push(one),
    servers: new ReceiverServers(script.seed),
    onBatch: (entries) => facts.push(...entries.map(({ fact }) => fact)),
    onFailure: (text) => failures.push(text),
    stir: () => {
      counts.stirred += 1;
    },
  });
  process.start();
  /** Lets everything happen to the service and to the process that is due by then. */
  const until = async (atMs: number): Promise<void> => {
    const { agenda } = process.reeve;
    for (let due = agenda.next(); due !== undefined; due = agenda.next()) {
      const dueMs = host.worldMsAt(due.atMs);
      if (dueMs > atMs) break;
      world.until(dueMs);
      agenda.take();
      due.run();
      await drained();
    }
    world.until(atMs);
  };
  const of = <T extends JournalFact['type']>(type: T) =>
    facts.filter((fact): fact is Extract<JournalFact, { type: T }> => fact.type === type);
  return { ...world, script, settings, store, process, until, of, invocations, deliveries, samples, failures, counts };
}
