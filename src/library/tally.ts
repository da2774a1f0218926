/** What rules of the library have done, kept in one small file. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../core/errors.ts';
import { makeDirectory } from '../resilience/make_directory.ts';
import { emptyRecord } from '../rulebook/record/record.ts';
import { isStruggling } from '../rulebook/record/maturity.ts';
import type { Outcomes } from '../rulebook/record/uplift.ts';

const counts = z.object({ successes: z.int().min(0), failures: z.int().min(0) });
const tallyDocument = z.object({
  resolves: z.int().min(0),
  explorations: z.int().min(0),
  model_asked: z.int().min(0),
  cost_micros: z.number().min(0),
  rules: z.array(counts.extend({ rule: z.string() })).max(20_000),
});
type Written = z.output<typeof tallyDocument>;

/** Counts over all sessions; `llmNeededRatio` is 0 to 1. */
export interface LibraryStats {
  readonly resolves: number;
  readonly explorations: number;
  /** Of all troubles that a rule or a model was asked for: the share in which a model was asked. */
  readonly llmNeededRatio: number;
  readonly costMicros: number;
  readonly top: readonly ({ readonly rule: string } & Outcomes)[];
  readonly struggling: readonly ({ readonly rule: string } & Outcomes)[];
}

const SHOWN = 5;
const NOTHING: Written = { resolves: 0, explorations: 0, model_asked: 0, cost_micros: 0, rules: [] };

export class Tally {
  readonly #file: string | undefined;
  readonly #log: ((line: string) => void) | undefined;
  /** The last write failed. */
  #isStuck = false;
  readonly #rules = new Map<string, Outcomes>();
  #totals: Omit<Written, 'rules'>;

  /** Without a directory nothing is kept. A file that cannot be read as counts is put aside and begun anew. */
  constructor(directory: string | undefined, log?: (line: string) => void) {
    this.#log = log;
    this.#file = directory === undefined ? undefined : join(directory, 'runs', 'stats.json');
    const { rules, ...totals } = this.#read();
    this.#totals = totals;
    for (const { rule, ...outcomes } of rules) this.#rules.set(rule, outcomes);
  }

  recordOf(rule: string): Outcomes | undefined {
    return this.#rules.get(rule);
  }

  note(rule: string, cured: boolean): void {
    const { successes, failures } = this.#rules.get(rule) ?? { successes: 0, failures: 0 };
    this.#rules.set(rule, { successes: successes + (cured ? 1 : 0), failures: failures + (cured ? 0 : 1) });
    this.#write();
  }

  count(what: 'resolves' | 'explorations' | 'model_asked', costMicros = 0): void {
    this.#totals = {
      ...this.#totals,
      [what]: this.#totals[what] + 1,
      cost_micros: this.#totals.cost_micros + costMicros,
    };
    this.#write();
  }

  stats(): LibraryStats {
    const { resolves, explorations, model_asked: asked, cost_micros: costMicros } = this.#totals;
    const rows = [...this.#rules].map(([rule, outcomes]) => ({ rule, ...outcomes }));
    const by = (key: 'successes' | 'failures') =>
      [...rows].sort((a, b) => b[key] - a[key] || (a.rule < b.rule ? -1 : 1)).slice(0, SHOWN);
    const total = resolves + asked;
    return {
      ...{ resolves, explorations, costMicros },
      llmNeededRatio: total === 0 ? 0 : asked / total,
      top: by('successes').filter(({ successes }) => successes > 0),
      struggling: by('failures').filter((row) => isStruggling({ ...emptyRecord(row.rule), treated: row })),
    };
  }

  #read(): Written {
    if (this.#file === undefined || !existsSync(this.#file)) return NOTHING;
    try {
      return tallyDocument.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch (thrown) {
      this.#putAside(this.#file, thrown instanceof z.ZodError ? z.prettifyError(thrown) : messageOf(thrown));
      return NOTHING;
    }
  }

  /** In place of what was put aside before. */
  #putAside(file: string, because: string): void {
    const [broken, why] = [`${file}.broken`, `${file}: ${because.replaceAll(/\s+/g, ' ')}`];
    try {
      renameSync(file, broken);
      this.#log?.(`what rules have done begins anew: ${why}; it was put aside as ${basename(broken)}`);
    } catch (thrown) {
      this.#log?.(`what rules have done begins anew: ${why}; it could not be put aside: ${messageOf(thrown)}`);
    }
  }

  /** A disk that takes nothing undoes no action and no cure: what is counted is written with the next. */
  #write(): void {
    if (this.#file === undefined) return;
    try {
      this.#save(this.#file);
      this.#isStuck = false;
    } catch (thrown) {
      if (!this.#isStuck) this.#log?.(`what rules have done cannot be written down: ${messageOf(thrown)}`);
      this.#isStuck = true;
    }
  }

  #save(file: string): void {
    makeDirectory(dirname(file));
    const rules = [...this.#rules].map(([rule, outcomes]) => ({ rule, ...outcomes }));
    const written: Written = { ...this.#totals, rules };
    const draft = `${file}.${process.pid}.tmp`;
    writeFileSync(draft, `${JSON.stringify(written)}\n`);
    renameSync(draft, file);
  }
}

/** The same in a few lines for people. */
export function statsText(stats: LibraryStats): string {
  const row = ({ rule, successes, failures }: { readonly rule: string } & Outcomes) =>
    `  ${rule.padEnd(28)} ${successes}s / ${failures}f`;
  const part = (title: string, rows: LibraryStats['top']) => (rows.length === 0 ? [] : [title, ...rows.map(row)]);
  const needed = `a model needed in ${Math.round(stats.llmNeededRatio * 100)} %`;
  return [
    `${stats.resolves} resolves, ${stats.explorations} explorations, ${needed}`,
    ...part('top rules:', stats.top),
    ...part('struggling:', stats.struggling),
    `total cost: ${(stats.costMicros / 1e6).toFixed(2)}`,
  ].join('\n');
}
