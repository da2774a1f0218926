/** Converts between camelCase in code and snake_case on the wire. */

/**
 * The one border between camelCase code and the snake_case that people and other programs read.
 * Only the keys of plain objects are renamed, so no value that is data may be a key: use lists of `{name, value}`.
 */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Keys are few and come again and again; a stranger's keys must not fill the memory, so it is bounded. */
const KEYS_REMEMBERED_MAX = 4_096;

function remembering(change: (key: string) => string): (key: string) => string {
  const known = new Map<string, string>();
  return (key) => {
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const changed = change(key);
    if (known.size < KEYS_REMEMBERED_MAX) known.set(key, changed);
    return changed;
  };
}

/** `lastAction` as `last_action`. */
export const toSnake = remembering((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const toCamel = remembering((key) => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
const quoted = remembering((key) => JSON.stringify(key));

/** camelCase keys to snake_case, all the way down. `undefined` members are left out. */
export function toWire(value: unknown): Json {
  return rename(value, toSnake);
}

/** snake_case keys to camelCase, all the way down. */
export function fromWire<T>(value: unknown): T {
  return rename(value, toCamel) as T;
}

function rename(value: unknown, change: (key: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => rename(item, change));
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
  const renamed: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (member !== undefined) put(renamed, change(key), rename(member, change));
  }
  return renamed;
}

/** A stranger's `__proto__` is a member like any other. */
function put(members: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(members, key, { value, enumerable: true, writable: true, configurable: true });
  else members[key] = value;
}

/** The same value always gives the same bytes: keys sorted, no white space. For hashes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members: string[] = [];
  const named = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(named).sort()) {
    if (named[key] !== undefined) members.push(`${quoted(key)}:${canonicalJson(named[key])}`);
  }
  return `{${members.join(',')}}`;
}
