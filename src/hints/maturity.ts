/** How far a cluster of hints is trusted, and how a person changes that. */

/** -1: demoted, never sent; 0: staging, sent with a mark; 1: production. */
export type Priority = -1 | 0 | 1;
/** The name of a priority, as statistics group by it. */
export type Bucket = 'demoted' | 'staging' | 'production';
/** A change by a step, or to a value. Both are whole numbers; the result is kept within -1 and 1. */
export type PriorityChange = { readonly delta: number } | { readonly priority: number };

/** A cluster without a priority is in production: bundles from before priorities existed stay usable. */
export const priorityOf = (stated: Priority | undefined): Priority => stated ?? 1;

/** The group of statistics that a priority belongs to. */
export function bucketOf(stated: Priority | undefined): Bucket {
  const priority = priorityOf(stated);
  return priority < 0 ? 'demoted' : priority === 0 ? 'staging' : 'production';
}

/** The priority after a change. Throws RangeError when the change is not a whole number. */
export function priorityAfter(stated: Priority | undefined, change: PriorityChange): Priority {
  const asked = 'delta' in change ? change.delta : change.priority;
  if (!Number.isSafeInteger(asked)) throw new RangeError(`priority: expected a whole number, got ${asked}`);
  const next = 'delta' in change ? priorityOf(stated) + asked : asked;
  return next <= -1 ? -1 : next >= 1 ? 1 : 0;
}
