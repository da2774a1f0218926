/** Counts what a change costs: the files outside a thing's own folder that name it, and those that a log line walks. */
// Usage: node scripts/change_cost.ts    (prints the table of docs/architecture.md)
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { detectorOf, policyTestFiles } from '../src/app/policy_tests.ts';
import { FAILURE_CLASSES } from '../src/core/classification.ts';
import { SYMPTOMS } from '../src/core/symptom.ts';
import { TOOL_NAMES } from '../src/core/tool.ts';
import type { CreateDetector } from '../src/policy_tests/by_logs.ts';
import { runPolicy } from '../src/policy_tests/report.ts';
import { TOOL_SPECS } from '../src/remediation/catalog.ts';
import { askedFor, HALF_CHANGES } from './change_asked.ts';

const SRC = resolve(import.meta.dirname, '../src');

/** The simulated world restates the laws by itself, on purpose: what it names is no cost of the daemon. */
const APART = /^(?:simulation|policy_tests|backtest)\//;

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !APART.test(path))
  .map((path) => ({ path, text: withoutComments(readFileSync(join(SRC, path), 'utf8')) }));

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

/** Files that name it: in quotes, as a key or as a property. */
export function naming(name: string): readonly string[] {
  const named = new RegExp(`['"\`]${name}['"\`]|\\b${name}\\??:|\\.${name}\\b`);
  return sources.filter(({ text }) => named.test(text)).map(({ path }) => path);
}

/** Files that have it as a whole identifier. */
const containing = (name: string): readonly string[] =>
  sources.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text)).map(({ path }) => path);

/** Files outside a folder that import from it. */
export const importing = (folder: string): readonly string[] =>
  sources
    .filter(({ path }) => !path.startsWith(`${folder}/`))
    .filter(({ path, text }) =>
      [...text.matchAll(/from '(\.[^']+)'/g)].some(([, to]) =>
        relative(SRC, resolve(SRC, dirname(path), to!)).startsWith(`${folder}/`),
      ),
    )
    .map(({ path }) => path);

const foldersIn = (room: string): readonly string[] =>
  readdirSync(join(SRC, room), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${room}/${name}`);

export interface Cost {
  readonly change: string;
  /** How many of them there are. */
  readonly of: number;
  /** Files outside its own, for the least and for the most entangled. */
  readonly least: number;
  readonly most: number;
  /** Those of the least entangled. */
  readonly files: readonly string[];
}

function costOf(change: string, each: readonly (readonly string[])[]): Cost {
  const sorted = each.toSorted((a, b) => a.length - b.length);
  const [files = []] = sorted;
  return { change, of: each.length, least: files.length, most: sorted.at(-1)?.length ?? 0, files };
}

/** Names that are those of symptoms too: where they stand for which cannot be seen from the text. */
const SYMPTOM_NAMES: ReadonlySet<string> = new Set(SYMPTOMS);

/** What has no column of its own: the files that must, and those that may, name a new one. */
export function costs(): readonly Cost[] {
  const own = (tool: string) => naming(tool).filter((path) => path !== `remediation/tools/${tool}.ts`);
  const changing = TOOL_NAMES.filter((name) => TOOL_SPECS.get(name)?.effect !== 'observe');
  const looking = TOOL_NAMES.filter((name) => TOOL_SPECS.get(name)?.effect === 'observe');
  const engines = foldersIn('engine');
  const receivers = foldersIn('escalate/receivers');
  return [
    costOf('tool that looks', looking.map(own)),
    costOf('tool that changes', changing.map(own)),
    costOf('engine', engines.map(importing)),
    costOf('receiver', receivers.map(importing)),
    costOf(
      'collector',
      ['syslog', 'journald', 'intake', 'prometheus'].map((kind) => importing(`collect/${kind}`)),
    ),
    costOf(
      'classification',
      FAILURE_CLASSES.filter((name) => !SYMPTOM_NAMES.has(name)).map((name) => naming(name)),
    ),
    costOf('planner', [sources.filter(({ text }) => /agent\/planner\.ts'/.test(text)).map(({ path }) => path)]),
    costOf('envelope field', ['lastingMs', 'cooldownRemaining', 'lastAction', 'errorFrequency'].map(containing)),
    costOf(
      'envelope field that decides',
      ['containmentMode', 'channelHealthy', 'lastErrorType', 'failureClassification'].map(containing),
    ),
  ];
}

export interface Walk {
  /** Files with a function that ran while one line was taken, from its bytes until the incident is decided about. */
  readonly line: readonly string[];
  /** Files with a function that ran from then on, until the run about it had ended. */
  readonly run: readonly string[];
}

const LINES = `persona: system_admin
cases:
  - name: one line
    given:
      logs: ['2026-01-01 12:00:00,000 INFO exited: news (terminated by SIGKILL; not expected)']
      probes: { process: exited, exit_signal: 9, output: still }
    expect: { tool: restart_channel, outcome: resolved }
`;

/** Lets one line of a supervisor go through the daemon's own path, and asks the runtime which functions ran. */
export async function walk(): Promise<Walk> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const ran = async (): Promise<readonly string[]> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0),
      )
      .flatMap(({ url }) => (url.startsWith('file:') ? [relative(SRC, fileURLToPath(url))] : []))
      .filter((path) => !path.startsWith('..') && !APART.test(path) && !/^(?:replay|core|app)\//.test(path))
      .toSorted();
  };
  const files = policyTestFiles({ tools: [...TOOL_SPECS.values()], cwd: tmpdir(), env: {} });
  let taken: Promise<readonly string[]> | undefined;
  const watched: CreateDetector = (ports) => {
    const recognising = detectorOf(files)(ports);
    const { detector } = recognising;
    const counting = Object.assign(Object.create(detector), {
      accept: (chunk: Parameters<typeof detector.accept>[0]) => {
        void session.post('Profiler.takePreciseCoverage');
        const counted = detector.accept(chunk);
        taken = ran();
        return counted;
      },
    });
    return { ...recognising, detector: counting };
  };
  const folder = mkdtempSync(join(tmpdir(), 'reeve-walk-'));
  try {
    const file = join(folder, 'walk.yaml');
    writeFileSync(file, LINES);
    const { results, problems } = await runPolicy([file], files, watched);
    if (problems.length > 0 || results.some(({ differences }) => differences.length > 0)) {
      throw new Error(`the line did not go its way: ${JSON.stringify({ results, problems })}`);
    }
    const run = await ran();
    return { line: (await taken) ?? [], run };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    session.disconnect();
  }
}

if (process.argv[1] === import.meta.filename) {
  for (const { change, of, least, most, files } of costs()) {
    process.stdout.write(
      `| ${change} | ${least} to ${most} (of ${of}) | ${files.map((file) => `\`${file}\``).join(', ')} |\n`,
    );
  }
  for (const change of HALF_CHANGES) {
    process.stdout.write(`asked for by the compiler: ${change}: ${askedFor(change).join(' ')}\n`);
  }
  const { line, run } = await walk();
  process.stdout.write(`line: ${line.length} files: ${line.join(' ')}\n`);
  process.stdout.write(`run: ${run.length} files: ${run.join(' ')}\n`);
}
