/** The schema of the main configuration file. */
import { z } from 'zod';
import { collectorParts } from '../../collect/documents.ts';
import { formatField } from '../../collect/formats/schema.ts';
import { outputPart, sourcePart } from '../../collect/probes/schema.ts';
import { engineDocument } from '../../engine/documents.ts';
import { receiverDocument } from '../../escalate/receivers/documents.ts';
import { duration } from '../../core/document/duration.ts';
import { idField, personaField, phaseField, textField } from './fields.ts';
import { hintsDocument } from './hints.ts';
import { httpPart } from './http_document.ts';
import { heartbeatPart } from './heartbeat.ts';
import { witnessPart } from './witness.ts';
import { modelsDocument, plannerDocument } from './model_documents.ts';
import { limitsDocument } from './limits.ts';
import { routeDocument } from './routes.ts';

export const CHANNELS_MAX = 20_000;

export const groupDocument = z.strictObject({
  id: idField('The name of a failure domain: same origin, same host, same encoder pool.'),
  persona: personaField.optional(),
  phase: phaseField.optional(),
});

export const channelDocument = z.strictObject({
  id: idField('One channel.').optional(),
  ids: z.array(idField('A channel.')).min(1).max(CHANNELS_MAX).optional().describe('Several channels that are alike.'),
  engine: idField('The engine that runs it.'),
  name: textField.max(200).optional().describe('What the engine calls it. {id} is the channel. Default {id}.'),
  group: idField('Its failure domain. Default: the id of its engine.').optional(),
  persona: personaField.optional(),
  expected: z
    .enum(['always', 'on_demand'])
    .optional()
    .describe('on_demand: no output is normal while there is no viewer.'),
  logs: z
    .array(z.union([textField, z.strictObject({ path: textField, format: formatField })]))
    .max(16)
    .optional()
    .describe('Its own log files. {id} is the channel.'),
  output: outputPart.optional(),
  source: sourcePart.optional(),
});

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export const journalPart = z.strictObject({
  keep: duration('2d', '365d', 'How long facts are kept. Default 30d.').optional(),
  witness: witnessPart.optional(),
});

/** `config/reeve.yaml`, strictly. What no schema can say is checked in config.ts. */
export const configDocument = z
  .strictObject({
    version: z.literal(1).describe('The form of this file.'),
    state: textField.optional().describe('Where the journal is kept. --state and the environment go before it.'),
    http: httpPart.optional(),
    metrics_prefix: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,38}_$/, 'lower case letters, digits and _, ending in _')
      .optional()
      .describe('Begins the name of every metric. Default reeve_.'),
    phase: phaseField.optional(),
    persona: personaField.optional(),
    personas: textField
      .optional()
      .describe(
        'Folder of personas. Default: personas beside this file or beside its folder config, else the shipped.',
      ),
    rules: textField.optional().describe('Folder of rules. Default: rules beside this file, else the shipped.'),
    actions: textField
      .optional()
      .describe('Folder of composite actions. Default: actions beside this file, else the shipped.'),
    patterns: textField
      .optional()
      .describe('Folder of patterns. Default: patterns beside this file, else the shipped.'),
    limits: limitsDocument.optional(),
    engines: z.array(engineDocument).max(64).optional(),
    groups: z.array(groupDocument).max(2_000).optional(),
    channels: z.array(channelDocument).max(CHANNELS_MAX).optional(),
    ...collectorParts,
    receivers: z.array(receiverDocument).max(32).optional(),
    routes: z
      .array(routeDocument)
      .max(256)
      .optional()
      .describe(
        'Who hears of which page: the first that matches decides. Without it every receiver hears of every page.',
      ),
    models: modelsDocument.optional(),
    planner: plannerDocument.optional(),
    escalation: z
      .strictObject({
        repeat_every: duration('1m', '7d', 'How often an open page is sent again. Default 4h.').optional(),
        upstream_after: duration('5s', '1h', 'How long an upstream may be away before a page. Default 60s.').optional(),
      })
      .optional(),
    heartbeat: heartbeatPart.optional(),
    journal: journalPart.optional(),
    memory: z
      .strictObject({
        enabled: z.boolean().optional().describe('Keep the memory up to date while the daemon runs. Default false.'),
        reflect_every: duration('1m', '7d', 'How often insights are merged. Default 1h.').optional(),
        word_insights: z.boolean().optional().describe('Let the model rephrase new insights. Default false.'),
      })
      .optional()
      .describe('What follows from the journal and outlives it: docs/memory.md.'),
    hints: hintsDocument.optional(),
    log: z
      .strictObject({ level: z.enum(LOG_LEVELS).optional().describe('How much Reeve logs. Default info.') })
      .optional(),
  })
  .meta({ title: 'Reeve configuration', description: 'What Reeve watches, how far it may go, and whom it notifies.' });

export type ConfigDocument = z.output<typeof configDocument>;
export type ChannelDocument = z.output<typeof channelDocument>;
