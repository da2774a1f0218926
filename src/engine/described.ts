/** Capabilities of engines that the operator describes. */
import { ReeveError } from '../core/errors.ts';
import type { Capability } from '../core/tool.ts';

interface Describes {
  readonly recent_logs?: unknown;
  readonly restart?: unknown;
  readonly refresh?: unknown;
  readonly rebuild?: unknown;
  readonly cache?: unknown;
  readonly pool?: unknown;
  readonly list?: { readonly fields: { readonly viewers?: string | undefined } } | undefined;
}

/** What an engine that is described by its operator can do: exactly what he described. */
export function capabilitiesOf(document: Describes): ReadonlySet<Capability> {
  const has = new Set<Capability>(['observe']);
  if (document.recent_logs !== undefined) has.add('logs');
  if (document.restart !== undefined) has.add('restart');
  if (document.refresh !== undefined) has.add('credentials');
  if (document.rebuild !== undefined) has.add('rebuild');
  if (document.cache !== undefined) has.add('cache');
  if (document.pool !== undefined) has.add('pool');
  if (document.list?.fields.viewers !== undefined) has.add('viewers');
  return has;
}

/** The adapter has the verb only where the operator described it; asking for another is a refusal. */
export function configured<T>(part: T | undefined, key: string): T {
  if (part === undefined) throw new ReeveError('ENGINE_REFUSED', `the engine has no ${key} configured`);
  return part;
}
