import { type Collectors, createCollectors } from './app_collect.ts';
import type { Edges } from './app_edges.ts';
import type { People } from './app_people.ts';
import { settingsOf } from './app_settings.ts';
import type { World } from './app_world.ts';
import { safeText } from './collect/clean.ts';
import type { Configuration } from './config/load.ts';
import type { Settings } from './incident/settings.ts';
import { Spine } from './incident/spine.ts';

/** From what is seen to what is done: the collectors, and the spine they feed. */
export interface Decisions {
  readonly collectors: Collectors;
  readonly spine: Spine;
  readonly settings: () => Settings;
  /** Swaps in what a reload brought. */
  use(configuration: Configuration): void;
}

const EXCERPT_MAX = 400;

/** Before the journal is opened; nothing runs before `spine.start()` and `collectors.start()`. */
export function createDecisions(
  configuration: Configuration,
  world: World,
  { edges, people }: { readonly edges: Edges; readonly people: People },
): Decisions {
  const { clock, ledger, checkpoints, engines, lanes } = edges;
  let settings = settingsOf(configuration);
  const collectors = createCollectors(configuration, {
    clock,
    checkpoints,
    engines,
    log: world.log,
    onSample: (sample) => spine.observe(sample),
    onPolled: (samples) => {
      for (const sample of samples) spine.take(sample);
      spine.settle();
    },
    onSymptom: (symptom) => spine.symptom(symptom),
  });
  const spine: Spine = new Spine({
    clock,
    ids: world.ids,
    append: ledger.append,
    register: (projection) => ledger.register(projection),
    lanes,
    settings: () => settings,
    channels: collectors.channelSetups,
    engineSetups: collectors.engineSetups,
    engines,
    clean: (text) => safeText(text, EXCERPT_MAX),
    raise: (draft) => people.raise(draft),
    resolve: (key, because) => people.resolve(key, because),
    openPages: () => people.openPages(),
    lookCloser: (channels, forMs) => collectors.lookCloser(channels, forMs),
    lookNow: (channel, wants) => collectors.lookNow(channel, wants),
    onFailure: (text) => people.fail(text),
    journalBroken: () => ledger.broken?.because,
  });
  return {
    collectors,
    spine,
    settings: () => settings,
    use(next) {
      settings = settingsOf(next);
      collectors.recompile(next);
    },
  };
}
