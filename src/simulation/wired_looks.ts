/** The real probes of outputs and sources with their poller and their rests, over the web of the simulation. */
import { createProbes, type Probes } from '../collect/probes/probes.ts';
import { InvariantError } from '../core/errors.ts';
import type { Sample } from '../core/sample.ts';
import { calmPacesOf, OUTPUT_CALM_MS, SOURCE_CALM_MS } from '../config/document/calm_paces.ts';
import type { ChannelPlan } from './scenario.ts';
import { playlistUrl, SimulatedWeb, type SimulatedWebDeps, sourceUrl } from './simulated_web.ts';

export interface WiredLooksDeps extends SimulatedWebDeps {
  readonly channels: readonly ChannelPlan[];
  readonly take: (sample: Sample) => void;
  readonly settle: () => void;
}

/** The paces of a channel whose configuration says nothing of them. */
const OUTPUT = { everyMs: 2_000, calmEveryMs: OUTPUT_CALM_MS, stallAfterMs: 10_000 } as const;
const SOURCE = { everyMs: 10_000, calmEveryMs: SOURCE_CALM_MS } as const;
export const PACES = {
  ...{ outputEveryMs: OUTPUT.everyMs, sourceEveryMs: SOURCE.everyMs, stallAfterMs: OUTPUT.stallAfterMs },
  ...calmPacesOf({ output: OUTPUT, source: SOURCE }),
};

/** Begun at once. A channel whose observation is gone gives no samples. */
export function wiredLooks(deps: WiredLooksDeps): Probes {
  const web = new SimulatedWeb(deps);
  const probes = createProbes({
    channels: deps.channels.map((plan) => ({
      id: plan.id,
      output: { kind: 'hls', url: playlistUrl(plan.id), ...OUTPUT },
      source: plan.hasSource ? { url: sourceUrl(plan), expect: 'mpegts', ...SOURCE } : undefined,
    })),
    ...{ hosts: [], clock: deps.clock, ask: web.ask, openSource: web.open },
    onSample: (sample) => {
      if ('channel' in sample && deps.probe(sample.channel) === 'gone') return;
      deps.take(sample);
      deps.settle();
    },
    onBug: (probe, thrown) => {
      throw new InvariantError(`the probe of ${probe} threw ${String(thrown)}`);
    },
  });
  probes.start();
  return probes;
}
