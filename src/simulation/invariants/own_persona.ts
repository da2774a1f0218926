/** The oracle of law S9 for the persona on disk. */
import { accessOf, type Persona } from '../../core/persona.ts';
import type { Invocation } from '../effect_log.ts';
import type { InvariantContext } from './context.ts';

/**
 * S9 by the policy file as it stands when a call reaches the engine: whatever plan or permit it comes from, the
 * channel's own persona lets it be restarted now.
 */
export class OwnPersona {
  readonly #case: InvariantContext;
  readonly #personaOf: (channel: string) => Persona;

  constructor(world: InvariantContext, personaOf: (channel: string) => Persona) {
    this.#case = world;
    this.#personaOf = personaOf;
  }

  invoked({ tool, channel, permit }: Invocation): void {
    if (tool !== 'restart_channel' || channel === undefined) return;
    const because = refusalBy(this.#personaOf(channel));
    if (because !== undefined)
      this.#case.broke('S9', `${channel} was restarted on ${permit} against its own persona: ${because}`);
  }
}

function refusalBy(persona: Persona): string | undefined {
  const { operational_mode: mode, restart_cap: cap } = persona;
  if (mode !== 'remediation') return `mode ${mode}`;
  if (accessOf(persona, 'restart_channel') === 'deny') return 'the tool is denied';
  return cap === 0 ? 'no restart is allowed' : undefined;
}
