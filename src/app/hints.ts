/** The hints beside the daemon: nothing of them is loaded before somebody asks, or a planner may. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HintsDeps, OpenHints } from './hints_open.ts';
import { messageOf } from '../core/errors.ts';
import type { HintsApi } from '../http/daemon.ts';
import type { PlannerStep } from '../hints/planner.ts';

/** One hint for a planner, in one line. */
export type HintFor = (step: PlannerStep) => string | undefined;

export interface HintsOfDaemon {
  /** Loads them where they are not yet. Rejects where their file or their bundle cannot be used. */
  face(): Promise<HintsApi>;
  /** Undefined where they are not loaded, or where the planner is to be left alone. Never throws. */
  readonly hintFor: HintFor;
  /** What was loaded so far, for metrics. */
  loaded(): OpenHints | undefined;
  /** After the journal is open. Loads them where they were used before, or where a planner asks a model. */
  start(building: AsyncDisposableStack, hasModel: boolean): Promise<void>;
}

/** The file in the state directory. */
const HINTS_FILE = 'hints.db';

export function createHints(deps: HintsDeps): HintsOfDaemon {
  const { config, infrastructure, fail } = deps;
  let opening: Promise<OpenHints> | undefined;
  let open: OpenHints | undefined;
  const path = join(infrastructure.state, HINTS_FILE);
  const load = async (): Promise<OpenHints> => {
    const { openHints } = await import('./hints_open.ts');
    open = openHints(deps, path);
    return open;
  };
  const once = (): Promise<OpenHints> => {
    opening ??= load().catch((thrown: unknown) => {
      // The next request tries again: a person may have mended it.
      opening = undefined;
      throw thrown;
    });
    return opening;
  };
  return {
    face: async () => (await once()).hints,
    loaded: () => open,
    hintFor(step) {
      try {
        return open?.planner.hintFor(step);
      } catch (thrown) {
        fail(`hints: the planner was given none: ${messageOf(thrown)}`);
        return undefined;
      }
    },
    async start(building, hasModel) {
      building.defer(() => open?.[Symbol.dispose]());
      const isPlanning = hasModel && config.planner.mode !== 'off';
      if (!isPlanning && !existsSync(path)) return;
      await once().catch((thrown: unknown) => fail(`hints: they are off: ${messageOf(thrown)}`));
    },
  };
}
