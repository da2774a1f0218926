/** Which classifications share a cause over several channels, and which of them dominates. */
import { CLASSIFICATIONS, FAILURE_CLASSES, type FailureClass, type Family } from '../../core/classification.ts';

export const familyOf = (classification: FailureClass): Family | undefined => CLASSIFICATIONS[classification].family;

/** Families whose cause lies with the engine or its machine, not with a group of channels. */
export const OF_ENGINE: ReadonlySet<Family> = new Set<Family>(['observer', 'host']);
/** Families for which the whole of a small group is as telling as three of a large one. */
export const OF_WHOLE_GROUP: ReadonlySet<Family> = new Set<Family>(['observer', 'host', 'upstream']);
/** What the engine or a moment's patience may still mend. */
export const MENDS_ITSELF: ReadonlySet<Family> = new Set<Family>(['dead', 'stalled', 'unknown']);

/** The most frequent; between equals the one that comes first in precedence. */
export function dominating(classes: readonly FailureClass[]): FailureClass {
  const count = (one: FailureClass): number => classes.filter((other) => other === one).length;
  const ranked = FAILURE_CLASSES.filter((one) => classes.includes(one));
  return ranked.reduce((best, one) => (count(one) > count(best) ? one : best), ranked[0] ?? 'unknown');
}
