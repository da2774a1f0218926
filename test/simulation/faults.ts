// A service, and the injector of its faults: everything else that faults may touch only writes down that it was.
import { FaultInjector } from '../../src/simulation/fault_injector.ts';
import type { Kind } from '../../src/simulation/kinds.ts';
import type { ChannelPlan, Injection } from '../../src/simulation/scenario.ts';
import { plant } from './plant.ts';

export const anInjection = (kind: Kind, with_: Partial<Injection> = {}): Injection => ({
  ...{ atMs: 0, kind, target: 'ch0', forMs: 60_000, variant: 0.5, ...with_ },
});

export function faulty(plans?: readonly ChannelPlan[]) {
  const world = plant(plans);
  const { service, nowMs, at } = world;
  const done: unknown[][] = [];
  const note =
    (name: string) =>
    (...with_: readonly unknown[]): void =>
      void done.push([name, ...with_]);
  const symptoms: [string, string, number][] = [];
  const ends = { crash: note('crash'), breakDown: note('breakDown') };
  const disk = { ...ends, setBack: note('setBack'), hold: note('hold'), rot: note('rot') };
  const controls = {
    ...{ service, nowMs, at, disk },
    ...{
      stopReeve: note('stopReeve'),
      reload: note('reload'),
      move: note('move'),
      second: note('second'),
      jumpWall: note('jumpWall'),
    },
    ...{ suspend: note('suspend'), reboot: note('reboot'), operate: note('operate'), change: note('change') },
    symptom: (channel: string, kind: string): void => void symptoms.push([channel, kind, nowMs()]),
  };
  const injector = new FaultInjector(controls);
  const inject = (kind: Kind, with_: Partial<Injection> = {}): void =>
    injector.inject(anInjection(kind, { atMs: nowMs(), ...with_ }));
  return { ...world, controls, injector, inject, done, symptoms };
}
