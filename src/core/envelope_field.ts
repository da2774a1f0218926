/** How one row of the envelope's table becomes a type, a form on the wire, a fact of rules and a line of the prompt. */
import { toSnake } from './wire.ts';

/** What a rule can test. A list holds when any of its members does; absent holds for nothing. */
export type FactValue = string | number | boolean;

/** In the order in which the schema lists the facts. */
const FACT_KINDS = ['text', 'number', 'milliseconds', 'truth'] as const;
export type FactKind = (typeof FACT_KINDS)[number];
interface ValueOfKind {
  readonly text: string;
  readonly number: number;
  readonly milliseconds: number;
  readonly truth: boolean;
}

interface FieldFact<Value> {
  readonly kind: FactKind;
  /** Left out: the name of the field on the wire. */
  readonly name?: string;
  /** The only values it can have, where they are few. */
  readonly values?: readonly string[];
  /** False: only the index of rules looks at it. */
  readonly inRules?: false;
  read(value: Value): readonly (FactValue | undefined)[];
}

interface FieldRow<Value> {
  /** What is not known is null on the wire, so that a reader can distinguish it from what was not asked. */
  readonly nullable?: true;
  /** Left out: no rule can test it. */
  readonly fact?: FieldFact<Value>;
  /** How a planner reads it. Left out: no planner ever sees it. */
  prompt?(value: Value | undefined): string;
}

/** Never there at run time. */
declare const VALUE: unique symbol;
export interface Field<Value> extends FieldRow<Value> {
  readonly [VALUE]: Value;
}
/** Absent where it does not hold. */
export interface OptionalField<Value> extends Field<Value> {
  readonly optional: true;
}
/** Counted from what happened before; who takes the envelope hands it in. */
export interface HistoryField<Value> extends Field<Value> {
  readonly history: true;
}

export const field = <Value>(row: FieldRow<Value> = {}) => row as Field<Value>;
export const optional = <Value>(row: FieldRow<Value> = {}) => ({ ...row, optional: true }) as OptionalField<Value>;
export const history = <Value>(row: FieldRow<Value>) => ({ ...row, history: true }) as HistoryField<Value>;

type ValueOf<Row> = Row extends Field<infer Value> ? Value : never;
export type ValuesOf<Rows> = {
  readonly [Name in keyof Rows as Rows[Name] extends OptionalField<unknown> ? never : Name]: ValueOf<Rows[Name]>;
} & {
  readonly [Name in keyof Rows as Rows[Name] extends OptionalField<unknown> ? Name : never]?: ValueOf<Rows[Name]>;
};
export type HistoryOf<Rows> = {
  readonly [Name in keyof Rows as Rows[Name] extends HistoryField<unknown> ? Name : never]: ValueOf<Rows[Name]>;
};

/** A fact that is the value of the field itself. */
export const own = <Kind extends FactKind>(
  kind: Kind,
  values?: readonly string[],
): FieldFact<ValueOfKind[Kind] | undefined> => ({
  kind,
  read: (value) => [value],
  ...(values === undefined ? {} : { values }),
});

export const known = (value: unknown): string => (value === undefined ? 'unknown' : String(value));

export interface NamedField<Key> {
  readonly key: Key;
  /** On the wire. */
  readonly name: string;
  readonly row: Field<unknown>;
}

/** Every row with its name, as in the table. */
export const fieldsOf = <Rows extends object>(rows: Rows): readonly NamedField<keyof Rows>[] =>
  Object.entries(rows).map(([key, row]) => ({
    key: key as keyof Rows,
    name: toSnake(key),
    row: row as Field<unknown>,
  }));

/** By the kind of their facts, and within a kind as in the table. */
export function fieldsByKind<Rows extends object>(rows: Rows): readonly NamedField<keyof Rows>[] {
  const place = ({ row }: NamedField<keyof Rows>): number =>
    row.fact === undefined ? FACT_KINDS.length : FACT_KINDS.indexOf(row.fact.kind);
  return fieldsOf(rows).toSorted((a, b) => place(a) - place(b));
}
