/** Reads the file that `reeve trace --export` wrote. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { personaDocument } from '../core/persona.ts';
import { fromWire } from '../core/wire.ts';
import { limitProblems } from '../guard/limits.ts';
import { EXPORT_FORMAT, EXPORT_VERSION, type IncidentExport } from '../incident/export.ts';

const BYTES_MAX = 64 * 1024 * 1024;

const entry = z.looseObject({
  seq: z.number(),
  at: z.number(),
  mono_ms: z.number(),
  fact: z.looseObject({ type: z.string() }),
});

const document = z.looseObject({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  incident: z.looseObject({ id: z.string(), group: z.string(), engine: z.string() }),
  persona: personaDocument,
  limits: z.record(z.string(), z.number()),
  phase: z.int().min(0).max(4),
  channels: z.array(z.looseObject({ id: z.string(), group: z.string(), engine: z.string() })),
  capabilities: z.array(z.looseObject({ engine: z.string(), can: z.array(z.string()) })),
  entries: z.array(entry).min(1),
  context: z.array(entry),
});

/** Reads what `reeve trace --export` wrote. Throws USAGE that says what is missing. */
export function readIncident(path: string): IncidentExport {
  const value = jsonAt(path);
  const result = document.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new ReeveError('USAGE', `${path} is no exported incident: ${issue?.path.join('.')}: ${issue?.message}`, {
      hint: 'reeve trace INCIDENT --export FILE writes one',
    });
  }
  const exported = fromWire<IncidentExport>({ ...result.data, persona: null });
  const limits: Limits = { ...DEFAULT_LIMITS, ...exported.limits };
  const problems = limitProblems(limits, Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]);
  if (problems.length > 0) throw new ReeveError('USAGE', `${path}: its limits are not sound: ${problems.join('; ')}`);
  // The persona's keys are those of its file; they are not renamed.
  return { ...exported, limits, persona: result.data.persona };
}

function jsonAt(path: string): unknown {
  try {
    if (statSync(path).size > BYTES_MAX) throw new ReeveError('USAGE', `${path} has more than ${BYTES_MAX} bytes`);
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (thrown) {
    if (thrown instanceof ReeveError) throw thrown;
    throw new ReeveError('USAGE', `a readable incident was expected at ${path}: ${messageOf(thrown)}`);
  }
}
