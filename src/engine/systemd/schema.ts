/** How systemd is written in the configuration. */
import { z } from 'zod';
import { common, text } from '../document_fields.ts';

const program = text.regex(/^\//, 'expected the full path of a program, such as /usr/bin/systemctl');

export const systemdDocument = z.strictObject({
  ...common,
  kind: z.literal('systemd'),
  manager: z
    .enum(['system', 'user'])
    .default('system')
    .describe('user: the manager of the user that Reeve runs as (systemctl --user).'),
  systemctl: program.default('/usr/bin/systemctl'),
  journalctl: program.default('/usr/bin/journalctl'),
  reset_failed: z
    .boolean()
    .default(false)
    .describe(
      "true: a restart first clears a unit's start limit. Without it a unit that hit its limit is left to you.",
    ),
});
export type SystemdDocument = Readonly<z.output<typeof systemdDocument>>;
