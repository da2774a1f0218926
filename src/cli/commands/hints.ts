/** `reeve hints …`: clusters and what their hints achieved, the bundle they come from, and a trial of all of it. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ReeveError } from '../../core/errors.ts';
import { toWire } from '../../core/wire.ts';
import { makeDirectory } from '../../resilience/make_directory.ts';
import type { TrialResult } from '../../simulation/hint_trial.ts';
import type { Cli } from '../context.ts';
import { timeOf, wholeNumber } from '../flag_values.ts';
import { json, listed, ndjson, paint, plain, table } from '../output.ts';
import { unwritten, writeOutput } from '../output_file.ts';

export interface HintsDeps {
  /** Where the configuration has its bundle. */
  readonly folder: () => string;
  /** Reads a bundle and counts what is in it. Throws CONFIG_INVALID. */
  readonly inspect: (folder: string) => Promise<{ readonly clusters: number; readonly patterns: number }>;
  readonly trial: (order: { readonly seed: number; readonly rollouts: number }) => Promise<TrialResult>;
}

interface WireCluster {
  readonly id: string;
  readonly standard_name: string;
  readonly associated_patterns: readonly string[];
  readonly priority?: -1 | 0 | 1 | null;
}
interface WireRecord {
  readonly n: number;
  readonly avg_uplift: number;
  readonly win_rate: number;
  readonly last_seen_iso: string;
}
interface WireSpots {
  readonly window_seconds: number;
  readonly threshold: number;
  readonly active: readonly {
    readonly prefix_hash: string;
    readonly count: number;
    readonly last_seen: string;
    readonly sample_excerpt: string;
  }[];
}

const TRUST = { '-1': 'demoted', 0: 'staging', 1: 'production' } as const;
const ID_CHARS = 12;

/** Adds `hints` with its subcommands. */
export function addHints(program: Command, cli: Cli, deps: HintsDeps): void {
  const hints = program
    .command('hints')
    .description('hints for agents that do not get further, and what they achieved')
    .addHelpText('after', '\nExample: reeve hints stats');
  addReads(hints, cli);
  addExport(hints, cli);
  addBundle(hints, cli, deps);
  addPromote(hints, cli);
  addVerify(hints, cli);
  addTrial(hints, cli, deps);
}

function addReads(hints: Command, cli: Cli): void {
  hints
    .command('list')
    .description('every cluster of hints, and how far it is trusted')
    .addHelpText('after', '\nExample: reeve hints list --json')
    .action(async () => {
      const { hints: rows } = await cli.client().get<{ hints: WireCluster[] }>('/api/v1/hints');
      if (cli.wantsJson()) return ndjson(cli.terminal, rows);
      const lines = rows.map(({ id, standard_name: name, associated_patterns: [pattern = ''], priority }) => [
        ...[plain(id), TRUST[priority ?? 1], plain(pattern), plain(name).slice(0, 80)],
      ]);
      cli.terminal.out(`${listed(['cluster', 'trust', 'hint', 'seen as'], lines)}\n`);
    });
  hints
    .command('stats')
    .description('what each hint achieved, by how far it is trusted')
    .addHelpText('after', '\nExample: reeve hints stats --json')
    .action(async () => {
      const stats = await cli.client().get<Record<string, Record<string, WireRecord>>>('/api/v1/hints/stats');
      if (cli.wantsJson()) return json(cli.terminal, stats);
      const lines = Object.entries(stats).flatMap(([bucket, records]) =>
        Object.entries(records).map(([pattern, { n, avg_uplift, win_rate, last_seen_iso }]) => [
          ...[bucket, plain(pattern), String(n), avg_uplift.toFixed(3), win_rate.toFixed(2), last_seen_iso],
        ]),
      );
      cli.terminal.out(`${listed(['bucket', 'hint', 'n', 'avg_uplift', 'win_rate', 'last seen'], lines)}\n`);
    });
  hints
    .command('blind-spots')
    .description('errors that recur and that no cluster knows')
    .addHelpText('after', '\nExample: reeve hints blind-spots')
    .action(async () => {
      const spots = await cli.client().get<WireSpots>('/api/v1/hints/blind_spots');
      if (cli.wantsJson()) return json(cli.terminal, spots);
      const lines = spots.active.map(({ prefix_hash, count, last_seen, sample_excerpt }) => [
        ...[prefix_hash.slice(0, ID_CHARS), String(count), last_seen, plain(sample_excerpt)],
      ]);
      cli.terminal.out(`${listed(['beginning', 'count', 'last seen', 'sample'], lines)}\n`);
    });
}

function addExport(hints: Command, cli: Cli): void {
  hints
    .command('export')
    .description('every hint that was sent and what became of it, as NDJSON')
    .option('--since <time>', 'not before this time (RFC 3339)')
    .option('--limit <count>', 'at most so many rows')
    .option('--out <file>', 'into this file instead of standard output')
    .addHelpText('after', '\nExample: reeve hints export --since 2026-01-01T00:00:00Z --out outcomes.jsonl')
    .action(async ({ since, limit, out }: { since?: string; limit?: string; out?: string }) => {
      timeOf(since, '--since');
      if (limit !== undefined && (wholeNumber(limit) ?? 0) < 1)
        throw new ReeveError('USAGE', `--limit: a number from 1 was expected, got ${JSON.stringify(limit)}`);
      const query = new URLSearchParams({ ...(since && { since }), ...(limit && { limit }) });
      const text = await cli.client().text(`/api/v1/outcomes/export?${query}`);
      if (out === undefined) return cli.terminal.out(text);
      const what = `the rows could not be written to ${resolve(out)}`;
      writeOutput([{ path: resolve(out), text }], { what, mode: 0o600 });
      const rows = text.split('\n').length - 1;
      if (cli.wantsJson()) json(cli.terminal, { rows, file: resolve(out) });
      else cli.terminal.out(`${rows} rows to ${resolve(out)}\n`);
    });
}

interface Reloaded {
  readonly symptoms: number;
  readonly patterns: number;
  readonly demoted_skipped: number;
  readonly duration_ms: number;
}

function addBundle(hints: Command, cli: Cli, deps: HintsDeps): void {
  const reload = (rebuild: boolean) => cli.client().post<Reloaded>('/api/v1/hints/reload', { rebuild });
  const reloadText = ({ symptoms, patterns, demoted_skipped: skipped }: Reloaded): string =>
    `${symptoms} clusters and ${patterns} hints in use, ${skipped} demoted\n`;
  hints
    .command('import <folder>')
    .description('check a bundle (bridge_index.json, code_patterns/), put it in place, and have the daemon read it')
    .option('--no-reload', 'without asking the daemon to read it')
    .addHelpText('after', '\nExample: reeve hints import ./assets')
    .action(async (folder: string, options: { reload: boolean }) => {
      const counts = await deps.inspect(resolve(folder));
      const target = deps.folder();
      orRefuse(`the bundle could not be put at ${target}`, () => replaceFolder(resolve(folder), target));
      const reloaded = options.reload ? await reload(false) : undefined;
      if (cli.wantsJson()) return json(cli.terminal, { ...counts, folder: target, reloaded: reloaded ?? null });
      cli.terminal.out(`${counts.clusters} clusters and ${counts.patterns} hints copied to ${target}\n`);
      if (reloaded !== undefined) cli.terminal.out(reloadText(reloaded));
    });
  hints
    .command('reload')
    .description('have the daemon read its bundle anew')
    .option('--rebuild', 'work out every row anew, also those that did not change')
    .addHelpText('after', '\nExample: reeve hints reload')
    .action(async ({ rebuild = false }: { rebuild?: boolean }) => {
      const reloaded = await reload(rebuild);
      if (cli.wantsJson()) return json(cli.terminal, reloaded);
      cli.terminal.out(reloadText(reloaded));
    });
}

/** A disk that refuses is no bug. */
function orRefuse(what: string, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof ReeveError) throw thrown;
    throw unwritten(what, thrown);
  }
}

/** The whole bundle or none of it: it is copied beside its place, and takes it at once. */
function replaceFolder(source: string, target: string): void {
  if (source === target) throw new ReeveError('USAGE', `${target} is the bundle in place`);
  makeDirectory(dirname(target), 0o700);
  const fresh = join(dirname(target), `.${basename(target)}.new`);
  const old = join(dirname(target), `.${basename(target)}.old`);
  for (const left of [fresh, old]) rmSync(left, { recursive: true, force: true });
  try {
    mkdirSync(fresh, { mode: 0o700 });
    cpSync(join(source, 'bridge_index.json'), join(fresh, 'bridge_index.json'));
    const [patterns, own] = [join(source, 'code_patterns'), join(fresh, 'code_patterns')];
    if (!existsSync(patterns)) mkdirSync(own);
    else cpSync(patterns, own, { recursive: true, filter: (path) => !/\/\.[^/]*$/.test(path) });
  } catch (thrown) {
    rmSync(fresh, { recursive: true, force: true });
    throw thrown;
  }
  try {
    renameSync(target, old);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}

function addPromote(hints: Command, cli: Cli): void {
  hints
    .command('promote <hint>')
    .description('set how far the cluster of a hint is trusted: -1 demoted, 0 staging, 1 production')
    .option('--delta <steps>', 'so many steps up or down')
    .option('--priority <value>', 'to this value')
    .requiredOption('--because <reason>', 'why; it is written down')
    .addHelpText('after', '\nExample: reeve hints promote pattern_clamp --delta 1 --because "helped five times"')
    .action(async (pattern: string, options: { delta?: string; priority?: string; because: string }) => {
      const body = { pattern_id: pattern, because: options.because, ...changeOf(options) };
      const done = await cli.client().post<{ old_priority: 0; new_priority: 0 }>('/api/v1/promote', body);
      if (cli.wantsJson()) return json(cli.terminal, done);
      cli.terminal.out(`${plain(pattern)}: ${TRUST[done.old_priority]}, now ${TRUST[done.new_priority]}\n`);
    });
}

/** What the daemon would take for something else, or bring into its bounds without a word, is not sent. */
function changeOf({ delta, priority }: { delta?: string; priority?: string }): object {
  if ((delta === undefined) === (priority === undefined)) {
    const got = delta === undefined ? 'neither' : 'both';
    throw new ReeveError('USAGE', `either --delta or --priority was expected, got ${got}`);
  }
  const value = wholeNumber(delta ?? priority ?? '');
  if (delta !== undefined && value !== undefined) return { delta: value };
  if (priority !== undefined && value !== undefined && Math.abs(value) <= 1) return { priority: value };
  const flag = delta === undefined ? '--priority: -1, 0 or 1' : '--delta: a whole number of steps such as 1 or -1';
  throw new ReeveError('USAGE', `${flag} was expected, got ${JSON.stringify(delta ?? priority)}`);
}

interface Health {
  readonly router_backend: string;
  readonly cluster_count: number;
  readonly similarity_floor: number;
}
interface Built {
  readonly strategy: string;
  readonly pattern_id?: string;
  readonly similarity?: number;
  readonly latency_ms: number;
}

const CASES = 4;
const LATENCY_MS_MAX = 1_500;
const PLATEAU = [0.42, 0.47, 0.47, 0.46];

/** Four requests of a stuck agent, made of what the daemon's own clusters describe. */
function addVerify(hints: Command, cli: Cli): void {
  hints
    .command('verify')
    .description('ask the daemon for four hints that it must have, and hold each to its floor and its deadline')
    .addHelpText('after', '\nExample: reeve hints verify --json')
    .action(async () => {
      const health = await cli.client().get<Health>('/api/v1/hints/health');
      const { hints: all } = await cli.client().get<{ hints: WireCluster[] }>('/api/v1/hints');
      const chosen = all.filter(({ priority }) => priority !== -1).slice(0, CASES);
      const cases = [];
      for (const { id, standard_name: log } of chosen) {
        const request = { error_log: log, previous_scores: PLATEAU, current_iteration: 4 };
        const built = await cli.client().post<Built>('/api/v1/prompt/build', request);
        const isFound = built.strategy === 'CATALYST' && (built.similarity ?? 0) >= health.similarity_floor;
        cases.push({ cluster: id, ...built, pass: isFound && built.latency_ms < LATENCY_MS_MAX });
      }
      const pass = cases.length > 0 && cases.every((each) => each.pass);
      if (cli.wantsJson()) json(cli.terminal, { ...health, cases, pass });
      else {
        const lines = cases.map(({ cluster, strategy, similarity = 0, latency_ms: tookMs, pass: ok }) => [
          ...[plain(cluster), strategy, similarity.toFixed(3), `${tookMs} ms`, ok ? 'yes' : 'NO'],
        ]);
        const head = ['cluster', 'strategy', 'similarity', 'took', 'as it must be'];
        cli.terminal.out(cases.length === 0 ? 'no cluster is in use: reeve hints import\n' : `${table(head, lines)}\n`);
      }
      if (!pass) cli.fail(1);
    });
}

function addTrial(hints: Command, cli: Cli, deps: HintsDeps): void {
  hints
    .command('trial')
    .description('six stuck agents with hints and without, in memory: harmful hints must go, helpful ones stay')
    .option('--seed <number>', 'of the agents', '1')
    .option('--rollouts <count>', 'for each of the six and each arm', '10')
    .addHelpText('after', '\nExample: reeve hints trial --seed 7')
    .action(async (options: { seed: string; rollouts: string }) => {
      const { seed, rollouts } = options;
      const order = { seed: wholeNumber(seed), rollouts: wholeNumber(rollouts) };
      if (order.seed === undefined) throw new ReeveError('USAGE', `--seed: a whole number was expected, got ${seed}`);
      if (order.rollouts === undefined || order.rollouts < 1 || order.rollouts > 1_000)
        throw new ReeveError('USAGE', `--rollouts: a whole number from 1 to 1000 was expected, got ${rollouts}`);
      const result = await deps.trial({ seed: order.seed, rollouts: order.rollouts });
      if (cli.wantsJson()) json(cli.terminal, toWire(result));
      else {
        const lines = result.scenarios.map(({ name, control, treatment, harmfulGone, helpfulKept, harmfulSent }) => [
          ...[name, control.toFixed(3), treatment.toFixed(3)],
          ...[harmfulGone ? `after ${harmfulSent}` : 'NO', helpfulKept ? 'yes' : 'NO'],
        ]);
        const head = ['stuck on', 'without hints', 'with hints', 'harmful one gone', 'helpful one kept'];
        const verdict = `${result.passed} of ${result.scenarios.length} as they must be`;
        cli.terminal.out(`${table(head, lines)}\n${paint(cli.terminal, result.pass ? 'green' : 'red', verdict)}\n`);
      }
      if (!result.pass) cli.fail(1);
    });
}
