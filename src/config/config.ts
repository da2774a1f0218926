/** Loads the main configuration with defaults, flags and environment. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import type { Phase } from '../core/control.ts';
import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import { messageOf, type Problem } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { PersonaId } from '../core/persona.ts';
import type { Route } from '../escalate/routes.ts';
import { type ChannelConfig, type ChannelDraft, readChannels } from './document/channels.ts';
import { type CollectorsConfig, readCollectors } from './document/collectors.ts';
import { crossCheck, type LogSourceConfig, readSources } from './document/cross_checks.ts';
import { type ConfigDocument, configDocument, journalPart, type LOG_LEVELS } from './document/document.ts';
import { type EngineConfig, readEngines } from './document/engines.ts';
import { type Environment, expanded, type Flags, type Origin, overridden } from './document/environment.ts';
import { type GroupConfig, readGroups } from './document/groups.ts';
import { fleetCapRisks } from './document/fleet_cap.ts';
import { type AcceptedRisk, limitsDocument, limitsFrom } from './document/limits.ts';
import { FOLDER_NAMES, findConfigFile, folderOf, type FolderName, stateDirectory } from './document/paths.ts';
import { type ModelsConfig, type PlannerConfig, readModels, readPlanner } from './document/models.ts';
import { exposureOf } from './document/exposure.ts';
import { type HintsConfig, hintsOf } from './document/hints.ts';
import { type HttpConfig, readHttp } from './document/http.ts';
import { type ReceiverConfig, readReceivers } from './document/receivers.ts';
import { Reading } from './document/reading.ts';
import { type HeartbeatConfig, heartbeatPart, readHeartbeat } from './document/heartbeat.ts';
import { readWitness, type WitnessConfig } from './document/witness.ts';
import { readRoutes } from './document/routes.ts';
import { inOrder, type Source, validate } from './validate.ts';
import { bounded, type ParsedYaml, parseYaml } from './yaml.ts';

export type { ChannelConfig, OutputProbe, SourceProbe } from './document/channels.ts';
export type { CollectorsConfig, PrometheusConfig } from './document/collectors.ts';
export type { LogSourceConfig } from './document/cross_checks.ts';
export type { EngineConfig } from './document/engines.ts';
export type { Environment, Flags, Origin } from './document/environment.ts';
export type { Address } from './document/fields.ts';
export type { GroupConfig } from './document/groups.ts';
export type { AcceptedRisk } from './document/limits.ts';
export type { ModelBudget, ModelName, ModelsConfig, ModelServerConfig, PlannerConfig } from './document/models.ts';
export type { ReceiverConfig } from './document/receivers.ts';
export { secretAt } from './document/engines.ts';
export { Secret } from './document/secret.ts';

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Everything that was configured, with every default, path and reference settled. Frozen. Times are milliseconds. */
export interface Config {
  readonly file: string;
  /** Of everything else here; secrets do not count. */
  readonly sha256: string;
  readonly stateDirectory: string;
  readonly http: HttpConfig;
  /** What is allowed and dangerous. */
  readonly warnings: readonly Problem[];
  readonly metricsPrefix: string;
  /** Until a person sets one. */
  readonly phase: Phase;
  readonly persona: PersonaId;
  readonly folders: Readonly<Record<FolderName, string>>;
  readonly limits: Limits;
  /** Limits that permit more than the default, by the operator's explicit order. */
  readonly acceptedRisks: readonly AcceptedRisk[];
  readonly engines: readonly EngineConfig[];
  /** Every group that has channels. */
  readonly groups: readonly GroupConfig[];
  readonly channels: readonly ChannelConfig[];
  readonly sources: readonly LogSourceConfig[];
  /** Ways in besides files and probes. */
  readonly collectors: CollectorsConfig;
  readonly receivers: readonly ReceiverConfig[];
  /** None: every receiver hears of every page. */
  readonly routes: readonly Route[];
  /** Undefined: no model is configured, and nothing is loaded for one. */
  readonly models: ModelsConfig | undefined;
  readonly planner: PlannerConfig;
  readonly escalation: {
    readonly repeatEveryMs: number;
    /** Undefined: as long as the rules for `upstream_unavailable` say. */
    readonly upstreamAfterMs: number | undefined;
  };
  /** Undefined: nobody elsewhere is told that Reeve lives. */
  readonly heartbeat: HeartbeatConfig | undefined;
  readonly journal: { readonly keepMs: number; readonly witness: WitnessConfig };
  readonly memory: { readonly enabled: boolean; readonly reflectEveryMs: number; readonly rephraseInsights: boolean };
  readonly hints: HintsConfig;
  readonly log: { readonly level: LogLevel };
  /** Values that do not come from the file. */
  readonly origins: readonly Origin[];
}

export interface LoadConfig {
  /** Read this file; else look where `findConfigFile` looks. */
  readonly file?: string | undefined;
  readonly flags?: Flags;
  readonly env?: Environment;
  readonly cwd?: string;
}

export type LoadedConfig =
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config: undefined; readonly problems: readonly Problem[] };

const STANDARD = {
  metricsPrefix: 'reeve_',
  persona: 'system_admin',
  repeatEveryMs: 4 * HOUR_MS,
  keepMs: 30 * DAY_MS,
  reflectEveryMs: HOUR_MS,
} as const;

/**
 * Reads the configuration: flags go before `REEVE_…` variables, these before the file, and this before the defaults.
 * Either everything is sound, or nothing is used and every problem is reported at once.
 */
export function loadConfig(options: LoadConfig = {}): LoadedConfig {
  const { flags = {}, env = process.env, cwd = process.cwd() } = options;
  const found = options.file ?? findConfigFile(flags, env, cwd);
  if (found === undefined) return refused([noFile(resolve(cwd, 'config/reeve.yaml'))]);
  const file = resolve(cwd, found);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (thrown) {
    const message = `expected a readable file: ${messageOf(thrown)}`;
    return refused([{ file, line: 1, column: 1, path: '', message, hint: 'reeve init writes a first one' }]);
  }
  return configFrom(parseYaml(file, bytes), { flags, env, cwd });
}

const refused = (problems: readonly Problem[]): LoadedConfig => ({
  config: undefined,
  problems: bounded(inOrder(problems)),
});

const noFile = (file: string): Problem => ({
  file,
  line: 1,
  column: 1,
  path: '',
  message: 'there is no configuration, neither here nor in /etc/reeve',
  hint: 'reeve init writes a first one; --config names another place',
});

/** The configuration in a file that was read already. `parsed.file` is absolute. */
export function configFrom(
  parsed: ParsedYaml,
  { flags, env, cwd }: { flags: Flags; env: Environment; cwd: string },
): LoadedConfig {
  if (parsed.value === undefined) return refused(parsed.problems);
  const plain = expanded(parsed, env);
  const { value, origins } = overridden(plain.value, flags, env);
  const isOverridden = new Set(origins.map(({ path }) => path));
  const source: Source = {
    file: parsed.file,
    at: parsed.at,
    value,
    spelled: (path) => (isOverridden.has(path.join('.')) ? undefined : parsed.spelled?.(path)),
    written: (path) => (isOverridden.has(path.join('.')) ? undefined : plain.written?.(path)),
  };
  const reading = new Reading(source, dirname(parsed.file), env);
  const whole = validate(configDocument, source);
  const parts = readParts(reading);
  const known = [...whole.problems, ...reading.problems].filter(({ path }) => !plain.unresolved.has(path));
  const problems = [...parsed.problems, ...plain.problems, ...known];
  if (!whole.ok || problems.length > 0) return refused(relocated(problems, origins));
  const warnings = relocated(exposureOf(reading, parts.http, systemClock.now()), origins);
  const config = assembled(whole.value, { parts, warnings, file: parsed.file, origins, flags, env, cwd });
  return { config: deepFreeze(config), problems: [] };
}

/** A value from a flag or a variable has no line in the file. */
const relocated = (problems: readonly Problem[], origins: readonly Origin[]): readonly Problem[] =>
  problems.map((problem) => {
    const origin = origins.find(({ path }) => path === problem.path);
    return origin ? { ...problem, file: origin.from, line: 1, column: 1 } : problem;
  });

interface Parts {
  readonly limits: Limits;
  readonly risks: readonly AcceptedRisk[];
  readonly engines: readonly EngineConfig[];
  readonly drafts: readonly ChannelDraft[];
  readonly groups: readonly GroupConfig[];
  readonly sources: readonly LogSourceConfig[];
  readonly collectors: CollectorsConfig;
  readonly receivers: readonly ReceiverConfig[];
  readonly routes: readonly Route[];
  readonly http: HttpConfig;
  readonly witness: WitnessConfig;
  readonly heartbeat: HeartbeatConfig | undefined;
  readonly models: ModelsConfig | undefined;
  readonly planner: PlannerConfig;
}

/** The parts that lean on each other, as far as each is sound: so that one broken entry hides no other problem. */
function readParts(reading: Reading): Parts {
  const chosen = reading.part('limits', limitsDocument) ?? {};
  const { limits, risks: accepted } = limitsFrom(chosen);
  const engines = readEngines(reading);
  const drafts = readChannels(reading);
  const risks = [...accepted, ...fleetCapRisks(reading, chosen, drafts.length)];
  const groups = readGroups(reading, drafts);
  const sources = readSources(reading, { drafts, engines });
  const collectors = readCollectors(reading, { drafts, limits });
  const receivers = readReceivers(reading);
  const routes = readRoutes(reading, new Set(drafts.map(({ group }) => group)));
  const models = readModels(reading);
  const planner = readPlanner(reading, models);
  const http = readHttp(reading);
  crossCheck(reading, { limits, drafts, engines });
  const parts = { limits, risks, engines, drafts, groups, sources, collectors, receivers, routes };
  const witness = readWitness(reading, reading.part('journal', journalPart)?.witness);
  const heartbeat = readHeartbeat(reading, reading.part('heartbeat', heartbeatPart));
  return { ...parts, http, witness, heartbeat, models, planner };
}

interface Assembly {
  readonly parts: Parts;
  readonly warnings: readonly Problem[];
  readonly file: string;
  readonly origins: readonly Origin[];
  readonly flags: Flags;
  readonly env: Environment;
  readonly cwd: string;
}

function assembled(document: ConfigDocument, assembly: Assembly): Config {
  const { parts, file, flags, env, cwd } = assembly;
  const persona = document.persona ?? STANDARD.persona;
  const ofGroup = new Map(parts.groups.map((group) => [group.id, group.persona]));
  const written = document.state;
  const state = stateDirectory({ flags, env, cwd, file, written, isRoot: process.getuid?.() === 0 });
  const origins = state.origin ? [...assembly.origins, state.origin] : assembly.origins;
  const { escalation, journal, memory, log } = document;
  const settled: Omit<Config, 'sha256' | 'warnings'> = {
    file,
    stateDirectory: state.directory,
    http: parts.http,
    metricsPrefix: document.metrics_prefix ?? STANDARD.metricsPrefix,
    phase: document.phase ?? 0,
    persona,
    folders: foldersOf(document, assembly),
    limits: parts.limits,
    acceptedRisks: parts.risks,
    engines: parts.engines,
    groups: parts.groups,
    channels: parts.drafts.map(({ path: _, ...draft }) => ({
      ...draft,
      persona: draft.persona ?? ofGroup.get(draft.group) ?? persona,
    })),
    sources: parts.sources,
    collectors: parts.collectors,
    receivers: parts.receivers,
    routes: parts.routes,
    models: parts.models,
    planner: parts.planner,
    escalation: {
      repeatEveryMs: escalation?.repeat_every ?? STANDARD.repeatEveryMs,
      upstreamAfterMs: escalation?.upstream_after,
    },
    heartbeat: parts.heartbeat,
    journal: { keepMs: journal?.keep ?? STANDARD.keepMs, witness: parts.witness },
    memory: {
      enabled: memory?.enabled ?? false,
      reflectEveryMs: memory?.reflect_every ?? STANDARD.reflectEveryMs,
      rephraseInsights: memory?.word_insights ?? false,
    },
    hints: hintsOf(document.hints, { file, state: state.directory }),
    log: { level: log?.level ?? 'info' },
    origins,
  };
  return {
    ...settled,
    warnings: assembly.warnings,
    sha256: createHash('sha256').update(JSON.stringify(settled)).digest('hex'),
  };
}

function foldersOf(document: ConfigDocument, { file, origins, cwd }: Assembly): Config['folders'] {
  const folder = (name: FolderName): [FolderName, string] => {
    const from = origins.some(({ path }) => path === name) ? cwd : dirname(file);
    return [name, folderOf(name, { file, written: document[name], from })];
  };
  return Object.fromEntries(FOLDER_NAMES.map(folder)) as Record<FolderName, string>;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
