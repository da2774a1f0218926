/** How an engine that is worked by programs is written in the configuration. */
import { z } from 'zod';
import { common, credentialsEvery } from '../document_fields.ts';
import { isVerifiable, pointer, reading, states, UNVERIFIABLE } from '../described_fields.ts';

const argument = z
  .string()
  .max(4_096)
  .refine((part) => part === '{channel}' || !part.includes('{channel}'), '{channel} must be an argument of its own');

const argv = z
  .tuple([z.string().regex(/^\//, 'expected the full path of a program, such as /usr/bin/systemctl')], argument)
  .describe('Program and arguments. No shell is involved.');

const run = z.strictObject({ argv });

export const commandEngineDocument = z
  .strictObject({
    ...common,
    kind: z.literal('command'),
    list: z
      .strictObject({ argv, ...reading })
      .optional()
      .describe('Prints JSON about all channels.'),
    status: z
      .strictObject({ argv, states })
      .optional()
      .describe(
        'Asked for each channel. Its first line is looked up in states; else exit 0 is running, 1 to 3 exited.',
      ),
    recent_logs: run.optional(),
    restart: run.optional(),
    refresh: run.optional(),
    credentials: run.optional().describe('Exits 0 exactly when the credentials of the engine work.'),
    rebuild: z.strictObject({ argv, items_added: pointer }).optional().describe('Prints JSON.'),
    playout: run.optional().describe('Exits 0 exactly when the channel has something to play.'),
    cache: run.optional(),
    cache_entries: run.optional().describe('Prints a number.'),
    credentials_every: credentialsEvery,
  })
  .refine(isVerifiable, UNVERIFIABLE)
  .refine(({ list, status }) => (list === undefined) !== (status === undefined), 'expected either list or status');

export type CommandEngineDocument = Readonly<z.output<typeof commandEngineDocument>>;
