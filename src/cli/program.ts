/** The command line: global flags, the list of commands, and how errors end. */
import { Command, CommanderError } from 'commander';
import { InvariantError, messageOf, ReeveError } from '../core/errors.ts';
import { type Client, createClient } from './client.ts';
import { addAct } from './commands/act.ts';
import { addTokens } from './commands/tokens.ts';
import { addObserve } from './commands/observe.ts';
import { addTrace } from './commands/trace.ts';
import { paint, plain, type Terminal } from './output.ts';
import type { Cli, CliHost, GlobalFlags } from './context.ts';

const USAGE_EXIT = 64;
const BUG_EXIT = 70;

/** Runs one command line and resolves to its exit code. Prints errors for people: what, and what to do. */
export async function runCli(argv: readonly string[], host: CliHost): Promise<number> {
  let exitCode = 0;
  let asked: Asked | undefined;
  const fail = (code: number): void => {
    exitCode = code;
  };
  const program = createProgram(host, fail, (which) => {
    asked = which;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    return report(await explained(thrown, asked, host.version), host.terminal);
  }
}

/** The daemon that a command has turned to. */
interface Asked {
  readonly client: Client;
  readonly url: string | undefined;
}

/** What a command could not make sense of may be the answer of something else than the daemon that it belongs to. */
async function explained(thrown: unknown, asked: Asked | undefined, own: string): Promise<unknown> {
  if (!(thrown instanceof TypeError) || asked === undefined) return thrown;
  const answer = asked.client.get<{ readonly version?: unknown } | null | undefined>('/api/v1/status');
  const said = await answer.then(
    (status) => ({ version: status?.version }),
    () => undefined,
  );
  if (said === undefined || said.version === own) return thrown;
  const where = asked.url ?? 'the address of the daemon';
  if (typeof said.version !== 'string')
    return new ReeveError('USAGE', `what answers at ${where} is no Reeve`, { hint: 'Check --url and REEVE_URL.' });
  const because = `the daemon is of version ${plain(said.version)} and this command of ${own}, which cannot read it`;
  return new ReeveError('USAGE', because, { hint: 'Use the reeve that was installed with the daemon.' });
}

function createProgram(host: CliHost, fail: (exitCode: number) => void, onAsked: (asked: Asked) => void): Command {
  const program = new Command('reeve')
    .description(
      'Watches streaming channels, recognises trouble, does at most three guarded things, pages for the rest.',
    )
    .version(host.version)
    .option(
      '-c, --config <file>',
      'configuration (REEVE_CONFIG; default ./config/reeve.yaml, then reeve.yaml or config/reeve.yaml in /etc/reeve)',
    )
    .option('--state <directory>', 'where state is kept (REEVE_STATE)')
    .option('--url <url>', 'address of the running daemon (REEVE_URL)')
    .option('--token-file <file>', 'token for the daemon (REEVE_TOKEN holds the token itself)')
    .option('--json', 'JSON on stdout and nothing else: one document, or of a long list one a line')
    .configureOutput({ writeOut: (text) => host.terminal.out(text), writeErr: (text) => host.terminal.err(text) })
    .addHelpText('after', '\nExample: reeve check && reeve run')
    // So that a command may have a flag of its own by the name of one of these: insights --state.
    .enablePositionalOptions()
    .showHelpAfterError('  reeve --help lists the commands')
    .exitOverride();
  const flags = () => program.opts<GlobalFlags>();
  const cli: Cli = {
    terminal: host.terminal,
    flags,
    client: () => {
      const options = host.clientOptions(flags());
      const client = createClient(options, host.fetch);
      onAsked({ client, url: options.url });
      return client;
    },
    wantsJson: () => flags().json === true,
    fail,
    duration: (text, flag) => durationOf(text, flag, host),
  };
  host.addLocal(program, cli);
  addObserve(program, cli);
  addTrace(program, cli);
  addAct(program, cli);
  addTokens(program, cli);
  for (const command of everyCommand(program)) inherit(command);
  return program;
}

const everyCommand = (command: Command): Command[] => command.commands.flatMap((sub) => [sub, ...everyCommand(sub)]);

/** `--json` and friends work behind the command too, as people type them. */
function inherit(command: Command): void {
  command.exitOverride();
  // Who mistypes at night is told where the right form stands.
  command.showHelpAfterError(`  ${pathOf(command)} --help shows how, with an example`);
  command.configureOutput(command.parent?.configureOutput() ?? {});
  const taken = new Set(command.options.flatMap(({ long, short }) => [long, short]));
  const root = rootOf(command);
  for (const option of root.options) {
    if (option.long === '--version' || taken.has(option.long)) continue;
    // A command may have a short flag of its own by the same letter: ask -c.
    const flags = taken.has(option.short) ? option.flags.replace(`${option.short}, `, '') : option.flags;
    const own = command.createOption(flags, option.description).hideHelp(option.long !== '--json');
    command.addOption(own);
    command.on(`option:${own.name()}`, (value: unknown) => {
      root.setOptionValueWithSource(own.attributeName(), value ?? true, 'cli');
    });
  }
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

function durationOf(text: string, flag: string, host: CliHost): number {
  const durationMs = host.parseDuration(text);
  if (durationMs !== undefined) return durationMs;
  // What is a duration but for its length is too long.
  const what = /^[1-9]\d*(?:ms|s|m|h|d)$/.test(text) ? 'at most 365d' : 'a duration such as 30s, 15m or 2h';
  throw new ReeveError('USAGE', `${flag}: ${what} was expected, got ${JSON.stringify(text)}`);
}

function report(thrown: unknown, terminal: Terminal): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : USAGE_EXIT;
  if (thrown instanceof ReeveError) {
    terminal.err(`${paint(terminal, 'red', 'reeve:')} ${thrown.message}\n`);
    if (thrown.hint !== undefined) terminal.err(`  ${thrown.hint}\n`);
    return thrown.exitCode;
  }
  const trace = thrown instanceof Error && thrown.stack !== undefined ? thrown.stack : messageOf(thrown);
  const kind = thrown instanceof InvariantError ? 'a law of the program was broken' : 'unexpected';
  terminal.err(`${paint(terminal, 'red', 'reeve:')} this is a bug (${kind}). Please report it with:\n${trace}\n`);
  return BUG_EXIT;
}
