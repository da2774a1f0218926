/** Checks the vectors of a server: as many as texts, all of one length, all finite. */
import { z } from 'zod';

const DIMENSIONS_MAX = 8_192;

/** Rows of finite numbers. */
export const vectorRows = z.array(z.array(z.number()).min(1).max(DIMENSIONS_MAX));

/** The vectors where they fit the texts; undefined where they do not. */
export function fittingVectors(
  rows: readonly (readonly number[])[],
  texts: number,
): readonly (readonly number[])[] | undefined {
  const length = rows[0]?.length;
  return rows.length === texts && rows.every((row) => row.length === length) ? rows : undefined;
}
