/** Reads from a recorded incident whether its shared cause was proven to be over. */
import type { CauseProof } from '../guard/checks/check_input.ts';
import type { IncidentExport } from '../incident/export.ts';

/** The envelope does not hold it, but the guard's answer does: what was not contained then was proven to be over. */
export function proofIn({ entries, incident }: IncidentExport, envelopeSeq: number): CauseProof | undefined {
  if (incident.scope.kind === 'channel') return undefined;
  const next = entries.find(
    ({ seq, fact }) => seq > envelopeSeq && (fact.type === 'envelope.taken' || fact.type === 'guard.decided'),
  );
  if (next?.fact.type !== 'guard.decided') return undefined;
  const asked = next.fact.decision.trace.find(({ question }) => question === 'containment');
  const isProven = asked?.verdict === 'pass';
  return { isProven, atMs: undefined, says: isProven ? 'by the record it was over' : 'by the record it was not over' };
}
