/** What of a changed configuration takes effect at once, and what at the next start. */
import { ACTING_PHASE } from '../core/control.ts';
import type { Problem } from '../core/errors.ts';
import { canonicalJson } from '../core/wire.ts';
import type { ChannelConfig, Config, EngineConfig, GroupConfig } from './config.ts';
import type { Configuration } from './load.ts';

/**
 * What takes effect at a reload. Everything else is built into running parts (connections, probes, listeners, the
 * journal) and waits for the next start: a page on its way to a receiver that vanishes would be lost.
 */
export const APPLIED_AT_ONCE = [
  'personas',
  'rules',
  'patterns',
  'limits',
  'phase',
  'persona',
  'planner',
  'escalation',
  'log',
] as const;

/** What waits for the next start, by the key of the configuration file. */
export const NEEDS_RESTART = [
  'engines',
  'channels',
  'groups',
  'sources',
  'intake',
  'syslog',
  'journald',
  'prometheus',
  'receivers',
  'routes',
  'heartbeat',
  'models',
  'http',
  'metrics_prefix',
  'state',
  'journal',
  'memory',
  'hints',
] as const;

export interface Reloaded {
  /** What runs from now on: the new values of what applies at once, the old ones of everything else. */
  readonly configuration: Configuration;
  /** Names from `APPLIED_AT_ONCE` that differ. */
  readonly applied: readonly string[];
  /** Names from `NEEDS_RESTART` that differ: they are sound, and take effect at the next start. */
  readonly needsRestart: readonly string[];
}

const differs = (a: unknown, b: unknown): boolean => canonicalJson(a) !== canonicalJson(b);

/** Puts a newly read set over the running one; pure. */
export function merged(running: Configuration, read: Configuration): Reloaded {
  const [old, fresh] = [running.config, read.config];
  const persona = new Map(fresh.channels.map((channel) => [channel.id, channel.persona]));
  const config: Config = Object.freeze({
    ...old,
    sha256: fresh.sha256,
    phase: fresh.phase,
    persona: fresh.persona,
    folders: fresh.folders,
    limits: fresh.limits,
    acceptedRisks: fresh.acceptedRisks,
    planner: fresh.planner,
    escalation: fresh.escalation,
    log: fresh.log,
    channels: Object.freeze(old.channels.map((channel) => reassigned(channel, persona.get(channel.id)))),
    groups: Object.freeze(old.groups.map((group) => regrouped(fresh, group))),
  });
  const applied: Record<(typeof APPLIED_AT_ONCE)[number], boolean> = {
    personas: differs(running.personas, read.personas),
    rules: differs(running.rules, read.rules),
    patterns: differs(valuesOf(running), valuesOf(read)),
    limits: differs(old.limits, fresh.limits),
    phase: differs(phases(old), phases(config)),
    persona: differs(assignments(old), assignments(config)),
    planner: differs(old.planner, fresh.planner),
    escalation: differs(old.escalation, fresh.escalation),
    log: differs(old.log, fresh.log),
  };
  return {
    configuration: Object.freeze({ ...read, config }),
    applied: APPLIED_AT_ONCE.filter((name) => applied[name]),
    needsRestart: NEEDS_RESTART.filter((name) => differs(RESTART_VIEWS[name](old), RESTART_VIEWS[name](fresh))),
  };
}

const reassigned = (channel: ChannelConfig, persona: string | undefined): ChannelConfig =>
  persona === undefined ? channel : Object.freeze({ ...channel, persona });

/** A group that left the file runs on until the next start, as it was. */
const regrouped = (fresh: Config, group: GroupConfig): GroupConfig => {
  const read = fresh.groups.find(({ id }) => id === group.id);
  return read === undefined ? group : Object.freeze({ ...group, persona: read.persona, phase: read.phase });
};

/** Of channels, of groups as a whole, and of what has none of its own: an engine. */
const assignments = ({ channels, groups, persona }: Config) => [
  ...channels.map(({ id, persona: own }) => [id, own]),
  ...groups.map(({ id, persona: own }) => [id, own]),
  persona,
];
/** They hold where no person has set one with `reeve phase`. */
const phases = ({ groups, phase }: Config) => [...groups.map(({ id, phase: own }) => [id, own]), phase];
const valuesOf = ({ patterns }: Configuration) => patterns.map(({ file, value }) => [file, value]);

/** What of the configuration stands behind each name; what applies at once is not part of it. */
const RESTART_VIEWS: Readonly<Record<(typeof NEEDS_RESTART)[number], (config: Config) => unknown>> = {
  engines: ({ engines }) => engines.map((engine) => [engine, clearSecretsOf(engine)]),
  channels: ({ channels }) => channels.map(({ persona: _, ...rest }) => rest),
  groups: ({ groups }) => groups.map(({ id }) => id),
  sources: ({ sources }) => sources,
  intake: ({ collectors: { intake } }) => [intake, intake.tokens.map(({ token }) => token.reveal())],
  syslog: ({ collectors: { syslog } }) => syslog,
  journald: ({ collectors: { journald } }) => journald,
  prometheus: ({ collectors: { prometheus } }) => prometheus.map((each) => [each, each.token?.reveal()]),
  receivers: ({ receivers }) => receivers.map((each) => [each, Object.values(each.secrets).map((one) => one.reveal())]),
  routes: ({ routes }) => routes,
  heartbeat: ({ heartbeat }) => [heartbeat, heartbeat?.url.reveal()],
  models: ({ models }) => [models, models?.servers.map(({ key }) => key?.reveal())],
  http: ({ http }) => [http, http.metricsToken?.reveal()],
  metrics_prefix: ({ metricsPrefix }) => metricsPrefix,
  state: ({ stateDirectory }) => stateDirectory,
  journal: ({ journal }) => [journal, journal.witness.key?.reveal()],
  memory: ({ memory }) => memory,
  hints: ({ hints }) => hints,
};

/** They are not enumerable, so a comparison has to ask for them by name. */
const clearSecretsOf = (engine: EngineConfig) => [
  'password' in engine ? engine.password : undefined,
  'token' in engine ? engine.token : undefined,
];

/** A channel or group that runs on until the next start must keep a persona that exists. */
export function orphans({ configuration }: Reloaded): readonly Problem[] {
  const { channels, groups, file } = configuration.config;
  const known = new Set(configuration.personas.map(({ id }) => id));
  const used = [
    ...channels.map(({ id, persona }) => ({ path: 'channels', what: `the channel ${id}`, persona })),
    ...groups.map(({ id, persona }) => ({ path: 'groups', what: `the group ${id}`, persona })),
  ];
  const lost = used.find(({ persona }) => persona !== undefined && !known.has(persona));
  if (lost === undefined) return [];
  const message = `${lost.what} still runs with the persona ${lost.persona}, which is gone`;
  return [{ file, line: 1, column: 1, path: lost.path, message, hint: 'keep the persona until Reeve is restarted' }];
}

/** Receivers wait for the next start: until then nobody could be called about what a higher phase permits. */
export function unheard({ configuration }: Reloaded): readonly Problem[] {
  const { groups, file, receivers, phase } = configuration.config;
  const highest = Math.max(phase, ...groups.map(({ phase: own = 0 }) => own));
  if (receivers.length > 0 || highest < ACTING_PHASE) return [];
  const message = `phase ${highest} changes things, and no receiver runs yet that could call a person`;
  return [{ file, line: 1, column: 1, path: 'phase', message, hint: 'start Reeve anew' }];
}
