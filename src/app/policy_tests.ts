/** Gives `reeve test` the configured or shipped files. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { recognitionFor } from './recognition.ts';
import { compiledOf } from '../config/patterns.ts';
import type { PolicyAnswer, PolicyTests } from '../cli/commands/policy.ts';
import { unsound } from '../config/check.ts';
import { compositesFrom } from '../config/composites.ts';
import { findConfigFile, SHIPPED } from '../config/document/paths.ts';
import { loadYamlFolder } from '../config/files.ts';
import { type Configuration, type LoadOptions, loadConfiguration } from '../config/load.ts';
import { loadPersonas } from '../config/personas.ts';
import { loadRules } from '../config/rules.ts';
import { type Problem, ReeveError } from '../core/errors.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { createChannelTable } from '../detect/channel_table.ts';
import type { CreateDetector } from '../policy_tests/by_logs.ts';
import type { PolicySet } from '../policy_tests/frame.ts';
import { answerToWire, runPolicy } from '../policy_tests/report.ts';

/** What the laboratory works with: the operator's files where there is a configuration, else the shipped ones. */
export interface PolicyTestFiles extends PolicySet {
  readonly configuration: Configuration | undefined;
  readonly patterns: Configuration['patterns'];
}

/** Throws CONFIG_INVALID with every problem. */
export function policyTestFiles(options: LoadOptions): PolicyTestFiles {
  const { flags = {}, env = {}, cwd = process.cwd(), tools } = options;
  if (findConfigFile(flags, env, cwd) === undefined) return shippedFiles(tools);
  const { configuration, problems } = loadConfiguration(options);
  if (configuration === undefined) throw refusal(problems);
  const { personas, rules, composites, patterns, config } = configuration;
  return { configuration, personas, rules, composites, patterns, limits: config.limits };
}

function shippedFiles(tools: LoadOptions['tools']): PolicyTestFiles {
  const { personas, problems: first } = loadPersonas(resolve(SHIPPED, 'personas'));
  const { composites, problems: third } = compositesFrom(loadYamlFolder(resolve(SHIPPED, 'config/actions'), '.yaml'));
  const { rules, problems: second } = loadRules(resolve(SHIPPED, 'config/rules'), tools, composites);
  const patterns = loadYamlFolder(resolve(SHIPPED, 'config/patterns'), '.yaml');
  const problems = [...first, ...third, ...second, ...compiledOf(patterns).problems];
  if (problems.length > 0) throw refusal(problems);
  return { configuration: undefined, personas, rules, composites, patterns, limits: DEFAULT_LIMITS };
}

const refusal = (problems: readonly Problem[]): ReeveError =>
  unsound(problems, 'Nothing was run. reeve check lists the problems again.');

/** The daemon's own recognition of lines, over the patterns of these files. */
export const detectorOf =
  ({ patterns }: Pick<PolicyTestFiles, 'patterns'>): CreateDetector =>
  ({ clock, channels, engines, onSymptom, onSample }) => {
    const table = createChannelTable(
      channels.map(({ id }) => id),
      channels.map(({ id, name, engine }) => ({ name, channel: id, engine })),
      engines,
    );
    return recognitionFor({ patterns }, table, { clock, onSymptom, onSample, onNotice: () => undefined });
  };

/** `reeve test`: the policy tests of a folder (or of one file). */
export const policyTests =
  (load: () => LoadOptions): PolicyTests =>
  async (place): Promise<PolicyAnswer> => {
    const options = load();
    const files = policyTestFiles(options);
    const { results, problems } = await runPolicy(policyFilesIn(placesOf(place, options)), files, detectorOf(files));
    if (problems.length > 0) throw refusal(problems.map((one) => ({ ...one, file: near(one.file) })));
    return { cases: results.map((result) => answerToWire({ ...result, file: near(result.file) })) };
  };

const near = (file: string): string => {
  const path = relative(process.cwd(), file);
  return path === '' || path.startsWith('..') ? file : path;
};

const USUAL_PLACE = 'test/policy';

/** Where policy tests may lie, best first. Without a name: from here, and where `reeve init` puts them. */
function placesOf(path: string | undefined, options: LoadOptions): readonly string[] {
  const { flags = {}, env = {}, cwd = process.cwd() } = options;
  if (path !== undefined) return [resolve(cwd, path)];
  const home = dirname(findConfigFile(flags, env, cwd) ?? '');
  const beside = basename(home) === 'config' ? [join(dirname(home), USUAL_PLACE)] : [];
  return [...new Set([resolve(cwd, USUAL_PLACE), ...beside])];
}

function policyFilesIn(places: readonly string[]): readonly string[] {
  const place = places.find((one) => existsSync(one));
  if (place === undefined) {
    throw new ReeveError('USAGE', `a folder of policy tests was expected at ${places.join(' or ')}`, {
      hint: 'reeve init writes an example; reeve test DIR names another place',
    });
  }
  if (!statSync(place).isDirectory()) return [place];
  const names = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ya?ml$/.test(name));
  if (names.length > 0) return names.sort().map((name) => join(place, name));
  throw new ReeveError('USAGE', `no policy tests (*.yaml) in ${place}`, { hint: 'reeve init writes an example' });
}
