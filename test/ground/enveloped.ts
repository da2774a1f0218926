import type { EnvelopeHistory, Signal } from '../../src/core/envelope.ts';
import type { SymptomKind } from '../../src/core/symptom.ts';
import type { Assessment } from '../../src/ground/rules/classify.ts';
import { noFacts } from '../../src/ground/facts/facts.ts';
import type { SymptomFacts } from '../../src/ground/facts/symptom_facts.ts';
import { trouble } from './fleet.ts';
import { EPOCH, setupOf } from './scene.ts';

/* What goes into an envelope: the counts of the guard, a moment, witnesses, symptoms and findings. */

export const COUNTS: EnvelopeHistory = {
  restartCount: 2,
  restartVelocity: 3,
  lastAction: 'restart_channel',
  cooldownRemaining: 1_500,
  containmentMode: { active: false },
  sharedCause: false,
  lastingMs: 4_000,
};
export const MOMENT = { at: EPOCH, nowMs: 5_000 };
/** What comes of `COUNTS` and `MOMENT`. */
export const COMMON = {
  restartCount: 2,
  restartVelocity: 3,
  lastAction: 'restart_channel',
  cooldownRemaining: 1_500,
  timestamp: EPOCH,
  containmentMode: { active: false },
  takenMs: 5_000,
  lastingMs: 4_000,
};

export const PROBE: Signal = {
  origin: 'probe',
  says: 'playlist unchanged for 14 s',
  symptom: 'stalled_output',
  monoMs: 1,
};
export const LOG: Signal = { origin: 'log', says: 'said 3 times', symptom: 'upstream_timeout', monoMs: 2 };

export const symptomOf = (kind: SymptomKind, lastMs: number, ...texts: readonly string[]): SymptomFacts => ({
  kind,
  origin: 'log',
  at: lastMs,
  firstMs: 0,
  lastMs,
  count: 1,
  windowMs: 60_000,
  confidence: 0.9,
  pattern: undefined,
  evidence: texts.map((text) => ({ source: 'news.err', text })),
});
export const factsOf = (id: string, symptoms: readonly SymptomFacts[] = []) => ({
  ...noFacts(setupOf(id, { group: 'pull', engine: 'local' })),
  symptoms,
});
export const down = (extra: Partial<Assessment> = {}): Assessment => ({ ...trouble('upstream_unavailable'), ...extra });
