/** The commands that only read. */
import type { Command } from 'commander';
import { isJournals, journalEndsText } from '../../core/contained.ts';
import { spell } from '../../core/duration.ts';
import { ReeveError } from '../../core/errors.ts';
import { json, ndjson, paint, plain, spelled, table } from '../output.ts';
import type { Cli } from '../context.ts';
import { wholeNumber } from '../flag_values.ts';
import { holdLines, type WireWindow } from '../holds_text.ts';
import { questionLine, questionTable, type WireQuestion } from '../questions_text.ts';
import { pageLines, pageTable, type WirePage } from '../pages_text.ts';
import { similarityLine, type WireSimilarity } from '../similarity_line.ts';

interface WireChannel {
  readonly id: string;
  readonly group: string;
  readonly phase: number;
  readonly healthy: boolean | null;
  readonly classification: string | null;
  readonly because: string;
  readonly restart_count: number;
  readonly breaker: string;
  readonly unknown_outcome: boolean;
  readonly leased_for_ms: number;
}
interface WireIncident {
  readonly id: string;
  readonly scope: string;
  readonly classification: string;
  readonly state: string;
  readonly because?: string | null;
  readonly ending: string | null;
  readonly open_ms: number;
}
interface WireContainment {
  readonly scope: string;
  readonly reason: string;
  readonly detail: string;
  readonly release_by_person: boolean;
}
interface WireStatus {
  readonly phase: number;
  readonly freeze?: { readonly who: string; readonly because: string };
  readonly fleet_budget: { readonly used: number; readonly max: number; readonly free_in_ms?: number };
  readonly containment: readonly WireContainment[];
  readonly channels: readonly WireChannel[];
  readonly incidents: readonly WireIncident[];
  readonly approvals: readonly WireQuestion[];
  /** A daemon of an earlier version does not list them. */
  readonly pages?: readonly WirePage[];
  readonly windows: readonly WireWindow[];
  readonly problems: readonly string[];
  readonly last_delivery: { readonly seconds_ago: number | null };
}
interface WireCheck {
  readonly id: number;
  readonly question: string;
  readonly value: string;
  readonly threshold: string;
  readonly verdict: string;
}
interface WireWhy {
  readonly verdict: string;
  readonly code: string | null;
  readonly because: string;
  readonly checks: readonly WireCheck[];
  readonly flips: readonly string[];
  /** Not for `why-not`. */
  readonly choices?: readonly { readonly tool: string; readonly target: string }[];
}

/** The daemon gives no more at once. */
const LISTED_MAX = 1_000;

/** Commands that only look. */
export function addObserve(program: Command, cli: Cli): void {
  program
    .command('status')
    .description('channels, containment, breakers, open incidents and pages, phase, last delivery')
    .addHelpText('after', '\nExample: reeve status --json')
    .action(async () => {
      const status = await cli.client().get<WireStatus>('/api/v1/status');
      if (cli.wantsJson()) json(cli.terminal, status);
      else cli.terminal.out(`${statusText(cli, status)}\n`);
    });
  program
    .command('incidents')
    .description('incidents, newest first')
    .option('--channel <channel>', 'only those of one channel')
    .option('--limit <count>', 'at most so many', '50')
    .addHelpText('after', '\nExample: reeve incidents --channel news')
    .action(async (options: { channel?: string; limit: string }) => {
      const limit = wholeNumber(options.limit) ?? 0;
      if (limit < 1 || limit > LISTED_MAX)
        throw new ReeveError('USAGE', `--limit: a number from 1 to ${LISTED_MAX} was expected, got ${options.limit}`);
      const query = new URLSearchParams({ limit: options.limit, ...(options.channel && { channel: options.channel }) });
      const { incidents } = await cli.client().get<{ incidents: WireIncident[] }>(`/api/v1/incidents?${query}`);
      if (cli.wantsJson()) return ndjson(cli.terminal, incidents);
      cli.terminal.out(`${incidents.length === 0 ? 'no incidents' : incidentTable(incidents)}\n`);
    });
  addWhy(program, cli);
  addLists(program, cli);
}

function addWhy(program: Command, cli: Cli): void {
  const show = (why: WireWhy) =>
    cli.wantsJson() ? json(cli.terminal, why) : cli.terminal.out(`${whyText(cli, why)}\n`);
  program
    .command('why <channel>')
    .description('the last decision about a channel, with every question, value and threshold')
    .addHelpText('after', '\nExample: reeve why news')
    .action(async (channel: string) => show(await cli.client().get(`/api/v1/why/${encodeURIComponent(channel)}`)));
  program
    .command('why-not <channel> <tool>')
    .description('what the guard would answer now, and the smallest change that would flip it')
    .addHelpText('after', '\nExample: reeve why-not news restart_channel')
    .action(async (channel: string, tool: string) => {
      show(await cli.client().get(`/api/v1/why-not/${encodeURIComponent(channel)}/${encodeURIComponent(tool)}`));
    });
}

/** Lists that are printed as they come: their command, what it is for, their member of the answer, and their text. */
type List<Row> = readonly [name: string, description: string, member: string, textOf: (rows: readonly Row[]) => string];

function addList<Row>(program: Command, cli: Cli, [name, description, member, textOf]: List<Row>): void {
  program
    .command(name)
    .description(description)
    .addHelpText('after', `\nExample: reeve ${name} --json`)
    .action(async () => {
      const answer = await cli.client().get<Record<string, Row[]>>(`/api/v1/${member}`);
      const rows = answer[member] ?? [];
      if (cli.wantsJson()) return json(cli.terminal, { [member]: rows });
      cli.terminal.out(rows.length === 0 ? 'none\n' : `${textOf(rows)}\n`);
    });
}

function addLists(program: Command, cli: Cli): void {
  addList(program, cli, ['approvals', 'questions that wait for a person', 'approvals', questionTable]);
  addList(program, cli, ['pages', 'pages that are open, and who has acknowledged them', 'pages', pageTable]);
  addList(program, cli, ['blind-spots', 'recurring lines that no pattern recognises', 'blind_spots', linesOf]);
  program
    .command('stats')
    .description('counts since the journal began')
    .addHelpText('after', '\nExample: reeve stats')
    .action(async () => {
      const stats = await cli.client().get<Record<string, unknown>>('/api/v1/stats');
      if (cli.wantsJson()) return json(cli.terminal, stats);
      cli.terminal.out(`${statsText(stats)}\n`);
    });
}

interface RuleRow {
  readonly rule: string;
  readonly successes: number;
  readonly failures: number;
}
interface WireStats {
  readonly resolves: number;
  readonly exploration_calls: number;
  readonly top: readonly RuleRow[];
  readonly struggling: readonly RuleRow[];
  readonly model_cost: number;
  readonly similarity?: WireSimilarity;
  readonly llm_needed_by_week: readonly { readonly week: number; readonly llm_needed_ratio: number }[];
}

/** Rules first: what they cured, which struggle, how often a model was needed. Then every count by its name. */
function statsText(stats: Record<string, unknown>): string {
  const { resolves, exploration_calls, top, struggling, model_cost, similarity, llm_needed_by_week, ...rest } =
    stats as unknown as WireStats;
  const counts = Object.entries(rest).filter(([, value]) => typeof value === 'number');
  const rows = (title: string, rules: readonly RuleRow[]) =>
    rules.length === 0
      ? []
      : [
          table(
            [title, 'cured', 'not'],
            rules.map(({ rule, ...of }) => [rule, `${of.successes}`, `${of.failures}`]),
          ),
        ];
  const weeks = llm_needed_by_week.slice(-8).map((week) => `${Math.round(week.llm_needed_ratio * 100)} %`);
  return [
    `${resolves} cured by rules, ${exploration_calls} calls of a model to explore, model cost ${model_cost.toFixed(2)}`,
    ...(weeks.length === 0 ? [] : [`a model was needed, by week: ${weeks.join(', ')}`]),
    ...(similarity === undefined ? [] : [similarityLine(similarity)]),
    ...rows('top rules', top),
    ...rows('struggling', struggling),
    ...counts.map(([name, value]) => `${name}: ${value}`),
    'how far it may go: reeve phase',
  ].join('\n');
}

const linesOf = (rows: readonly Record<string, unknown>[]): string => rows.map(lineOf).join('\n');

const lineOf = (row: Record<string, unknown>): string =>
  plain(
    Object.entries(row)
      .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('  '),
  );

const incidentTable = (incidents: readonly WireIncident[]): string =>
  table(
    ['incident', 'where', 'what', 'state', 'for', 'why'],
    incidents.map(({ id, scope, classification, ending, state, open_ms: openMs, because }) => [
      ...[id, scope, classification, ending ?? state, spell(openMs), plain(because ?? '')],
    ]),
  );

function budgetText(cli: Cli, { used, max, free_in_ms: freeInMs }: WireStatus['fleet_budget']): string {
  // Not all of them: what a staged plan has started and verified leaves the budget.
  const text = `budget of restarts in 24 h: ${used} of ${max} used by Reeve`;
  if (used < max) return text;
  const next = freeInMs === undefined ? 'fleet_daily_restart_cap allows none' : `the next in ${spell(freeInMs)}`;
  return paint(cli.terminal, 'red', `${text}: none is made, ${next}`);
}

function statusText(cli: Cli, status: WireStatus): string {
  const { pages = [] } = status;
  const red = (text: string) => paint(cli.terminal, 'red', text);
  const delivery = status.last_delivery.seconds_ago;
  const lines = [
    `phase ${status.phase}${lowerPhases(status)}${status.freeze === undefined ? '' : red(freezeText(status.freeze))}`,
    `last page delivered: ${delivery === null ? 'never' : `${spell(delivery * 1000)} ago`}`,
    budgetText(cli, status.fleet_budget),
    ...status.containment.map((held) => red(`contained: ${containmentText(held, status)}`)),
    ...holdLines(status.channels, status.windows),
    ...status.approvals.map((asked) => red(questionLine(asked))),
    ...pageLines(pages).map(red),
    ...status.problems.map((problem) => red(plain(problem))),
  ];
  const channels = status.channels.map((channel) => [
    channel.id,
    channel.group,
    channel.healthy === true
      ? 'playing'
      : channel.healthy === false
        ? (channel.classification ?? 'failing')
        : 'unknown',
    String(channel.restart_count),
    channel.unknown_outcome ? `${channel.breaker}, UNKNOWN start` : channel.breaker,
    plain(channel.because),
  ]);
  lines.push('', table(['channel', 'group', 'health', 'starts (1 h)', 'breaker', 'because'], channels));
  lines.push('', status.incidents.length === 0 ? 'no open incidents' : incidentTable(status.incidents));
  return lines.join('\n');
}

function containmentText(held: WireContainment, { freeze }: Pick<WireStatus, 'freeze'>): string {
  const { scope, reason, release_by_person: byPerson } = held;
  const text = `${scope} (${reason}) ${plain(held.detail)}`;
  // While Reeve is frozen a release is undone at once.
  if (reason === 'operator_freeze' && freeze !== undefined) return `${text}; it ends a while after the thaw`;
  if (isJournals(held)) return `${text}; ${journalEndsText({ scope, releaseByPerson: byPerson })}`;
  const ends = byPerson ? 'ends only by' : 'ends by itself once its cause has been gone for a while, or by';
  return `${text}; it ${ends} reeve release ${scope} --because "…"`;
}

const freezeText = ({ who, because }: NonNullable<WireStatus['freeze']>): string =>
  `  FROZEN by ${plain(who)}: ${plain(because)}; nothing is changed until reeve thaw --because "…"`;

/** Groups that are not as far as all. */
function lowerPhases({ phase, channels }: WireStatus): string {
  const lower = new Map(channels.filter((one) => one.phase < phase).map((one) => [one.group, one.phase]));
  return lower.size === 0 ? '' : `, but ${[...lower].map(([group, own]) => `group ${plain(group)} ${own}`).join(', ')}`;
}

function whyText(cli: Cli, why: WireWhy): string {
  const mark = (verdict: string) =>
    verdict === 'pass'
      ? paint(cli.terminal, 'green', 'yes')
      : verdict === 'refuse'
        ? paint(cli.terminal, 'red', 'NO ')
        : ' – ';
  const checks = why.checks.map(({ id, question, value, threshold, verdict }) => {
    const needed = threshold === '' ? '' : ` (${spelled(plain(threshold))})`;
    const found = `${question}: ${spelled(plain(value))}${needed}`;
    return `${String(id).padStart(2)} ${mark(verdict)} ${found}`;
  });
  const flips = why.flips.length === 0 ? [] : ['what would change it:', ...why.flips.map((flip) => `  ${plain(flip)}`)];
  const choices = (why.choices ?? []).map(({ tool }) => tool);
  const offered = choices.length === 0 ? [] : [`a planner could choose now: ${choices.join(', ')}`];
  return [
    `${why.verdict}${why.code === null ? '' : ` (${why.code})`}: ${plain(why.because)}`,
    ...checks,
    ...flips,
    ...offered,
  ].join('\n');
}
