/** The command `reeve simulate`. */
import type { Command } from 'commander';
import { ReeveError } from '../../core/errors.ts';
import { toWire } from '../../core/wire.ts';
import { json, table } from '../output.ts';
import type { Cli } from '../context.ts';
import { wholeNumber } from '../flag_values.ts';

const SIMULATED_POLICIES = ['reeve', 'none', 'naive', 'health_tasks', 'monit'] as const;
export type SimulatedPolicy = (typeof SIMULATED_POLICIES)[number];
const SIMULATED_PLANNERS = ['rules', 'random', 'adversary', 'model'] as const;
export type SimulatedPlanner = (typeof SIMULATED_PLANNERS)[number];

export interface SimulationOrder {
  readonly seed: number;
  readonly days: number;
  readonly channels: number;
  readonly storm: boolean;
  readonly calm: number;
  readonly planner: SimulatedPlanner;
  /** Named: the world that all policies are compared in. */
  readonly policy: SimulatedPolicy | undefined;
  /** Encoders that start at once slow each other down, as measured on ffmpeg. */
  readonly startCost: boolean;
  /** More kinds of faults: half restarts, engines that never give up, people who stop and forget. */
  readonly cruel: boolean;
  /** Groups, and engines where there are two, read from one origin. */
  readonly sharedOrigin: boolean;
  /** The machine sleeps during half of the times in which Reeve is not running. */
  readonly sleeps: boolean;
  /** Somebody holds one log, one ingest token and one status page. */
  readonly attacker: boolean;
}

/** One broken law. */
export interface BrokenInvariant {
  readonly law: string;
  readonly atMs: number;
  readonly because: string;
}

/** What a simulation came to, as far as this command shows it; the whole of it is printed as JSON. */
export interface SimulationAnswer {
  readonly seed: number;
  readonly events: number;
  readonly virtualDays: number;
  readonly violations: readonly BrokenInvariant[];
  readonly traceSha256: string;
  readonly mttrS: { readonly p50: number; readonly p95: number };
  readonly restarts: number;
  readonly unnecessaryRestarts: number;
  readonly storms: number;
  readonly darkViewerSeconds: number;
  readonly escalations: number;
  readonly missedEscalations: number;
  readonly minimised?: readonly object[];
}

export type Simulate = (order: SimulationOrder) => Promise<SimulationAnswer>;

/**
 * `reeve simulate`: many virtual days of a faulty fleet on the same code, with every law asserted after every event.
 */
export function addSimulate(program: Command, cli: Cli, simulate: Simulate): void {
  program
    .command('simulate')
    .description('many virtual days of a faulty fleet on the same code; asserts every law after every event')
    .option('--seed <n>', 'the same seed gives the same run, to the byte', '1')
    .option('--seeds <n>', 'so many seeds, beginning with --seed', '1')
    .option('--days <n>', 'virtual days', '1')
    .option('--channels <n>', 'channels of the fleet', '10')
    .option('--calm <n>', 'times as long between two faults: 1 is a bad month in each day', '4')
    .option('--storm', 'group failures eight times as often')
    .option('--start-cost', 'encoders that start at once slow each other down, as measured on ffmpeg')
    .option('--cruel', 'more kinds of faults, and --start-cost: half restarts, engines that never give up, reloads')
    .option('--shared-origin', 'all groups read from one origin; in half of the seeds each channel is a group')
    .option('--sleeps', 'the machine sleeps during half of the times in which Reeve is not running')
    .option('--attacker', 'an attacker holds one log, one ingest token and one status page, and uses them')
    .option('--planner <kind>', `who plans: ${SIMULATED_PLANNERS.join(', ')}`, 'rules')
    .option('--policy <name>', `in the world where all are compared, this one: ${SIMULATED_POLICIES.join(', ')}`)
    .addHelpText('after', '\nExample: reeve simulate --seed 7 --days 3 --storm')
    .action(async (flags: Flags) => {
      const seeds = whole(flags.seeds, '--seeds', 1, 1_000_000);
      const order = orderOf(flags);
      for (let seed = order.seed; seed < order.seed + seeds; seed += 1) {
        const answer = await simulate({ ...order, seed });
        show(cli, answer, `reeve simulate ${argumentsOf({ ...order, seed })}`);
        if (answer.violations.length > 0) cli.fail(1);
      }
    });
}

interface Flags {
  readonly seed: string;
  readonly seeds: string;
  readonly days: string;
  readonly channels: string;
  readonly calm: string;
  readonly storm?: boolean;
  readonly startCost?: boolean;
  readonly cruel?: boolean;
  readonly sharedOrigin?: boolean;
  readonly sleeps?: boolean;
  readonly attacker?: boolean;
  readonly planner: string;
  readonly policy?: string;
}

function orderOf(flags: Flags): SimulationOrder {
  return {
    seed: whole(flags.seed, '--seed', 0, 2 ** 31),
    days: number(flags.days, '--days', 0.01, 3_650),
    channels: whole(flags.channels, '--channels', 1, 2_000),
    calm: number(flags.calm, '--calm', 0.001, 1_000),
    storm: flags.storm === true,
    startCost: flags.startCost === true,
    cruel: flags.cruel === true,
    sharedOrigin: flags.sharedOrigin === true,
    sleeps: flags.sleeps === true,
    attacker: flags.attacker === true,
    planner: choiceOf(flags.planner, '--planner', SIMULATED_PLANNERS),
    policy: flags.policy === undefined ? undefined : choiceOf(flags.policy, '--policy', SIMULATED_POLICIES),
  };
}

function number(text: string, flag: string, min: number, max: number): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ReeveError('USAGE', `${flag} takes a number from ${min} to ${max}, got ${text}`);
}

/** Half a seed would be a seed of its own, and half a channel none. */
function whole(text: string, flag: string, min: number, max: number): number {
  const value = wholeNumber(text) ?? Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ReeveError('USAGE', `${flag} takes a whole number from ${min} to ${max}, got ${text}`);
}

function choiceOf<W extends string>(text: string, flag: string, choices: readonly W[]): W {
  const found = choices.find((one) => one === text);
  if (found !== undefined) return found;
  throw new ReeveError('USAGE', `${flag} is one of ${choices.join(', ')}, got ${text}`);
}

const argumentsOf = ({
  seed,
  days,
  channels,
  calm,
  storm,
  startCost,
  cruel,
  sharedOrigin,
  sleeps,
  attacker,
  planner,
  policy,
}: SimulationOrder): string =>
  [
    `--seed ${seed} --days ${days} --channels ${channels} --calm ${calm}`,
    storm ? '--storm' : '',
    startCost ? '--start-cost' : '',
    cruel ? '--cruel' : '',
    sharedOrigin ? '--shared-origin' : '',
    sleeps ? '--sleeps' : '',
    attacker ? '--attacker' : '',
    planner === 'rules' ? '' : `--planner ${planner}`,
    policy === undefined ? '' : `--policy ${policy}`,
  ]
    .filter((part) => part !== '')
    .join(' ');

function show({ terminal, wantsJson }: Cli, answer: SimulationAnswer, again: string): void {
  if (wantsJson()) return json(terminal, toWire(answer));
  const { mttrS, violations, minimised = [] } = answer;
  const rows = [
    ['seed', `${answer.seed}`],
    ['virtual days', `${answer.virtualDays}`],
    ['events', `${answer.events}`],
    ['laws broken', `${violations.length}`],
    ['time to recover', `p50 ${mttrS.p50.toFixed(1)} s, p95 ${mttrS.p95.toFixed(1)} s`],
    ['restarts', `${answer.restarts}, ${answer.unnecessaryRestarts} needless`],
    ['storms', `${answer.storms}`],
    ['dark viewer-seconds', `${answer.darkViewerSeconds}`],
    ['pages', `${answer.escalations}, ${answer.missedEscalations} missed`],
    ['trace', answer.traceSha256],
  ];
  terminal.out(`${table([], rows)}\n`);
  for (const { law, atMs, because } of violations) terminal.out(`BROKEN ${law} at ${atMs / 1_000} s: ${because}\n`);
  for (const event of minimised) terminal.out(`  ${JSON.stringify(event)}\n`);
  if (violations.length > 0) terminal.out(`again: ${again}\n`);
}
