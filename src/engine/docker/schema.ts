/** How Docker is written in the configuration. */
import { z } from 'zod';
import { common, duration, text } from '../document_fields.ts';

export const dockerDocument = z.strictObject({
  ...common,
  kind: z.literal('docker'),
  socket: text.default('/var/run/docker.sock').describe('The unix socket of the daemon. Whoever may use it is root.'),
  stop_timeout: duration.prefault('10s').describe('How long a container gets to stop before it is killed. Up to 10m.'),
});
export type DockerDocument = Readonly<z.output<typeof dockerDocument>>;
