/** Finds the configured log that a recorded file is, or is a copy of. */
import { anyOf, isGlob } from '../collect/tail/glob.ts';
import type { TailSource } from '../collect/tail/types.ts';

/**
 * What follows this very path; else what follows a path that ends like it for longest, for recordings are copied to
 * other places. Undefined where it is not known whose it is: each channel may have a log of the same name.
 */
export function followedAs<Source extends TailSource>(path: string, followed: readonly Source[]): Source | undefined {
  const same = followed.find((one) => anyOf([one.path])(path));
  if (same !== undefined) return same;
  const alike = followed.map((one) => ({ one, length: commonEnd(path, one.path) }));
  const longest = Math.max(0, ...alike.map(({ length }) => length));
  const [first, ...others] = alike.filter(({ length }) => length > 0 && length === longest).map(({ one }) => one);
  return first !== undefined && others.every((one) => ownerOf(one) === ownerOf(first)) ? first : undefined;
}

const ownerOf = ({ id, channel }: TailSource): string => channel ?? id.replace(/#\d+$/, '');

/** How many of the last names of two paths are the same. What a rotation adds to the last one does not matter. */
function commonEnd(path: string, followed: string): number {
  if (isGlob(followed)) return 0;
  const [names, others] = [path.replace(/(?:\.\d+)+$/, ''), followed].map((one) => one.split('/').reverse());
  const end = names!.findIndex((name, at) => name !== others![at]);
  return end === -1 ? names!.length : end;
}
