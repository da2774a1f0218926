/** How the command line reaches the memory. */
import { ReeveError } from '../core/errors.ts';
import type { MemoryReads } from '../memory/api.ts';
import { plain } from './output.ts';

/** How the commands reach the memory; the caller closes it. */
export interface MemoryAccess {
  open(): Promise<OpenMemory>;
  rebuild(): Promise<RebuiltShown>;
}

export interface OpenMemory extends Disposable {
  readonly face: MemoryReads;
  /** Ids that begin with this text. */
  resolve(prefix: string): readonly string[];
}

export interface RebuiltShown {
  readonly entries: number;
  readonly hash: string;
  readonly hashBefore: string | undefined;
  readonly replaced: boolean;
  readonly insightsKept: number;
}

/** The node of this id or of the only id that begins so. */
export function oneId(open: OpenMemory, prefix: string): string {
  const found = open.resolve(prefix);
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new ReeveError('USAGE', `there is no node ${plain(prefix)}`, { hint: 'reeve memory list' });
  throw new ReeveError('USAGE', `${plain(prefix)} is the beginning of several: ${found.map(plain).join(', ')}`);
}
