/** What correlation sees of the channels. */
import type { MonoMs } from '../../core/clock.ts';
import { type ChannelRef, keyOfScope, type Scope, type ScopeKey } from '../../core/scope.ts';
import type { Finding } from '../rules/classify.ts';

/** One channel's finding, and since when it has been in trouble. */
export interface Seen {
  readonly ref: ChannelRef;
  readonly finding: Finding;
  readonly firstSeenMs: MonoMs;
  /** Host and port of its source, where it is probed. */
  readonly sourceHost: string | undefined;
}

/** Made once for each new finding; `hostOf` is asked only where the host matters. */
export const seenOf = (
  { ref, finding, troubledMs }: { readonly ref: ChannelRef; readonly finding: Finding; readonly troubledMs: MonoMs },
  hostOf: () => string | undefined,
): Seen => ({
  ...{ ref, finding, firstSeenMs: troubledMs },
  get sourceHost() {
    return hostOf();
  },
});

/** How many channels a group, an engine or the fleet has; they are counted once, when one is first asked for. */
export function sizesOf(seen: readonly Pick<Seen, 'ref'>[]): (scope: Scope) => number {
  let sizes: ReadonlyMap<ScopeKey, number> | undefined;
  return (scope) => {
    if (scope.kind === 'fleet') return seen.length;
    sizes ??= counted(seen);
    return sizes.get(keyOfScope(scope)) ?? 0;
  };
}

function counted(seen: readonly Pick<Seen, 'ref'>[]): ReadonlyMap<ScopeKey, number> {
  const sizes = new Map<ScopeKey, number>();
  for (const { ref } of seen) {
    for (const key of [`group:${ref.group}`, `engine:${ref.engine}`] as const)
      sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  return sizes;
}
