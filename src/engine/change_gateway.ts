/** Lets an adapter make each change at most once, in the order of fences. */
import type { ActionContext } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { Transport } from '../resilience/transport.ts';

export interface Change {
  /** What is changed: a channel, or `engine:ID` for the engine itself. Fence tokens are ordered per target. */
  readonly target: string;
  readonly context: ActionContext;
  /** Doing it twice does harm: once per permit. */
  readonly once: boolean;
  /** Once it has begun it is carried on though the caller leaves, up to the deadline. */
  readonly carryOn?: boolean;
}

/** The only way in which an adapter changes something. */
export interface ChangeGateway {
  /**
   * Runs the action behind fence, permit, breaker and deadline (laws S6 and S16 of docs/guard.md). Throws
   * ENGINE_REFUSED without running it when a newer fence was seen for the target or the permit is used up.
   */
  run<T>(change: Change, action: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Remembers, for each target, the highest fence and the last permit that was used up. */
export function createChangeGateway(transport: Transport): ChangeGateway {
  const highest = new Map<string, number>();
  const spent = new Map<string, string>();
  const admit = ({ target, context: { fence, permit }, once }: Change): void => {
    const seen = highest.get(target) ?? Number.NEGATIVE_INFINITY;
    if (!(fence >= seen)) throw refused(`fence ${fence} for ${target} is older than ${seen}`);
    if (once && spent.get(target) === permit) throw refused(`permit ${permit} was used for ${target} already`);
    highest.set(target, fence);
    if (once) spent.set(target, permit);
  };
  return {
    async run(change, action) {
      const { signal } = change.context;
      signal.throwIfAborted();
      admit(change);
      return transport.call(action, change.carryOn ? {} : { signal });
    },
  };
}

const refused = (message: string) => new ReeveError('ENGINE_REFUSED', message);
