/** How seldom a channel may be looked at while nothing is in doubt. */
import { OWN_LOOK_MS } from '../../collect/probes/origins.ts';

export const OUTPUT_CALM_MS = 12_000;
export const SOURCE_CALM_MS = 15_000;

/** The longest time between two looks at a channel while nothing is in doubt; undefined: at its own pace. */
export interface CalmPaces {
  readonly outputCalmEveryMs: number | undefined;
  readonly sourceCalmEveryMs: number | undefined;
}

/** A channel's looks, as it is configured. */
interface Looks {
  readonly output: { readonly calmEveryMs: number } | undefined;
  readonly source: { readonly everyMs: number; readonly calmEveryMs: number } | undefined;
}

/** A source that shares its origin may rest longer than its own pace. */
export const calmPacesOf = ({ output, source }: Looks): CalmPaces => ({
  outputCalmEveryMs: output?.calmEveryMs,
  sourceCalmEveryMs:
    source && (source.calmEveryMs > source.everyMs ? Math.max(source.calmEveryMs, OWN_LOOK_MS) : undefined),
});

/** Those of a channel whose configuration says nothing of them. */
export const DEFAULT_CALM_PACES: CalmPaces = {
  outputCalmEveryMs: OUTPUT_CALM_MS,
  sourceCalmEveryMs: Math.max(SOURCE_CALM_MS, OWN_LOOK_MS),
};
