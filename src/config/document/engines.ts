/** Reads the engines of the configuration. */
import { addressOf, type EngineDocument, engineDocument } from '../../engine/documents.ts';
import { type SecretReference, secretOf } from '../../engine/secret_reference.ts';
import { formatDuration } from '../../core/document/duration.ts';
import type { Meaning } from '../validate.ts';
import type { Path } from '../yaml.ts';
import type { Environment } from './environment.ts';
import type { Reading } from './reading.ts';
import { Secret, secretFromEnvironment, secretFromFile } from './secret.ts';
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts';

/**
 * One engine with absolute paths. A secret in clear stays readable by name but is not enumerable, so no log, copy or
 * JSON of the configuration carries it.
 */
export type EngineConfig = EngineDocument;

interface Range {
  readonly key: string;
  readonly least: number;
  readonly most: number;
}

/** How far each duration of an engine may go: a look once a day sees nothing in time. */
const RANGES: readonly Range[] = [
  { key: 'poll', least: 100, most: MINUTE_MS },
  { key: 'timeout', least: 100, most: 2 * MINUTE_MS },
  { key: 'change_timeout', least: SECOND_MS, most: 15 * MINUTE_MS },
  { key: 'autorestart_grace', least: 1, most: 5 * MINUTE_MS },
  { key: 'stop_timeout', least: SECOND_MS, most: 10 * MINUTE_MS },
  { key: 'credentials_every', least: 10 * SECOND_MS, most: 60 * MINUTE_MS },
];
const HOST_EVERY: Range = { key: 'every', least: SECOND_MS, most: 5 * MINUTE_MS };

export function readEngines(reading: Reading): readonly EngineConfig[] {
  reading.unique('engines');
  const addresses = new Map<string, string>();
  return reading.entries('engines', engineDocument).map(({ path, value }) => {
    if (value.id === 'fleet') reading.note([...path, 'id'], 'the id fleet means everything', 'choose another id');
    const written = new Map<string, unknown>(Object.entries(value));
    for (const range of RANGES) within(reading, [...path, range.key], { range, ms: written.get(range.key) });
    if (value.host) within(reading, [...path, 'host', 'every'], { range: HOST_EVERY, ms: value.host.every });
    claimAddress(reading, path, { engine: value, addresses });
    for (const name of ['password', 'token'] as const) checkSecret(reading, path, { name, document: value });
    return resolved(reading, value);
  });
}

/** Two engines on one service could restart one process twice, each within its own limits. */
function claimAddress(
  reading: Reading,
  path: Path,
  { engine, addresses }: { engine: EngineDocument; addresses: Map<string, string> },
): void {
  const found = addressOf(engine);
  if (found === undefined) return;
  const { key, written } = found;
  const normal = { url: URL.parse(written)?.href, socket: reading.pathOf(written), manager: `systemd ${written}` };
  const address = normal[key] ?? '';
  const owner = addresses.get(address);
  if (owner === undefined) addresses.set(address, engine.id);
  else
    reading.note([...path, key], `the engine ${owner} has this address already`, 'put its channels under one engine');
}

function within(reading: Reading, path: Path, { range, ms }: { range: Range; ms: unknown }): void {
  if (typeof ms !== 'number' || (ms >= range.least && ms <= range.most)) return;
  const [least, most] = [formatDuration(range.least), formatDuration(range.most)];
  reading.note(
    path,
    `expected ${least} to ${most}, got ${formatDuration(ms)}`,
    `the nearest allowed value is ${ms < range.least ? least : most}`,
  );
}

type SecretName = 'password' | 'token';

function checkSecret(
  reading: Reading,
  path: Path,
  { name, document }: { name: SecretName; document: EngineDocument },
): void {
  const reference = secretOf(
    document as Readonly<Record<`${SecretName}${'' | '_env' | '_file'}`, string | undefined>>,
    name,
  );
  if (!reference) return;
  const keys = [
    [name, reference.clear],
    [`${name}_env`, reference.env],
    [`${name}_file`, reference.file],
  ].flatMap(([key, value]) => (key !== undefined && value !== undefined ? [key] : []));
  if (keys.length > 1)
    reading.note([...path, keys[1]!], `expected one of ${keys.join(', ')}, got ${keys.length}`, 'keep one');
  const meaning = secretAt(reference, reading);
  if ('no' in meaning) reading.note([...path, keys[0]!], meaning.no, meaning.hint);
}

/** The text behind a reference: in clear, from the environment, or from a file that only its owner may read. */
export function secretAt(
  reference: SecretReference,
  from: { readonly env: Environment; pathOf(written: string): string },
): Meaning<Secret> {
  if (reference.env !== undefined) return secretFromEnvironment(reference.env, from.env);
  if (reference.file !== undefined) return secretFromFile(from.pathOf(reference.file));
  return { ok: new Secret(reference.clear ?? '') };
}

const PATHS: ReadonlySet<string> = new Set(['socket', 'password_file', 'token_file']);

/** Paths made absolute; what is secret made invisible. */
function resolved(reading: Reading, document: EngineDocument): EngineConfig {
  const { host, logs } = document;
  const paths = Object.fromEntries(
    Object.entries(document).flatMap(([key, written]) =>
      PATHS.has(key) && typeof written === 'string' ? [[key, reading.pathOf(written)]] : [],
    ),
  );
  const engine = {
    ...document,
    ...paths,
    logs: logs.map((log) => ({ ...log, path: reading.pathOf(log.path) })),
    ...(host && { host: { ...host, disks: host.disks.map((disk) => reading.pathOf(disk)) } }),
  };
  for (const name of ['password', 'token'] as const) {
    const descriptor = Object.getOwnPropertyDescriptor(engine, name);
    if (descriptor?.value !== undefined) Object.defineProperty(engine, name, { ...descriptor, enumerable: false });
  }
  return engine as EngineConfig;
}
