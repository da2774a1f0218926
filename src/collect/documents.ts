/** The parts of the configuration that say where lines and values come from, besides channels and engines. */
import { z } from 'zod';
import { idField, textField } from '../core/document/fields.ts';
import { formatField } from './formats/schema.ts';
import { intakeDocument } from './intake/schema.ts';
import { journaldDocument } from './journald/schema.ts';
import { prometheusDocument } from './prometheus/schema.ts';
import { syslogDocument } from './syslog/schema.ts';

export const logSourceDocument = z.strictObject({
  id: idField('The name of this source.'),
  path: textField.optional().describe('A log file, or several by a pattern.'),
  command: z
    .array(textField)
    .min(1)
    .max(64)
    .optional()
    .describe('A program and its words, without a shell: what it prints is a log. It is started again when it ends.'),
  stdin: z.literal(true).optional().describe("Reeve's own standard input is a log."),
  format: formatField,
  channel: idField('The channel that owns all of it. Default: the text says.').optional(),
  engine: idField('The engine that it belongs to.').optional(),
});
export type LogSourceDocument = z.output<typeof logSourceDocument>;

/** Where the lines of a log source come from. */
export type LogOrigin =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: 'stdin' };

/** Keys of the main configuration. A new way in is added here. */
export const collectorParts = {
  sources: z.array(logSourceDocument).max(1_000).optional(),
  intake: intakeDocument.optional(),
  syslog: syslogDocument.optional(),
  journald: journaldDocument.optional(),
  prometheus: z.array(prometheusDocument).max(16).optional().describe('Prometheus servers that are asked.'),
};
