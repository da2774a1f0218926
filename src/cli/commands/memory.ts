/** Commands that read what Reeve remembers, from the state directory: they need no daemon. */
import type { Command } from 'commander';
import { MINUTE_MS } from '../../core/duration.ts';
import { ReeveError } from '../../core/errors.ts';
import { toWire } from '../../core/wire.ts';
import { type MemoryAccess, oneId, type RebuiltShown } from '../memory_access.ts';
import { json, listed, ndjson, paint, plain, table } from '../output.ts';
import type { Cli } from '../context.ts';
import { timeOf } from '../flag_values.ts';
import { nodeText, whenOf } from '../memory_text.ts';

const LIMIT = '20';

/** It merges all that was ever learned, in small slices between which the daemon works on. */
const REFLECT_MS_MAX = 10 * MINUTE_MS;

interface ReflectAnswer {
  readonly ok: boolean;
  readonly said?: string;
  readonly because?: string;
}

export function addMemory(program: Command, cli: Cli, access: MemoryAccess): void {
  const memory = program
    .command('memory')
    .description('what is connected to what, when it happened, what it is about')
    .addHelpText('after', '\nExample: reeve memory list --type incident');
  addReads(memory, cli, access);
  addStat(memory, cli, access);
  memory
    .command('walk [id]')
    .description('go from node to node by number; back, reset, more, quit')
    .addHelpText('after', '\nExample: reeve memory walk inc-3f2a')
    .action(async (id: string | undefined) => {
      using open = await access.open();
      const { walkMemory } = await import('../memory_walk.ts');
      await walkMemory(cli.terminal, open, { from: id, json: cli.wantsJson() });
    });
  addProbes(memory, cli, access);
  memory
    .command('rebuild')
    .description('build the memory anew from the journal, and compare it with the one that was there')
    .addHelpText('after', '\nExample: reeve memory rebuild --json')
    .action(async () => showRebuilt(cli, await access.rebuild()));
}

function addReads(memory: Command, cli: Cli, access: MemoryAccess): void {
  memory
    .command('list')
    .description('nodes, newest first')
    .option('--type <type>', 'only this type: incident, plan, concept, insight …')
    .option('--since <time>', 'not before this time (RFC 3339)')
    .option('--until <time>', 'only before this time (RFC 3339)')
    .option('--before <number>', 'the next page: below the last number of the page before')
    .option('--limit <count>', 'at most so many', LIMIT)
    .addHelpText('after', '\nExample: reeve memory list --type incident --since 2026-01-01T00:00:00Z')
    .action(async (options: ListOptions) => {
      using open = await access.open();
      const nodes = open.face.nodes({
        ...{ type: options.type, since: timeOf(options.since, '--since'), until: timeOf(options.until, '--until') },
        ...{ before: options.before === undefined ? undefined : countOf(options.before, '--before') },
        limit: countOf(options.limit, '--limit'),
      });
      if (nodes === undefined) throw new ReeveError('USAGE', `--type: there is no type ${plain(options.type ?? '')}`);
      if (cli.wantsJson()) return ndjson(cli.terminal, nodes.map(toWire));
      const rows = nodes.map(({ id, type, at, seq, label }) => [String(seq ?? ''), whenOf(at), type, id, plain(label)]);
      cli.terminal.out(`${listed(['number', 'when', 'type', 'id', 'what'], rows)}\n`);
    });
  memory
    .command('get <id>')
    .description('one node and the steps from it; the beginning of an id is enough')
    .option('--limit <count>', 'at most so many steps', LIMIT)
    .option('--offset <count>', 'begin after so many steps', '0')
    .addHelpText('after', '\nExample: reeve memory get inc-3f2a')
    .action(async (id: string, { limit, offset }: { limit: string; offset: string }) => {
      using open = await access.open();
      const page = { limit: countOf(limit, '--limit'), offset: countOf(offset, '--offset', 0) };
      const node = open.face.node(oneId(open, id), page);
      if (cli.wantsJson()) return json(cli.terminal, toWire(node));
      if (node !== undefined) cli.terminal.out(`${nodeText(cli.terminal, node)}\n`);
    });
}

function addStat(memory: Command, cli: Cli, access: MemoryAccess): void {
  memory
    .command('stat')
    .description('how much is remembered')
    .addHelpText('after', '\nExample: reeve memory stat')
    .action(async () => {
      using open = await access.open();
      const stat = open.face.stat();
      if (cli.wantsJson()) return json(cli.terminal, toWire(stat));
      const rows = [
        ...stat.nodes,
        ...stat.edges,
        ...stat.insights.map(({ name, count }) => ({ name: `insights ${name}`, count })),
      ];
      cli.terminal.out(
        `${table(
          ['what', 'how many'],
          rows.map(({ name, count }) => [name, String(count)]),
        )}\n`,
      );
      cli.terminal.out(`read up to entry ${stat.throughSeq}, ${Math.round(stat.bytes / 1024)} KiB\n`);
    });
}

function addProbes(memory: Command, cli: Cli, access: MemoryAccess): void {
  memory
    .command('plan <question>')
    .description('what would be looked for to answer a question; nothing is asked')
    .addHelpText('after', '\nExample: reeve memory plan "why did news fail with 403?"')
    .action(async (question: string) => {
      using open = await access.open();
      const { plan } = open.face.probe(question);
      if (cli.wantsJson()) return json(cli.terminal, toWire(plan));
      const lines = Object.entries(plan).map(([name, values]) => `${name}: ${values.map(plain).join(' ') || 'none'}`);
      cli.terminal.out(`${lines.join('\n')}\n`);
    });
  memory
    .command('probe <question>')
    .description('what would be recalled for a question; nothing is asked')
    .addHelpText('after', '\nExample: reeve memory probe "ffmpeg 403"')
    .action(async (question: string) => {
      using open = await access.open();
      const probe = open.face.probe(question);
      if (cli.wantsJson()) return json(cli.terminal, toWire(probe));
      const lines = probe.recalled.map(
        ({ id, kind, text }) => `[${id}] ${paint(cli.terminal, 'gray', kind)} ${plain(text)}`,
      );
      cli.terminal.out(`${lines.length === 0 ? 'nothing is recalled' : lines.join('\n')}\n`);
    });
}

/** `--state` is the common flag for the directory, too: what has a slash in it is meant for that. */
const statesGiven =
  (program: Command) =>
  (value: string, before = ''): string => {
    if (!value.includes('/')) return value;
    program.setOptionValueWithSource('state', value, 'cli');
    return before;
  };

/** `reeve insights` and `reeve reflect`. */
export function addInsights(program: Command, cli: Cli, access: MemoryAccess): void {
  program
    .command('insights')
    .description('what was learned: active before archived, strongest first, newest first')
    .option('--state <state>', 'active or archived (with a slash in it: where state is kept)', statesGiven(program))
    .option('--concept <concept>', 'only those about this, for example error:http_403 or http_403')
    .option('--limit <count>', 'at most so many', LIMIT)
    .option('--offset <count>', 'begin after so many', '0')
    .addHelpText('after', '\nExample: reeve insights --state active --concept http_403')
    .action(async (options: { state?: string; concept?: string; limit: string; offset: string }) => {
      const state = stateOf(options.state);
      using open = await access.open();
      const insights = open.face.insights({
        ...{ state, concept: options.concept },
        ...{ limit: countOf(options.limit, '--limit'), offset: countOf(options.offset, '--offset', 0) },
      });
      if (cli.wantsJson()) return json(cli.terminal, { insights: insights.map(toWire) });
      const rows = insights.map(({ id, strength, state: is, text, contradicts, at }) => [
        ...[id, is === 1 ? 'active' : 'archived', String(strength), whenOf(at)],
        `${plain(text)}${contradicts.length > 0 ? ` (contradicted by ${contradicts.join(', ')})` : ''}`,
      ]);
      cli.terminal.out(
        `${rows.length === 0 ? 'no insights' : table(['id', 'state', 'strength', 'since', 'what'], rows)}\n`,
      );
    });
  program
    .command('reflect')
    .description('merge what was learned now: insights of one claim become one of their summed strength')
    .addHelpText('after', '\nExample: reeve reflect')
    .action(async () => {
      const answer = await cli.client().post<ReflectAnswer>('/api/v1/reflect', {}, REFLECT_MS_MAX);
      if (cli.wantsJson()) json(cli.terminal, answer);
      else cli.terminal.out(`${plain(answer.said ?? answer.because ?? '')}\n`);
      if (!answer.ok) cli.fail(1);
    });
}

interface ListOptions {
  readonly type?: string;
  readonly since?: string;
  readonly until?: string;
  readonly before?: string;
  readonly limit: string;
}

function showRebuilt(cli: Cli, rebuilt: RebuiltShown): void {
  const { entries, hash, hashBefore, replaced, insightsKept } = rebuilt;
  const same = hashBefore === undefined || hashBefore === hash;
  if (cli.wantsJson()) json(cli.terminal, { ...(toWire(rebuilt) as object), same });
  else {
    const compared =
      hashBefore === undefined
        ? 'there was none before'
        : same
          ? 'as before'
          : paint(cli.terminal, 'red', 'NOT as before');
    cli.terminal.out(`${entries} entries, ${insightsKept} insights kept, ${hash.slice(0, 12)} (${compared})\n`);
    if (!replaced) cli.terminal.out('the daemon keeps the memory: its file was left as it is\n');
  }
  if (!same) cli.fail(1);
}

function stateOf(text: string | undefined): 0 | 1 | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'active' || text === '1') return 1;
  if (text === 'archived' || text === '0') return 0;
  throw new ReeveError('USAGE', `--state: active or archived was expected, got ${plain(text)}`);
}

function countOf(text: string, flag: string, min = 1): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= min && (flag === '--before' || Number(text) <= 10_000))
    return Number(text);
  throw new ReeveError('USAGE', `${flag}: a number from ${min} to 10000 was expected, got ${plain(text)}`);
}
