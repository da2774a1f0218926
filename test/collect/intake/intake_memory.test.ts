import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INTAKE_FORMATS } from '../../../src/http/intake.ts';
import { aDirectory } from '../support/tailing.ts';
import { WORST_BODIES } from '../support/worst_bodies.ts';

const PROGRAM = join(import.meta.dirname, '../support/peak_of_take.ts');
const GROWN_BYTES_MAX = 20 * 1024 * 1024;
/** A body takes a tenth of this on an idle core; a body without limits took two seconds. */
const CPU_MS_MAX = 1_000;

/** The options that the daemon gives V8. */
const flags = (): readonly string[] => {
  const program = readFileSync(join(import.meta.dirname, '../../../bin/reeve.js'), 'utf8');
  return [.../const SMALL = \[([^\]]*)\]/.exec(program)![1]!.matchAll(/'(--[^']+)'/g)].map(([, flag]) => flag!);
};

interface Cost {
  readonly path: string;
  readonly result: string;
  readonly cpuMs: number;
  /** At its highest, above what it was just before. */
  readonly grownBytes: number;
  /** Just before, above what it was before all of them. */
  readonly keptBytes: number;
}

function costsOf(format: (typeof INTAKE_FORMATS)[number]): readonly Cost[] {
  const folder = aDirectory();
  const paths = Object.entries(WORST_BODIES[format]).map(([name, body]) => {
    writeFileSync(join(folder, name), body);
    return join(folder, name);
  });
  const args = [...flags(), '--expose-gc', '--no-warnings', PROGRAM, format, ...paths];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Cost);
}

describe('a body that is made to cost much', () => {
  it.skipIf(!existsSync('/proc/self/clear_refs')).each(INTAKE_FORMATS)(
    '%s costs at most 20 MB and little time, taken or refused (skipped beyond Linux)',
    { timeout: 60_000 },
    (format) => {
      const costs = costsOf(format);
      expect(costs).toHaveLength(Object.keys(WORST_BODIES[format]).length - 1);
      for (const cost of costs) {
        expect(cost.grownBytes, JSON.stringify(cost)).toBeLessThan(GROWN_BYTES_MAX);
        expect(cost.keptBytes, JSON.stringify(cost)).toBeLessThan(GROWN_BYTES_MAX);
        expect(cost.cpuMs, JSON.stringify(cost)).toBeLessThan(CPU_MS_MAX);
      }
    },
  );
});
