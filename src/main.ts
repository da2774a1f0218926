/** The program `reeve`: hands the command line to the room that answers it. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { homedir } from 'node:os';
import process from 'node:process';
import { endNow, endOnOutput, endProcess } from './app/exit.ts';
import { createLog } from './app/log.ts';
import { serviceManagerOf } from './app/service_manager.ts';
import { compiledOf } from './config/patterns.ts';
import { fitHeap } from './app/heap.ts';
import { hintProblems, hintsCommand } from './app/hints_command.ts';
import { addAsk } from './cli/commands/ask.ts';
import { addAudit } from './cli/commands/audit.ts';
import { addBacktest } from './cli/commands/backtest.ts';
import { addDataset } from './cli/commands/dataset.ts';
import { addFiles } from './cli/commands/files.ts';
import { addHints } from './cli/commands/hints.ts';
import { addPatterns } from './cli/commands/patterns.ts';
import { addInsights, addMemory } from './cli/commands/memory.ts';
import { addPolicyTests } from './cli/commands/policy.ts';
import { addRules, type RulesDeps } from './cli/commands/rules.ts';
import { addSimulate } from './cli/commands/simulate.ts';
import { addText } from './cli/commands/text.ts';
import type { AskHost } from './cli/ask/run.ts';
import type { MemoryAccess } from './cli/memory_access.ts';
import type { Terminal } from './cli/output.ts';
import type { Cli, Command, GlobalFlags } from './cli/context.ts';
import { runCli } from './cli/program.ts';
import { safeText } from './collect/clean.ts';
import { redact } from './collect/redact.ts';
import { type FileKind, formatProblem, unsound } from './config/check.ts';
import { loadConfig, secretAt } from './config/config.ts';
import { parseDuration } from './core/document/duration.ts';
import { compositesFrom } from './config/composites.ts';
import { loadYamlFolder, readYaml } from './config/files.ts';
import { rulesFrom } from './config/rules.ts';
import type { App } from './app/app.ts';
import type { SeenDead } from './ground/facts/facts.ts';
import { type Configuration, type LoadOptions, loadConfiguration } from './config/load.ts';
import { type Flags, OVERRIDE_OPTIONS } from './config/document/environment.ts';
import { addedFolder, promotedFolder, SHIPPED } from './config/document/paths.ts';
import { stateDirectoryFor } from './config/state_directory.ts';
import { systemClock } from './core/clock.ts';
import { messageOf, type Problem, ReeveError } from './core/errors.ts';
import { systemIds, systemRandom } from './core/id.ts';
import { TOOL_SPECS } from './remediation/catalog.ts';

const CONFIG_EXIT = 78;
const { version } = JSON.parse(readFileSync(resolve(SHIPPED, 'package.json'), 'utf8')) as { version: string };

const terminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  stdin: process.stdin,
  colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
  stdinIsTerminal: process.stdin.isTTY === true,
};

const flagsFor = ({ config, state }: GlobalFlags) => ({
  ...(config !== undefined && { config }),
  ...(state !== undefined && { state }),
});

type OwnFlags = Omit<Flags, 'config' | 'state'>;

/** `own`: those of `reeve run`, each instead of a value of the file. */
const loadOptions = (flags: GlobalFlags, own: OwnFlags = {}): LoadOptions => ({
  flags: { ...own, ...flagsFor(flags) },
  env: process.env,
  tools: [...TOOL_SPECS.values()],
  checks: [({ patterns }) => compiledOf(patterns).problems],
});

const stateOf = (flags: GlobalFlags): string => stateDirectoryFor(flagsFor(flags), process.env, process.cwd());

/** The patterns of the configuration where there is one, else those that are shipped. */
function catalogueOf(flags: GlobalFlags) {
  const { config } = loadConfig({ flags: flagsFor(flags), env: process.env });
  const folder = config?.folders.patterns ?? resolve(SHIPPED, 'config/patterns');
  const added = config === undefined ? undefined : addedFolder('patterns', config.file);
  const folders = [folder, ...(added !== undefined && existsSync(added) ? [added] : [])];
  const files = folders.flatMap((each) => loadYamlFolder(each, '.yaml'));
  const { catalogue, problems } = compiledOf(files);
  if (problems.length > 0) throw refusal(problems);
  return catalogue;
}

const refusal = (problems: readonly Problem[]): ReeveError =>
  unsound(problems, 'Nothing was started or changed. reeve check lists the problems again.');

const CHANNEL_MARK = /\[channel=([\w.-]+)\]|"channel"\s*:\s*"([\w.-]+)"/;

const patternKind: FileKind = {
  name: 'pattern',
  recognises: ({ value }) => typeof value === 'object' && value !== null && 'patterns' in value,
  check: (files) => [...files.flatMap(({ problems }) => problems), ...compiledOf(files).problems],
};

/** The rules of the configuration in force, or those of one file; both with its composites. */
function rulesDeps(load: () => LoadOptions): RulesDeps {
  const configured = () => {
    const { configuration, problems } = loadConfiguration(load());
    if (configuration === undefined) throw refusal(problems);
    return configuration;
  };
  return {
    folder: () => promotedFolder('rules', configured().config),
    rules: () => configured().rules,
    rulesIn: (file) => {
      const { composites } = compositesFrom(loadYamlFolder(configured().config.folders.actions, '.yaml'));
      const { rules, problems } = rulesFrom([readYaml(resolve(file))], load().tools, composites);
      if (problems.length > 0) throw refusal(problems);
      return rules;
    },
  };
}

/** Where promoted patterns go: the folder of the configuration, or beside it where that one is the package's own. */
function patternsFolder(flags: GlobalFlags): string {
  const { config, problems } = loadConfig({ flags: flagsFor(flags), env: process.env });
  if (config === undefined) throw refusal(problems);
  return promotedFolder('patterns', config);
}

/** The memory is read from the state directory; its code is loaded by the commands that need it. */
const memoryAccess = (cli: Cli): MemoryAccess => ({
  async open() {
    const { openMemoryFile } = await import('./memory/memory_file.ts');
    const file = openMemoryFile(stateOf(cli.flags()), (text) => cli.terminal.err(text));
    return {
      face: file.face,
      resolve: (prefix) => file.reads.resolve(prefix),
      [Symbol.dispose]: () => file[Symbol.dispose](),
    };
  },
  rebuild: async () => (await import('./memory/memory_file.ts')).rebuildMemoryFile(stateOf(cli.flags())),
});

/** Conversations are a person's own: they lie in that person's home, not in the state of the daemon. */
const askHost = (cli: Cli): AskHost => ({
  async open(choice) {
    const { openAskBackend } = await import('./app/ask.ts');
    const { config } = loadConfig({ flags: flagsFor(cli.flags()), env: process.env });
    return openAskBackend(config?.models, choice, systemClock);
  },
  sessions:
    process.env.REEVE_SESSIONS ??
    resolve(process.env.XDG_STATE_HOME ?? resolve(homedir(), '.local/state'), 'reeve/sessions'),
  redact,
  clock: systemClock,
  uuid: randomUUID,
});

/** The laboratory is loaded by the commands that need it: the daemon would carry it around for nothing. */
function addLocal(program: Command, cli: Cli): void {
  const run = program.command('run');
  for (const { option, description } of OVERRIDE_OPTIONS) run.option(option, description);
  run
    .description('the daemon, in the foreground, until SIGTERM (drains for at most 10 s)')
    .addHelpText('after', '\nExample: reeve run --config config/reeve.yaml')
    .action(() => runDaemon(cli, run.opts<OwnFlags>()));
  const load = (): LoadOptions => loadOptions(cli.flags());
  const loadHints = () => loadConfig({ flags: flagsFor(cli.flags()), env: process.env });
  addFiles(program, cli, {
    load,
    kinds: async () => [patternKind, (await import('./policy_tests/kind.ts')).policyKind],
    documents: {
      pattern: async () => (await import('./detect/patterns/pattern.ts')).patternDocument,
      policy: async () => (await import('./policy_tests/document.ts')).policyDocument,
      hint: async () => (await import('./hints/files.ts')).hintDocument,
    },
    hints: (files) => hintProblems(loadHints, files),
  });
  addText(program, cli, {
    catalogue: () => catalogueOf(cli.flags()),
    clean: (text) => safeText(text),
    channelIn: (text) =>
      CHANNEL_MARK.exec(text)
        ?.slice(1)
        .find((name) => name !== undefined),
  });
  addRules(program, cli, rulesDeps(load));
  addPatterns(program, cli, { folder: () => patternsFolder(cli.flags()) });
  addHints(program, cli, hintsCommand(loadHints));
  addAsk(program, cli, () => askHost(cli));
  addAudit(program, cli, () => stateOf(cli.flags()));
  const memory = memoryAccess(cli);
  addMemory(program, cli, memory);
  addInsights(program, cli, memory);
  addDataset(program, cli, async () => {
    const { datasetOf } = await import('./app/dataset.ts');
    const { rules } = rulesDeps(load);
    return datasetOf(stateOf(cli.flags()), rules(), (text) => cli.terminal.err(text));
  });
  addSimulate(program, cli, async (order) => (await import('./simulation/order.ts')).runOrder(order));
  addPolicyTests(program, cli, async (place) => (await import('./app/policy_tests.ts')).policyTests(load)(place));
  addBacktest(program, cli, async (flags) => (await import('./app/backtest.ts')).backtests(load)(flags));
}

/** Runs until a signal asks to stop. A second signal ends it at once. */
async function runDaemon(cli: Cli, own: OwnFlags): Promise<void> {
  const options = loadOptions(cli.flags(), own);
  const loaded = loadConfiguration(options);
  if (loaded.configuration === undefined) throw refusal(loaded.problems);
  const { configuration } = loaded;
  fitHeap(configuration.config.channels.length, process);
  const log = createLog(configuration.config.log.level);
  for (const warning of configuration.config.warnings) log.warn({}, formatProblem(warning));
  for (const { limit, value } of configuration.config.acceptedRisks) {
    log.warn({ limit, value }, 'a limit is more permissive than the default, by i_accept_the_risk');
  }
  // From here on a signal stops it in good order, also one that comes while it starts.
  const asked = untilSignal();
  // Only here, because everything that a daemon is made of would make each short command slow.
  const { createApp, startAnew } = await import('./app/app.ts');
  const load = () => loadConfiguration(options);
  const start = (wanted: Configuration, seenDead?: readonly SeenDead[]): Promise<App> =>
    createApp(wanted, {
      seenDead,
      clock: systemClock,
      ids: systemIds,
      random: systemRandom,
      log,
      setLogLevel: (level) => {
        log.level = level;
      },
      version,
      serviceManager: serviceManagerOf(process.env, process.pid),
      load,
      secret: (reference) => {
        const meaning = secretAt(reference, { env: process.env, pathOf: (written) => resolve(written) });
        if ('ok' in meaning) return meaning.ok.reveal();
        const hint = meaning.hint !== undefined && { hint: meaning.hint };
        throw new ReeveError('CONFIG_INVALID', meaning.no, { ...hint });
      },
    });
  let app = await start(configuration);
  process.on('SIGHUP', () => app.reload());
  for (;;) {
    const next = await Promise.race([asked, app.journalWritableAgain]);
    if (typeof next === 'string') break;
    app = await startAnew(app, { load, start: (wanted) => start(wanted, next) });
  }
  const signal = await asked;
  log.info({ signal }, 'stopping: runs that are under way get a few seconds to end');
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.on(name, () => endNow(code));
  await app[Symbol.asyncDispose]();
  log.info({}, 'stopped');
  // A restart program that hangs is left to itself, half way as it may be; it must not keep Reeve alive.
  endProcess(0);
}

const untilSignal = (): Promise<string> =>
  new Promise((done) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => done(name));
  });

function clientOptions(flags: GlobalFlags) {
  const token = flags.tokenFile === undefined ? process.env.REEVE_TOKEN : tokenIn(flags.tokenFile);
  return { state: stateOf(flags), url: flags.url ?? process.env.REEVE_URL, token };
}

function tokenIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ReeveError('USAGE', `--token-file: ${messageOf(cause)}`, {
      cause,
      hint: 'Check the path and its owner.',
    });
  }
}

/** A bug stops Reeve: what is under way then counts as UNKNOWN, and a supervisor starts it again. */
function endOnBug(thrown: unknown): void {
  process.stderr.write(`reeve: a bug: ${messageOf(thrown)}\n${thrown instanceof Error ? thrown.stack : ''}\n`);
  endNow(70);
}
process.on('unhandledRejection', endOnBug);
process.on('uncaughtException', endOnBug);
process.stdout.on('error', (error) => endOnOutput(error));

if (process.versions.node.split('.').map(Number)[0]! < 24) process.exit(CONFIG_EXIT);
process.exitCode = await runCli(process.argv.slice(2), {
  terminal,
  version,
  fetch,
  clientOptions,
  parseDuration: (text) => {
    const meaning = parseDuration(text);
    return 'ok' in meaning ? meaning.ok : undefined;
  },
  addLocal,
});
