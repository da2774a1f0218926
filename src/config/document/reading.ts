/** The state of reading one configuration. */
import { resolve } from 'node:path';
import type { z } from 'zod';
import type { Problem } from '../../core/errors.ts';
import { valueAt } from '../shape.ts';
import { problemAt, type Source } from '../validate.ts';
import type { Path } from '../yaml.ts';
import type { Environment } from './environment.ts';

/** One configuration while it is being read: where it stands, what it may ask, and what is wrong with it so far. */
export class Reading {
  readonly source: Source;
  readonly directory: string;
  readonly env: Environment;
  readonly problems: Problem[] = [];

  constructor(source: Source, directory: string, env: Environment) {
    this.source = source;
    this.directory = directory;
    this.env = env;
  }

  note(path: Path, message: string, hint?: string): void {
    this.problems.push(problemAt(this.source, path, { message, hint }));
  }

  /** Relative paths of the file count from the file's own folder. */
  pathOf(written: string): string {
    return resolve(this.directory, written);
  }

  /** The text as the operator wrote it, before `${NAME}` was replaced. */
  writtenAt(path: Path): string {
    return this.source.written?.(path) ?? String(valueAt(this.source.value, path));
  }

  /**
   * The entries of a list that are sound in themselves, with their places. The others have their problems already;
   * leaving them out lets the rest be checked all the same.
   */
  entries<S extends z.ZodType>(
    key: string,
    schema: S,
  ): readonly { readonly path: Path; readonly value: z.output<S> }[] {
    const list = valueAt(this.source.value, [key]);
    if (!Array.isArray(list)) return [];
    return list.flatMap((item, index) => {
      const result = schema.safeParse(item);
      return result.success ? [{ path: [key, index], value: result.data }] : [];
    });
  }

  /** A part of the document where it is sound in itself. */
  part<S extends z.ZodType>(key: string, schema: S): z.output<S> | undefined {
    const result = schema.safeParse(valueAt(this.source.value, [key]));
    return result.success ? result.data : undefined;
  }

  /** Whether the file has the key at all, sound or not. */
  isWritten(key: string): boolean {
    return valueAt(this.source.value, [key]) !== undefined;
  }

  /**
   * Every id that some entry of the list claims, sound or not: enough to distinguish a typing error from a broken
   * entry.
   */
  idsOf(key: string): ReadonlySet<string> {
    const list = valueAt(this.source.value, [key]);
    const ids = Array.isArray(list) ? list.map((item) => valueAt(item, ['id'])) : [];
    return new Set(ids.filter((id) => typeof id === 'string'));
  }

  /** Says so where an id stands a second time. */
  unique(key: string): void {
    const list = valueAt(this.source.value, [key]);
    const first = new Map<unknown, number>();
    for (const [index, item] of (Array.isArray(list) ? list : []).entries()) {
      const id = valueAt(item, ['id']);
      if (typeof id !== 'string') continue;
      const line = first.has(id) ? this.source.at([key, first.get(id) ?? 0, 'id']).line : 0;
      if (first.has(id))
        this.note([key, index, 'id'], `the id ${id} stands here a second time`, `the first is in line ${line}`);
      else first.set(id, index);
    }
  }
}
