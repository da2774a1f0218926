// Maintenance windows, as people and programs read them.
import type { ControlState } from '../control/control_state.ts';
import type { MonoMs } from '../core/clock.ts';
import { keyOfScope } from '../core/scope.ts';

/** Those that have not ended, announced ones included. */
export const windowViews = ({ windows }: ControlState, nowMs: MonoMs): readonly unknown[] =>
  windows
    .filter(({ untilMs }) => untilMs > nowMs)
    .map(({ id, scope, fromMs, untilMs, rolling, who, because }) => ({
      ...{ id, scope: keyOfScope(scope), startsInMs: Math.max(0, fromMs - nowMs), endsInMs: untilMs - nowMs },
      ...{ rolling: rolling === true, who, because },
    }));
