/** `reeve trace`: one incident, or anything else that the memory holds, as the process that led to it. */
import type { Command } from 'commander';
import { ReeveError } from '../../core/errors.ts';
import { fromWire } from '../../core/wire.ts';
import type { TreeNode } from '../../memory/process_tree.ts';
import type { Cli } from '../context.ts';
import { json, paint, plain } from '../output.ts';
import { writeOutput } from '../output_file.ts';
import { leftOutText, storyOf, type WireStory } from '../story.ts';
import { treeOfMemory, treeOfStory } from '../tree.ts';

interface Story extends WireStory {
  readonly id: string;
}

interface TraceOptions {
  readonly export?: string;
  readonly story?: boolean;
}

/** Incidents that are looked through for the beginning of an id. */
const LOOKED_THROUGH = 1_000;
const SHOWN_MAX = 8;

export function addTrace(program: Command, cli: Cli): void {
  program
    .command('trace <id>')
    .description(
      'an incident as a tree: symptoms, envelope, plan, guard, action, verification, outcome, page. The beginning of ' +
        'its id is enough; with the memory on, the id of a question, an insight or any node will do',
    )
    .option('--story', 'one line a fact, in the order of time')
    .option('--export <file>', 'write the incident as one file that reeve backtest --incident replays (- for stdout)')
    .addHelpText('after', '\nExample: reeve trace inc-3f2a')
    .action(async (id: string, options: TraceOptions) => {
      const story = await storyOfPrefix(cli, id);
      if (story === undefined) return traceNode(cli, id, options);
      const path = `/api/v1/incidents/${encodeURIComponent(story.id)}/export`;
      if (options.export !== undefined) return exportTo(cli, options.export, await cli.client().get(path));
      if (cli.wantsJson()) return json(cli.terminal, story);
      const text = options.story
        ? storyOf(story, (colour, part) => paint(cli.terminal, colour, part))
        : `${treeOfStory(cli.terminal, story.entries)}${story.left_out ? `\n${leftOutText(story)}` : ''}`;
      cli.terminal.out(`${text}\n`);
    });
}

/** What the daemon answers; undefined where it knows no such thing. */
const asked = <T>(cli: Cli, path: string): Promise<T | undefined> =>
  cli
    .client()
    .get<T>(path)
    .catch((thrown: unknown) => {
      if (thrown instanceof ReeveError && thrown.code === 'NOT_FOUND') return undefined;
      throw thrown;
    });

const incidentOf = (cli: Cli, id: string) => asked<Story>(cli, `/api/v1/incidents/${encodeURIComponent(id)}`);

/** The story of the incident of this id, or of the only one that begins so; undefined where there is none. */
async function storyOfPrefix(cli: Cli, prefix: string): Promise<Story | undefined> {
  const exact = await incidentOf(cli, prefix);
  if (exact !== undefined) return exact;
  const node = await asked<{ id: string; type: string }>(
    cli,
    `/api/v1/memory/nodes/${encodeURIComponent(prefix)}?limit=1`,
  );
  if (node !== undefined) return node.type === 'incident' ? incidentOf(cli, node.id) : undefined;
  const list = await asked<{ incidents: readonly Story[] }>(cli, `/api/v1/incidents?limit=${LOOKED_THROUGH}`);
  const found = (list?.incidents ?? []).map(({ id }) => id).filter((id) => id.startsWith(prefix));
  if (found.length > 1) {
    const shown = found.slice(0, SHOWN_MAX).map(plain).join(', ');
    throw new ReeveError('USAGE', `${plain(prefix)} is the beginning of ${found.length} incidents: ${shown}`);
  }
  return found[0] === undefined ? undefined : incidentOf(cli, found[0]);
}

async function traceNode(cli: Cli, id: string, options: TraceOptions): Promise<void> {
  const answer = await asked<{ tree: unknown }>(cli, `/api/v1/memory/trees/${encodeURIComponent(id)}`);
  if (answer === undefined || options.export !== undefined || options.story)
    throw new ReeveError('USAGE', `there is no such incident: ${plain(id)}`, { hint: 'reeve incidents lists them' });
  if (cli.wantsJson()) return json(cli.terminal, answer);
  cli.terminal.out(`${treeOfMemory(cli.terminal, fromWire<TreeNode>(answer.tree))}\n`);
}

/** Log excerpts are part of it: only its owner may read the file. */
function exportTo(cli: Cli, file: string, document: { readonly left_out?: number }): void {
  if (file === '-') return json(cli.terminal, document);
  const output = { path: file, text: `${JSON.stringify(document)}\n` };
  writeOutput([output], { what: `the incident could not be written to ${file}`, mode: 0o600 });
  const { left_out: leftOut = 0 } = document;
  if (leftOut > 0) cli.terminal.err(`the newest ${leftOut} records of it did not fit\n`);
  cli.terminal.err(`wrote ${file}; replay it with: reeve backtest --incident ${file}\n`);
}
