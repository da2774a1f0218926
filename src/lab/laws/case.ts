import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import type { Script } from '../script.ts';

export interface Violation {
  /** The law's id, as in docs/guard.md; `internal` and `invariant` for Reeve's own bugs. */
  readonly law: string;
  readonly atMs: number;
  readonly because: string;
}

/** What every oracle may know: the configuration, the world's clock, and where to complain. */
export interface Case {
  readonly script: Script;
  readonly limits: Limits;
  readonly persona: Persona;
  readonly nowMs: () => number;
  readonly broke: (law: string, because: string) => void;
}
