/** Proposed rules: immutable files in the state directory, because a service may not write its configuration. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readYaml } from '../config/files.ts';
import { RULE_SUFFIX, type RuleTool, rulesFrom } from '../config/rules.ts';
import { messageOf, type Problem, ReeveError } from '../core/errors.ts';
import { makeDirectory } from '../resilience/make_directory.ts';
import { writeWhole } from '../resilience/write_whole.ts';
import type { Composite, Rule } from '../core/rule.ts';

/** One proposed rule. */
export interface Proposal {
  readonly rule: Rule;
  readonly sha256: string;
  readonly file: string;
  readonly text: string;
}

export interface Proposals {
  /** The sound ones, by name; of two versions of one id the one that was written last. */
  list(): readonly Proposal[];
  /** What is wrong with the others. */
  problems(): readonly Problem[];
  find(id: string): Proposal | undefined;
  /**
   * Writes a proposal, durably, and never over another. The same text again is the same file.
   * Throws CONFIG_INVALID for a text that is not one sound rule, and where there are 1,000 files already.
   */
  write(text: string): Proposal;
}

const FILES_MAX = 1_000;
const MODE = 0o640;

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The store in `directory` (`proposals/rules` of the state directory), which is made when the first one is written. */
export function openProposals(
  directory: string,
  tools: readonly RuleTool[],
  composites: () => readonly Composite[] = () => [],
): Proposals {
  const read = () => {
    const { names, problems } = listed(directory);
    const found = names.map((name) => oneOf(join(directory, name), tools, composites()));
    const proposals = new Map<string, Proposal>();
    for (const { proposal } of found) if (proposal) proposals.set(proposal.rule.id, proposal);
    return { proposals, problems: [...problems, ...found.flatMap((one) => one.problems)] };
  };
  return {
    list: () => [...read().proposals.values()],
    problems: () => read().problems,
    find: (id) => read().proposals.get(id),
    write(text) {
      if (listed(directory).names.length >= FILES_MAX)
        throw new ReeveError('CONFIG_INVALID', `there are ${FILES_MAX} proposals in ${directory} already`, {
          hint: 'Promote or remove some.',
        });
      makeDirectory(directory, 0o750);
      const id = /^id: ([a-z][a-z0-9_]{0,63})$/m.exec(text)?.[1] ?? 'rule';
      const count = String(listed(directory).names.length + 1).padStart(4, '0');
      const file = join(directory, `${count}.${id}.${sha256Of(text).slice(0, 12)}${RULE_SUFFIX}`);
      const twin = listed(directory).names.find((name) =>
        name.endsWith(`.${sha256Of(text).slice(0, 12)}${RULE_SUFFIX}`),
      );
      if (twin === undefined) writeOnce(file, text);
      const { proposal, problems } = oneOf(twin === undefined ? file : join(directory, twin), tools, composites());
      if (proposal) return proposal;
      throw new ReeveError('CONFIG_INVALID', `not a sound rule: ${problems[0]?.message ?? 'no rule in it'}`);
    },
  };
}

/** The files by name. No start fails of a folder that cannot be read: proposals do nothing by themselves. */
function listed(directory: string): { readonly names: readonly string[]; readonly problems: readonly Problem[] } {
  try {
    const found = existsSync(directory) ? readdirSync(directory) : [];
    const names = found.filter((name) => name.endsWith(RULE_SUFFIX) && !name.startsWith('.'));
    return { names: names.sort().slice(0, FILES_MAX), problems: [] };
  } catch (thrown) {
    const message = `expected a readable folder: ${messageOf(thrown)}`;
    const hint = 'check the path, its owner and its mode';
    return { names: [], problems: [{ file: directory, line: 1, column: 1, path: '', message, hint }] };
  }
}

function oneOf(file: string, tools: readonly RuleTool[], composites: readonly Composite[]) {
  const { rules, problems } = rulesFrom([readYaml(file)], tools, composites);
  const [rule] = rules;
  if (rule === undefined || rules.length !== 1 || problems.length > 0) return { proposal: undefined, problems };
  const text = readFileSync(file, 'utf8');
  return { proposal: { rule, sha256: sha256Of(text), file, text }, problems };
}

/** Complete on the disk before it has its name in the journal; refuses to replace what is there. */
function writeOnce(file: string, text: string): void {
  try {
    writeWhole(file, text, { flag: 'wx', mode: MODE });
  } catch (cause) {
    throw new ReeveError('CONFIG_INVALID', `${file} could not be written: ${messageOf(cause)}`, { cause });
  }
}
