/** The schema of `journald:` in the configuration. */
import { z } from 'zod';
import { textField } from '../../core/document/fields.ts';
import { channelField } from '../document_fields.ts';

export const journaldDocument = z
  .strictObject({
    units: z.array(textField.max(256)).max(200).optional().describe('Units to follow. Default: everything.'),
    channels: z
      .array(z.strictObject({ unit: textField.max(256), channel: channelField }))
      .max(2_000)
      .optional()
      .describe('Whose words the lines of a unit are.'),
  })
  .describe("systemd's journal, by journalctl.");
