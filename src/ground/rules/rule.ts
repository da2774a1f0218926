// Defines what a classification rule is and what it gives back.
import type { FailureClass } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { Signal } from '../../core/envelope.ts';
import type { SymptomKind } from '../../core/symptom.ts';
import type { ClassifyInput } from './classify_input.ts';

/** A look that, taken now, would settle a doubt. */
export type Want = 'source' | 'host' | 'output' | 'process';

/** A row of the table holds: why, and on which evidence. */
export interface Match {
  readonly because: string;
  readonly signals: readonly Signal[];
  readonly symptom?: SymptomKind | undefined;
  /** When the trouble began, as far as it was seen. */
  readonly sinceMs?: MonoMs | undefined;
  /** Facts that speak against it: each takes a third of the confidence. */
  readonly against?: number;
  /** Too early to act on before. */
  readonly notBeforeMs?: MonoMs | undefined;
  readonly wants?: readonly Want[];
}

/** One row: holds for this look, or does not. The function bears the name of its classification. */
export interface Row {
  readonly classification: FailureClass;
  readonly holds: (input: ClassifyInput) => Match | undefined;
}
