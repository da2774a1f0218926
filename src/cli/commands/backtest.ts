/** The command `reeve backtest`. */
import type { Command } from 'commander';
import { PHASES } from '../../core/control.ts';
import { ReeveError } from '../../core/errors.ts';
import { json, plain } from '../output.ts';
import { writeOutput } from '../output_file.ts';
import type { Cli } from '../context.ts';

/** What a person asks a backtest for. */
export interface BacktestFlags {
  readonly logs: readonly string[];
  readonly samples: string | undefined;
  /** One exported incident instead of logs. */
  readonly incident: string | undefined;
  readonly persona: string | undefined;
  readonly against: string | undefined;
  readonly rules: string | undefined;
  /** Undefined: for logs 4, for an incident the phase that held. */
  readonly phase: (typeof PHASES)[number] | undefined;
  readonly offsetMinutes: number;
}

/** The answer, ready to be printed. */
export interface BacktestAnswer {
  readonly report: unknown;
  readonly text: string;
  readonly html: () => string;
}

export type RunBacktest = (flags: BacktestFlags) => Promise<BacktestAnswer>;

interface Options {
  readonly logs?: string[];
  readonly samples?: string;
  readonly incident?: string;
  readonly persona?: string;
  readonly against?: string;
  readonly rules?: string;
  readonly phase?: string;
  readonly zone: string;
  readonly html?: string;
}

/** `reeve backtest`: what would have happened on what was recorded. */
export function addBacktest(program: Command, cli: Cli, run: RunBacktest): void {
  program
    .command('backtest')
    .description(
      'what would have happened on recorded logs and probes, or in one exported incident; nothing is touched',
    )
    .option('--logs <file...>', 'logs: plain, journald JSON or Loki JSON; CHANNEL=FILE says whose one is')
    .option('--samples <file>', 'what probes saw: NDJSON, one sample a line')
    .option('--incident <file>', 'one incident, as reeve trace --export wrote it, instead of logs')
    .option('--persona <persona>', 'who decides: the name of a persona, or its file')
    .option('--against <policy>', 'another persona (name or file) or a folder of rules: shows what differs')
    .option('--rules <directory>', 'decide by these rules')
    .option('--phase <n>', 'rollout phase, 0 to 4 (logs: 4; incident: as it was)')
    .option('--zone <offset>', 'of times that name no zone', '+00:00')
    .option('--html <file>', 'write the report as one HTML file too')
    .addHelpText('after', '\nExample: reeve backtest --logs news=news.err supervisord.log --against cautious')
    .action(async (options: Options) => {
      const answer = await run(flagsOf(options));
      if (options.html !== undefined) write(options.html, answer.html());
      if (cli.wantsJson()) return json(cli.terminal, answer.report);
      cli.terminal.out(`${answer.text.split('\n').map(plain).join('\n')}\n`);
    });
}

function flagsOf(options: Options): BacktestFlags {
  const { logs = [], samples, incident, persona, against, rules, phase, zone } = options;
  if (incident !== undefined && (logs.length > 0 || samples !== undefined)) {
    throw new ReeveError('USAGE', 'either --incident or --logs and --samples were expected, got both');
  }
  const chosen = phase === undefined ? undefined : PHASES.find((one) => String(one) === phase);
  if (phase !== undefined && chosen === undefined) throw new ReeveError('USAGE', `--phase takes 0 to 4, got ${phase}`);
  return { logs, samples, incident, persona, against, rules, phase: chosen, offsetMinutes: minutesOf(zone) };
}

/** No zone of the world is farther from UTC. */
const HOURS_MAX = 14;

/** `+02:00`, `-0530` or `Z`. */
function minutesOf(zone: string): number {
  if (zone === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (hours === undefined || Number(hours) > HOURS_MAX || Number(minutes) > 59)
    throw new ReeveError('USAGE', `--zone takes an offset such as +02:00, got ${zone}`);
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

const write = (path: string, text: string): void =>
  writeOutput([{ path, text }], { what: `the report could not be written to ${path}` });
