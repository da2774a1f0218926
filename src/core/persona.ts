/** The persona: its schema and what follows from it. */
import { z } from 'zod';
import { toolNamed } from './tool.ts';

export const TOOL_ACCESS = ['allow', 'require_evidence', 'require_approval', 'deny'] as const;
export type ToolAccess = (typeof TOOL_ACCESS)[number];

const OPERATIONAL_MODES = ['diagnostic', 'remediation', 'containment', 'passive'] as const;

/** The YAML an operator edits. Strict: a misspelt key is an error, because a silent default is a silent permission. */
export const personaDocument = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,39}$/, 'lower case letters, digits and _, at most 40')
      .describe('The name of this persona. Configuration assigns personas to channels and groups by it.'),
    risk_tolerance: z
      .enum(['low', 'medium', 'high'])
      .describe(
        'How sure Reeve must be before a change: confidence of at least 0.8 (low), 0.6 (medium), 0.4 (high). ' +
          'low also means one high-risk action per group and minute instead of two, ' +
          'and a containment that only a person ends (reeve release).',
      ),
    aggressiveness: z
      .enum(['cautious', 'moderate', 'assertive'])
      .describe(
        'How long a trouble must last before Reeve changes something: 15 s (cautious), 0 s (moderate, assertive). ' +
          'assertive also tries again as soon as a cooldown ends.',
      ),
    tool_access_policy: z
      .record(
        z.string().refine((name) => toolNamed(name) !== undefined, 'the name of a tool (see: reeve schema persona)'),
        z.enum(TOOL_ACCESS),
      )
      .describe('What each tool may do. A tool that is not named is denied.'),
    four_eyes: z
      .boolean()
      .optional()
      .describe(
        'true: what needs approval needs it of two people, by tokens of different names (reeve tokens). Who ' +
          'asked for the call is one of the two. Default false.',
      ),
    escalation_policy: z
      .strictObject({ on_containment: z.enum(['immediate', 'after_cooldown']) })
      .describe('When a person is notified of containment: at once, or when it has lasted 60 s.'),
    containment_bias: z.boolean().describe('true: containment stops medium-risk tools too, not only high-risk ones.'),
    operational_mode: z
      .enum(OPERATIONAL_MODES)
      .describe(
        'remediation: tools as the policy says. diagnostic and containment: tools that only look. passive: none.',
      ),
    restart_cap: z.int().min(0).max(10).describe('Restarts of one channel per incident, at most.'),
    planning_depth_max: z
      .int()
      .min(0)
      .max(3)
      .describe('Steps of one run, at most. 0: none, every incident is escalated.'),
    retry_threshold: z
      .number()
      .min(0)
      .max(1)
      .describe('After a step that did not cure, go on only when it scored at least this (0 no better, 1 cured).'),
  })
  .meta({ title: 'Reeve persona', description: 'What Reeve may do for the channels that use this persona.' });

/** A policy: which tools, how far, how sure. */
export type Persona = Readonly<z.infer<typeof personaDocument>>;
export type PersonaId = string;

/** A tool that the persona does not name is denied. Aliases count as the tool they mean; the strictest entry wins. */
export function accessOf(persona: Persona, tool: string): ToolAccess {
  const levels = Object.entries(persona.tool_access_policy)
    .filter(([name]) => toolNamed(name) === toolNamed(tool))
    .map(([, access]) => access);
  return levels.length === 0
    ? 'deny'
    : levels.reduce((a, b) => (TOOL_ACCESS.indexOf(a) > TOOL_ACCESS.indexOf(b) ? a : b));
}

/** Confidence that a change needs, by risk tolerance. */
export const CONFIDENCE_MIN = { low: 0.8, medium: 0.6, high: 0.4 } as const;

/** How long a trouble must have lasted before a change, by aggressiveness. */
export const PATIENCE_MS = { cautious: 15_000, moderate: 0, assertive: 0 } as const;

/** How many people a change that needs approval needs. */
export const approversNeeded = ({ four_eyes: four }: Persona): 1 | 2 => (four === true ? 2 : 1);
