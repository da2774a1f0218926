/** Rules that were found and wait for a person: files that are written once, and read when a trouble comes back. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../resilience/make_directory.ts';
import { type LibraryRuleDocument, parseLibraryRule } from './document.ts';
import type { Rule } from './rule.ts';
import { readOr } from './rule_file.ts';

const SUFFIX = '.rule.yaml';
const READ_MAX = 1_000;

export class KeptRules {
  readonly #folder: string | undefined;

  /** Undefined: nothing is written and nothing is known. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  has(name: string): boolean {
    return this.#folder !== undefined && existsSync(join(this.#folder, `${name}${SUFFIX}`));
  }

  keep(rule: Rule): void {
    if (this.#folder === undefined || this.has(rule.name)) return;
    makeDirectory(this.#folder);
    rule.toYaml(join(this.#folder, `${rule.name}${SUFFIX}`));
  }

  /** The sound ones, by name. */
  all(): readonly LibraryRuleDocument[] {
    const folder = this.#folder;
    if (folder === undefined || !existsSync(folder)) return [];
    const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'));
    return names
      .sort()
      .slice(0, READ_MAX)
      .flatMap((name) => {
        const bytes = readOr(name, [], () => readFileSync(join(folder, name)));
        return (bytes && parseLibraryRule(name, bytes).document) ?? [];
      });
  }
}
