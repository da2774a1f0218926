// Says why a tool cannot even be asked for, before anything is planned with it.
import type { Persona } from '../../core/persona.ts';
import type { Phase } from '../../core/control.ts';
import type { Capability, ToolName } from '../../core/tool.ts';
import { TOOL_SPECS } from '../../remediation/catalog.ts';
import { allowedBy, phaseNeeded } from './policy.ts';

/** Where the tool would be used: who decides, how far Reeve may go, and what the engine can do. */
export interface ToolPlace {
  readonly persona: Persona;
  readonly phase: Phase;
  readonly engine: string;
  readonly capabilities: { has(capability: Capability): boolean } | undefined;
}

/** Questions 3 to 5, as far as they hold for the tool whatever its target: why not, in words for a person. */
export function whyUnavailable(
  tool: ToolName,
  { persona, phase, engine, capabilities }: ToolPlace,
): string | undefined {
  const spec = TOOL_SPECS.get(tool);
  if (spec === undefined) return 'there is no such tool';
  const needed = phaseNeeded(spec);
  if (phase < needed) return `it needs phase ${needed}, this is ${phase}`;
  if (capabilities?.has(spec.capability) !== true) return `engine ${engine} cannot ${spec.capability}`;
  const allowed = allowedBy(persona, spec);
  return allowed.verdict === 'refuse' ? allowed.because : undefined;
}
