/** The schema of policy test files. */
import { z } from 'zod';
import { duration } from '../core/document/duration.ts';
import { FAILURE_CLASSES } from '../core/classification.ts';
import { CONTAINMENT_REASONS } from '../core/envelope.ts';
import { ESCALATION_REASONS } from '../core/incident.ts';
import { DENIAL_CODES } from '../core/plan.ts';
import { PROCESS_STATES } from '../core/sample.ts';
import { ORIGINS, SYMPTOMS } from '../core/symptom.ts';
import { CAPABILITIES } from '../core/tool.ts';
import { agoField, scopeField, spanField, toolField } from './fields.ts';

const ID = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'letters, digits, "_", "-" or "."');
const persona = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'the id of a persona')
  .describe('The id of a persona.');
const phase = z
  .int()
  .min(0)
  .max(4)
  .transform((value) => value as 0 | 1 | 2 | 3 | 4)
  .describe('The rollout phase, 0 to 4. Default 4.');

const at = agoField('When it happened. For an action: when its call ended.');
const times = z.int().min(1).max(100).optional().describe('So often, all at the same moment. Default 1.');
const RESULTS = ['cured', 'failed', 'relapsed', 'unjudged', 'unknown', 'in_flight'] as const;

/** One thing that happened before. */
const event = z.union([
  z.strictObject({
    at,
    tool: toolField('Something that Reeve did.'),
    result: z
      .enum(RESULTS)
      .describe(
        'cured; failed; relapsed: cured and failed again; unjudged: not judged yet; unknown: Reeve died in the ' +
          'call; in_flight: the call has not ended (at is then when it began).',
      ),
    channel: ID.optional().describe('Default: the channel of the case.'),
    incident: z
      .enum(['this', 'earlier'])
      .optional()
      .describe('Of the incident of this case (given an envelope), or of one before. Default earlier.'),
    fingerprint: z
      .string()
      .max(200)
      .optional()
      .describe('The failure that it was meant to cure: class, source and item. Default: that of the envelope.'),
    times,
  }),
  z.strictObject({
    at,
    start: z.enum(['engine', 'operator', 'unknown']).describe('A start that Reeve did not make, and whose it was.'),
    channel: ID.optional().describe('Default: another channel of the same engine.'),
    times,
  }),
  z.strictObject({ at, lease: scopeField('Hands off this scope.'), for: duration('1s', '24h', 'How long it holds.') }),
  z.strictObject({
    at,
    maintenance: scopeField('A maintenance window of this scope.'),
    for: duration('1s', '7d', 'How long it lasts.'),
  }),
  z.strictObject({ at, freeze: z.literal(true).describe('A person froze Reeve.') }),
  z.strictObject({ at, thaw: z.literal(true).describe('A person thawed Reeve.') }),
  z.strictObject({
    at,
    containment: z.enum(CONTAINMENT_REASONS).describe('Containment was raised for this reason.'),
    scope: scopeField('Where.'),
  }),
  z.strictObject({ at, release: scopeField('A person released the containment of this scope.') }),
  z.strictObject({ at, reset: scopeField('A person reset this scope.') }),
  z.strictObject({
    at,
    escalation: z.enum(ESCALATION_REASONS).describe('A run of this incident ended by telling a person, for this.'),
  }),
  z.strictObject({
    at,
    approval: z
      .enum(['pending', 'yes', 'no'])
      .describe('A person was asked about this tool, and answered (or not yet).'),
    tool: toolField('The tool that was asked about.'),
  }),
  z.strictObject({ at, incident: scopeField('Another incident is open on this scope.') }),
  z.strictObject({
    at,
    clock_jump: duration('1ms', '365d', 'The machine stood still for this long: a clock anomaly.'),
  }),
]);

const signal = z.union([
  z.enum(ORIGINS),
  z.strictObject({
    origin: z.enum(ORIGINS),
    says: z.string().max(200).optional(),
    symptom: z.enum(SYMPTOMS).optional(),
    age: spanField('How old it is. Default 0s.').optional(),
  }),
]);

const envelope = z
  .strictObject({
    classification: z.enum(FAILURE_CLASSES).optional().describe('What Reeve concluded. Left out: nothing.'),
    confidence: z.number().min(0).max(1).optional().describe('0 to 1. Default 0.9.'),
    signals: z.array(signal).max(8).optional().describe('The witnesses. Default [process, probe].'),
    healthy: z
      .union([z.boolean(), z.literal('unknown')])
      .optional()
      .describe('Default false.'),
    age: spanField('How long ago the envelope was taken. Default 0s.').optional(),
    lasting: spanField('How long the trouble has had this name. Default 60s.').optional(),
    error_type: z.enum(SYMPTOMS).optional(),
    error_frequency: z.number().min(0).optional().describe('Failing symptoms per minute. Default 1.'),
    shared_cause: z.boolean().optional().describe("A shared cause is suspected for the channel's group."),
    scope: scopeField('What it is about. Default: the channel of the case.').optional(),
    channels: z.array(ID).max(64).optional().describe('Of a group or engine: the channels that fail.'),
    containment: z
      .array(z.enum(CONTAINMENT_REASONS))
      .max(8)
      .optional()
      .describe('Containment that holds now, each in the scope that it usually has.'),
    pool_pressure: z.union([z.number().min(0).max(1), z.literal('unknown')]).optional(),
    viewers: z.int().min(0).optional(),
    fingerprint: z.string().max(200).optional(),
  })
  .describe('What was known when the decision was made.');

const probes = z
  .strictObject({
    process: z
      .enum([...PROCESS_STATES, 'halted'])
      .optional()
      .describe('Default running.'),
    exit_code: z.int().min(0).max(255).optional(),
    exit_signal: z.int().min(0).max(64).optional(),
    output: z.enum(['moving', 'still', 'missing', 'unwatched']).optional().describe('The playlist. Default moving.'),
    source: z
      .enum(['ok', 'refused', 'timeout', 'unauthorised', 'not_found', 'rate_limited', 'unwatched'])
      .optional()
      .describe('What the channel reads from. Default unwatched.'),
  })
  .describe('What the probes see from the moment of the trouble on. Before it all was well.');

const given = z.strictObject({
  persona: persona.optional(),
  phase: phase.optional(),
  channel: ID.optional().describe('Default news.'),
  group: ID.optional().describe('Default encoders.'),
  engine: ID.optional().describe('Default local.'),
  capabilities: z.array(z.enum(CAPABILITIES)).optional().describe('What the engine can do. Default: everything.'),
  history: z.array(event).max(200).optional().describe('What happened before, in any order.'),
  envelope: envelope.optional(),
  logs: z.array(z.string().max(4_000)).min(1).max(500).optional().describe('Log lines of the channel.'),
  probes: probes.optional(),
  effect: z
    .enum(['cured', 'fixed', 'unchanged'])
    .optional()
    .describe(
      'What a change leads to. cured: the trouble is gone. fixed: what a tool other than a restart changes works ' +
        'again, and the channel stays down until it is started. unchanged: nothing helps. Default cured.',
    ),
  ask: toolField('Ask the guard for this tool, whatever the rules say.').optional(),
});

const expected = z
  .strictObject({
    classification: z.union([z.enum(FAILURE_CLASSES), z.literal('none')]).optional(),
    plan: z
      .enum(['act', 'wait', 'stop', 'escalate', 'none'])
      .optional()
      .describe('The first plan. none: no run begins.'),
    rule: z.string().max(100).optional().describe('The rule that made it.'),
    tool: toolField('The tool that the guard was asked for (the first one).').optional(),
    verdict: z.enum(['allow', 'deny']).optional(),
    code: z.enum(DENIAL_CODES).optional(),
    retry_after: spanField('When asking again may be answered otherwise.').optional(),
    tools: z.array(toolField('A tool.')).max(3).optional().describe('Every tool that ran, in order.'),
    outcome: z.enum(['resolved', 'watching', 'approval_needed', 'escalated', 'none']).optional(),
    reason: z.enum(ESCALATION_REASONS).optional().describe('Why a person is notified.'),
    page: z.boolean().optional().describe('A person is notified in this run.'),
  })
  .refine(
    (value) => Object.keys(value).length > 0,
    'expect at least one thing: a case that expects nothing cannot fail',
  );

const policyCase = z
  .strictObject({ name: z.string().min(1).max(200), given, expect: expected })
  .refine(
    ({ given: { envelope: stated, logs, probes: seen } }) =>
      (stated === undefined) !== (logs === undefined && seen === undefined),
    'given needs either an envelope, or logs and probes, and not both',
  )
  .superRefine(({ given: { envelope: stated, history = [] } }, context) => {
    if (stated !== undefined) return;
    history.forEach((event, index) => {
      const key = keyOfOpenIncident(event);
      if (key === undefined) return;
      context.addIssue({ code: 'custom', path: ['given', 'history', index, key], message: NOT_OPEN_YET });
    });
  });

const NOT_OPEN_YET =
  'is about the incident of this case, which opens only when the logs or probes show it: give an envelope instead';

/** What supposes that the incident of the case is open. Beside logs and probes it would have no effect. */
function keyOfOpenIncident(event: PastEvent): string | undefined {
  if ('escalation' in event) return 'escalation';
  if ('approval' in event) return 'approval';
  return 'result' in event && event.incident === 'this' ? 'incident' : undefined;
}

/** A file of policy tests. */
export const policyDocument = z
  .strictObject({
    persona: persona.optional(),
    phase: phase.optional(),
    cases: z.array(policyCase).min(1).max(500),
  })
  .meta({
    title: 'Reeve policy tests',
    description: 'What Reeve would decide: given a situation, expect an answer. Run them with: reeve test',
  });

export type PolicyDocument = z.output<typeof policyDocument>;
export type PolicyCase = z.output<typeof policyCase>;
export type Given = z.output<typeof given>;
export type GivenEnvelope = z.output<typeof envelope>;
export type GivenProbes = z.output<typeof probes>;
export type PastEvent = z.output<typeof event>;
export type Expected = z.output<typeof expected>;
