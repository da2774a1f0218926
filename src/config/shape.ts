/** Looks up keys and descriptions in a schema, and values in a document. */
import type { z } from 'zod';
import type { Path } from './yaml.ts';

/** As much of a zod definition as is needed to walk it. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly keyType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  /** The key that says which option of a union holds. */
  readonly discriminator?: string;
  readonly items?: readonly z.core.$ZodType[];
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
}

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as Definition;

export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const segment of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, segment)) return undefined;
    found = (found as Record<string | number, unknown>)[segment];
  }
  return found;
}

/** The schemas that may hold at a path: several where a union stands on the way that the value does not decide. */
function schemasAt(root: z.core.$ZodType, path: Path, value: unknown): readonly z.core.$ZodType[] {
  let found = opened(root, value);
  let here = value;
  for (const segment of path) {
    here = valueAt(here, [segment]);
    found = found.flatMap((schema) => members(schema, segment)).flatMap((schema) => opened(schema, here));
  }
  return found;
}

/** The keys that a mapping at the path may have; of a union that goes by kind, those of the kind that `value` names. */
export function keysAt(root: z.core.$ZodType, path: Path, value?: unknown): readonly string[] {
  const keys = schemasAt(root, path, value).flatMap((schema) => {
    const { type, shape, keyType } = definitionOf(schema);
    if (type === 'record' && keyType) return opened(keyType).flatMap(optionsOf);
    return type === 'object' ? Object.keys(shape ?? {}) : [];
  });
  return [...new Set(keys)];
}

/** What editors show for the value at the path: its description, of the kind that `value` names. */
export function descriptionAt(root: z.core.$ZodType, path: Path, value?: unknown): string | undefined {
  let schema: z.core.$ZodType | undefined = root;
  let here = value;
  for (const segment of path) {
    schema = schema && opened(schema, here).flatMap((open) => members(open, segment))[0];
    here = valueAt(here, [segment]);
  }
  while (schema) {
    const { description } = schema as z.ZodType;
    if (description !== undefined) return description;
    const { innerType, in: inner } = definitionOf(schema);
    schema = innerType ?? inner;
  }
  return undefined;
}

/** Optional, default, pipe and the like hide the schema that says something; a union opens into its options. */
function opened(schema: z.core.$ZodType, value?: unknown): readonly z.core.$ZodType[] {
  const { type, options = [], discriminator, innerType, in: input } = definitionOf(schema);
  if (type === 'union') {
    const all = options.flatMap((option) => opened(option, value));
    const named = all.filter((option) => discriminator !== undefined && isNamed(option, discriminator, value));
    return named.length > 0 ? named : all;
  }
  const inner = innerType ?? input;
  return inner ? opened(inner, value) : [schema];
}

/** The value says by this key that the option holds. */
function isNamed(option: z.core.$ZodType, key: string, value: unknown): boolean {
  const kind = ownMember(definitionOf(option).shape, key);
  const named = valueAt(value, [key]);
  return kind !== undefined && typeof named === 'string' && optionsOf(kind).includes(named);
}

function members(schema: z.core.$ZodType, segment: string | number): readonly z.core.$ZodType[] {
  const definition = definitionOf(schema);
  const member =
    definition.type === 'object'
      ? ownMember(definition.shape, String(segment))
      : (definition.element ?? definition.items?.[Number(segment)] ?? definition.valueType);
  return member ? [member] : [];
}

const ownMember = (shape: Definition['shape'], key: string): z.core.$ZodType | undefined =>
  shape && Object.hasOwn(shape, key) ? shape[key] : undefined;

function optionsOf(schema: z.core.$ZodType): readonly string[] {
  const { type, entries, values } = definitionOf(schema);
  if (type === 'enum') return Object.values(entries ?? {}).map(String);
  return type === 'literal' ? (values ?? []).map(String) : [];
}
