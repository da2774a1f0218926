/** The schema of `intake:` in the configuration. */
import { z } from 'zod';
import { duration } from '../../core/document/duration.ts';
import { idField, textField } from '../../core/document/fields.ts';
import { labelsField, symptomField, tokenKeys } from '../document_fields.ts';

export const intakeDocument = z
  .strictObject({
    tokens: z
      .array(z.strictObject({ name: idField('Whose token it is.'), ...tokenKeys }))
      .max(32)
      .optional()
      .describe('Tokens that may hand in lines and alerts, and nothing else.'),
    channel_labels: labelsField
      .optional()
      .describe('Labels or attributes that name the channel, first come first served. Default [channel].'),
    late_after: duration(
      '10s',
      '1h',
      'Lines written longer ago are counted, and are no evidence. Default 2m.',
    ).optional(),
    alerts: z
      .array(
        z.strictObject({
          alertname: textField.max(200),
          means: symptomField.describe('The symptom that it is.'),
          channel_labels: labelsField.optional(),
        }),
      )
      .max(200)
      .optional()
      .describe('What alerts of Prometheus say. Others are ignored.'),
  })
  .describe('Lines and alerts that others push over HTTP.');
