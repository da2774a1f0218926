/** The commands about files that an operator edits. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { z } from 'zod';
import { checkAll, checkReport, type FileKind, formatProblem, warningsIn } from '../../config/check.ts';
import type { LoadOptions } from '../../config/load.ts';
import { init } from '../../config/init.ts';
import { jsonSchemaOf, OWN_DOCUMENTS } from '../../config/schema.ts';
import { type Problem, ReeveError } from '../../core/errors.ts';
import { json } from '../output.ts';
import type { Cli } from '../context.ts';

export interface FilesDeps {
  /** How the configuration is loaded, with the checks of every room. */
  readonly load: () => LoadOptions;
  /** Kinds and documents of other rooms are loaded when they are asked for: the daemon has no use for most of them. */
  readonly kinds: () => Promise<readonly FileKind[]>;
  /** Of hints: in these Markdown files, or in those of the configuration where none is named. */
  readonly hints: (files: readonly string[]) => Promise<readonly Problem[]>;
  /** By the name that `reeve schema` takes. */
  readonly documents: Readonly<Record<string, () => Promise<z.ZodType>>>;
}

/** Elsewhere it would find another file, or none. */
const reeveIn = (directory = '.'): string =>
  resolve(directory) === resolve('.') ? 'reeve' : `reeve -c ${join(directory, 'config/reeve.yaml')}`;

/** A folder of hints stands for the Markdown in it; where anything of YAML lies beside, it is another folder. */
function hintsIn(path: string): readonly string[] {
  const names = namesIn(path).filter((name) => /^[^.].*\.(?:md|ya?ml)$/.test(name));
  const areHints = names.length > 0 && names.every((name) => name.endsWith('.md'));
  return areHints ? names.sort().map((name) => join(path, name)) : [path];
}

/** None of what is no folder, or may not be read: its check says so. */
function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Commands about the files that an operator edits. They need no daemon. */
export function addFiles(program: Command, cli: Cli, deps: FilesDeps): void {
  program
    .command('check [files...]')
    .description('validate configuration, personas, rules, patterns, hints and policy tests: every problem at once')
    .addHelpText('after', '\nExample: reeve check personas/cautious.yaml')
    .action(async (files: string[]) => {
      const named = files.flatMap(hintsIn);
      const markdown = named.filter((file) => file.endsWith('.md'));
      const others = named.filter((file) => !file.endsWith('.md'));
      const options = { ...deps.load(), files: others, kinds: await deps.kinds() };
      const isOnlyHints = markdown.length > 0 && others.length === 0;
      const ofHints = others.length > 0 && markdown.length === 0 ? [] : await deps.hints(markdown);
      const problems = [...(isOnlyHints ? [] : checkAll(options)), ...ofHints];
      const warnings = warningsIn(options);
      if (!cli.wantsJson()) cli.terminal.err(warnings.map((one) => `warning: ${formatProblem(one)}\n`).join(''));
      if (cli.wantsJson()) json(cli.terminal, checkReport(problems, warnings));
      else if (problems.length === 0) cli.terminal.out('everything is sound\n');
      else cli.terminal.out(`${problems.map(formatProblem).join('\n')}\n`);
      if (problems.length > 0) cli.fail(1);
    });

  const names = [...new Set([...Object.keys(OWN_DOCUMENTS), ...Object.keys(deps.documents)])];
  program
    .command('schema <kind>')
    .description(`JSON Schema for editors: ${names.join(', ')}`)
    .addHelpText('after', '\nExample: reeve schema persona > persona.schema.json')
    .action(async (kind: string) => {
      const load = Object.hasOwn(deps.documents, kind) ? deps.documents[kind] : undefined;
      const schema = jsonSchemaOf(kind, load === undefined ? {} : { [kind]: await load() });
      if (schema === undefined) throw new ReeveError('USAGE', `expected one of ${names.join(', ')}, got ${kind}`);
      cli.terminal.out(`${JSON.stringify(schema, null, 2)}\n`);
    });

  program
    .command('init [directory]')
    .description('write a commented first configuration for the engines that are found here')
    .addHelpText('after', '\nExample: reeve init .')
    .action(async (directory: string | undefined) => {
      const { written, kept, found, managers } = await init(directory ?? '.');
      if (cli.wantsJson()) return json(cli.terminal, { written, kept, found: found ?? null, managers });
      const lines = [...written.map((path) => `wrote ${path}`), ...kept.map((path) => `kept ${path} as it was`)];
      const reeve = reeveIn(directory);
      cli.terminal.out(`${lines.join('\n')}\nnext: ${reeve} check && ${reeve} run\n`);
    });
}
