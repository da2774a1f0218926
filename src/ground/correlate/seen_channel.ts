/** What correlation sees of the channels. */
import type { MonoMs } from '../../core/clock.ts';
import { type ChannelId, type ChannelRef, keyOfScope, type Scope, type ScopeKey } from '../../core/scope.ts';
import { isAbsent, type SourceFacts } from '../facts/output_facts.ts';
import type { Finding } from '../rules/classify.ts';

/** One channel's finding, and since when it has been in trouble. */
export interface Seen {
  readonly ref: ChannelRef;
  readonly finding: Finding;
  readonly firstSeenMs: MonoMs;
  /** Host and port of its source, where it is probed. */
  readonly sourceHost: string | undefined;
  /** The server of its source answers, and does not have it. */
  readonly isAbsent: boolean;
}

/** Made once for each new finding; `sourceOf` is asked only where the source matters. */
export const seenOf = (
  { ref, finding, troubledMs }: { readonly ref: ChannelRef; readonly finding: Finding; readonly troubledMs: MonoMs },
  sourceOf: () => SourceFacts | undefined,
): Seen => ({
  ...{ ref, finding, firstSeenMs: troubledMs },
  get sourceHost() {
    return sourceOf()?.last.host;
  },
  get isAbsent() {
    return isAbsent(sourceOf());
  },
});

/**
 * The newest of every channel. Correlation asks at each step who is in trouble and how large a scope is: both are kept,
 * so that thousands of channels that are well are not passed over again.
 */
export class SeenChannels {
  readonly #all = new Map<ChannelId, Seen>();
  /** In trouble, or complaining while they play. */
  readonly #ailing = new Map<ChannelId, Seen>();
  /** Of groups and engines; undefined until one is asked for. */
  #sizes: ReadonlyMap<ScopeKey, number> | undefined;

  constructor(seen: Iterable<Seen> = []) {
    for (const one of seen) this.set(one);
  }

  set(one: Seen): void {
    const { ref, finding } = one;
    const before = this.#all.get(ref.id)?.ref;
    if (before?.group !== ref.group || before.engine !== ref.engine) this.#sizes = undefined;
    this.#all.set(ref.id, one);
    if (finding.trouble || finding.omen !== undefined) this.#ailing.set(ref.id, one);
    else this.#ailing.delete(ref.id);
  }

  delete(id: ChannelId): void {
    if (this.#all.delete(id)) this.#sizes = undefined;
    this.#ailing.delete(id);
  }

  get ailing(): readonly Seen[] {
    return [...this.#ailing.values()];
  }

  /** Those of the channels that are known. */
  of(ids: readonly ChannelId[]): readonly Seen[] {
    return ids.flatMap((id) => this.#all.get(id) ?? []);
  }

  /** How many channels a group, an engine or the fleet has. */
  sizeOf(scope: Scope): number {
    if (scope.kind === 'fleet') return this.#all.size;
    this.#sizes ??= counted(this.#all.values());
    return this.#sizes.get(keyOfScope(scope)) ?? 0;
  }
}

function counted(seen: Iterable<Seen>): ReadonlyMap<ScopeKey, number> {
  const sizes = new Map<ScopeKey, number>();
  for (const { ref } of seen) {
    for (const key of [`group:${ref.group}`, `engine:${ref.engine}`] as const)
      sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  return sizes;
}
