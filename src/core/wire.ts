/**
 * The one border between camelCase code and the snake_case that people and other programs read.
 * Only the keys of plain objects are renamed, so no value that is data may be a key: use lists of `{name, value}`.
 */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const toSnake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toCamel = (key: string): string => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

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
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [change(key), rename(member, change)]),
  );
}

/** The same value always gives the same bytes: keys sorted, no white space. For hashes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}
