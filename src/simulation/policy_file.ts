/** The persona file that simulated operators edit. */
import { type Persona, personaDocument } from '../core/persona.ts';

export interface PolicyFileDeps {
  /** Channels whose own persona lets nothing be restarted. */
  readonly untouchable: ReadonlySet<string>;
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  /** A sound edit stands in the file. */
  readonly onEdit: () => void;
}

/** What a person may write into the file: the first five allow less, the sixth allows more, the last is broken. */
const EDITS: readonly ((persona: Persona) => unknown)[] = [
  (persona) => ({ ...persona, tool_access_policy: { ...persona.tool_access_policy, restart_channel: 'deny' } }),
  (persona) => ({ ...persona, restart_cap: 0 }),
  (persona) => ({ ...persona, restart_cap: Math.min(1, persona.restart_cap) }),
  (persona) => ({ ...persona, operational_mode: 'diagnostic' }),
  (persona) => ({ ...persona, planning_depth_max: Math.min(1, persona.planning_depth_max) }),
  (persona) => ({ ...persona, restart_cap: Math.min(10, persona.restart_cap + 3) }),
  (persona) => ({ ...persona, restart_cap: 'unlimited' }),
];

/** The persona on the disk, which people edit while Reeve runs. A broken edit changes nothing. */
export class PolicyFile {
  readonly #deps: PolicyFileDeps;
  readonly #first: Persona;
  #persona: Persona;
  #edits = 0;

  constructor(persona: Persona, deps: PolicyFileDeps) {
    this.#deps = deps;
    this.#first = persona;
    this.#persona = persona;
  }

  /** As Reeve has it after its last good reload. */
  get persona(): Persona {
    return this.#persona;
  }

  /** A channel's own persona, or the one of all. */
  personaOf(channel: string | undefined): Persona {
    const { untouchable } = this.#deps;
    if (channel === undefined || !untouchable.has(channel)) return this.#persona;
    const { tool_access_policy, ...others } = this.#persona;
    return { ...others, tool_access_policy: { ...tool_access_policy, restart_channel: 'deny' } };
  }

  /** Edits it, and takes the edit back after `forMs` unless another one came meanwhile. */
  reload(variant: number, forMs: number): void {
    this.#edits += 1;
    const edit = this.#edits;
    const { success, data } = personaDocument.safeParse(EDITS[Math.floor(variant * EDITS.length)]!(this.#first));
    if (success) this.#write(data);
    this.#deps.at(this.#deps.nowMs() + forMs, () => {
      if (edit === this.#edits) this.#write(this.#first);
    });
  }

  #write(persona: Persona): void {
    if (persona === this.#persona) return;
    this.#persona = persona;
    this.#deps.onEdit();
  }
}
