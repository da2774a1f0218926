/** The SQLite settings of the journal. */
import type { DatabaseSync } from 'node:sqlite';
import { ReeveError } from '../core/errors.ts';

/** One PRAGMA: what is asked for, and what must come back. */
export interface Setting {
  readonly pragma: string;
  readonly value: string | number;
}

const COMMON: readonly Setting[] = [
  { pragma: 'journal_mode', value: 'wal' },
  { pragma: 'foreign_keys', value: 1 },
  { pragma: 'trusted_schema', value: 0 },
  { pragma: 'cell_size_check', value: 1 },
  { pragma: 'mmap_size', value: 0 },
  { pragma: 'busy_timeout', value: 5_000 },
  { pragma: 'wal_autocheckpoint', value: 1_000 },
  { pragma: 'journal_size_limit', value: 64 * 1024 * 1024 },
];

/** A commit is on the disk when it returns, also on macOS, where a plain fsync is not enough. */
export const DURABLE: readonly Setting[] = [
  ...COMMON,
  { pragma: 'synchronous', value: 2 },
  { pragma: 'fullfsync', value: 1 },
  { pragma: 'checkpoint_fullfsync', value: 1 },
];

/** Whole after a crash, but the last commits may be gone after a power cut. */
export const RELAXED: readonly Setting[] = [...COMMON, { pragma: 'synchronous', value: 1 }];

/** Readers must not change anything; they only wait for locks and stay on the safe side. */
export const READING: readonly Setting[] = COMMON.filter(({ pragma }) =>
  ['trusted_schema', 'cell_size_check', 'mmap_size', 'busy_timeout'].includes(pragma),
);

const SQLITE_VERSION_MIN = '3.51.3';

/** Before 3.51.3 a reset of the WAL could corrupt a database that several connections use. */
export function refuseOldSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [majorMin = 0, minorMin = 0, patchMin = 0] = SQLITE_VERSION_MIN.split('.').map(Number);
  const order = major - majorMin || minor - minorMin || patch - patchMin;
  if (order >= 0) return;
  throw new ReeveError('JOURNAL_UNWRITABLE', `SQLite is ${version}; expected ${SQLITE_VERSION_MIN} or newer`, {
    hint: 'Use a newer Node: older SQLite can corrupt the journal.',
  });
}

export function versionOf(db: DatabaseSync): string {
  return String(pragmaValue(db.prepare('SELECT sqlite_version() AS version').get()));
}

/** Sets every PRAGMA and reads each one back. Throws JOURNAL_UNWRITABLE when one did not take. */
export function applySettings(db: DatabaseSync, settings: readonly Setting[]): void {
  refuseOldSqlite(versionOf(db));
  for (const { pragma, value } of settings) db.exec(`PRAGMA ${pragma} = ${value}`);
  refuseWeakSettings(db, settings);
}

/** The start-up self-check: SQLite ignores a PRAGMA that it cannot honour, so each one is asked. */
export function refuseWeakSettings(db: DatabaseSync, settings: readonly Setting[]): void {
  const weak = settings
    .map(({ pragma, value }) => ({ pragma, value, found: pragmaValue(db.prepare(`PRAGMA ${pragma}`).get()) }))
    .filter(({ value, found }) => found !== value)
    .map(({ pragma, value, found }) => `${pragma} is ${found}, expected ${value}`);
  if (weak.length === 0) return;
  throw new ReeveError('JOURNAL_UNWRITABLE', `SQLite did not accept safe settings: ${weak.join('; ')}`, {
    hint: 'The state directory must be on a local disk that supports WAL and shared memory.',
  });
}

const pragmaValue = (row: Record<string, unknown> | undefined): unknown => Object.values(row ?? {})[0];
