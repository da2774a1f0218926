/** How supervisord is written in the configuration. */
import { z } from 'zod';
import { clearOnlyOnLoopback, CLEAR_SECRET, common, httpUrl, password, text } from '../document_fields.ts';

export const supervisorDocument = z
  .strictObject({
    ...common,
    kind: z.literal('supervisor'),
    url: httpUrl.optional().describe('Its XML-RPC address, such as http://127.0.0.1:9001/RPC2.'),
    socket: text.optional().describe('Its unix socket, such as /run/supervisor.sock.'),
    username: text.optional(),
    ...password,
  })
  .refine(({ url, socket }) => (url === undefined) !== (socket === undefined), 'expected either url or socket')
  .refine(clearOnlyOnLoopback, CLEAR_SECRET);

export type SupervisorDocument = Readonly<z.output<typeof supervisorDocument>>;
