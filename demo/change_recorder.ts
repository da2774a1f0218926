/** Records every change that Reeve asks of the supervisor, and passes it on. */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { LOOPBACK, portOf } from './ports.ts';

/** One change that somebody asked of the supervisor through the recorder. */
export interface Asked {
  readonly method: string;
  readonly channel: string;
  readonly monoMs: number;
}

/**
 * Stands between Reeve and the supervisor and writes down every change that is asked for; it changes nothing itself.
 * So what Reeve did is counted without relying on what Reeve says about it.
 */
export interface ChangeRecorder extends AsyncDisposable {
  /** Where Reeve finds "the supervisor". */
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** Every method of the supervisor that changes something. */
const CHANGES = [
  ...['startProcess', 'stopProcess', 'signalProcess', 'startProcessGroup', 'stopProcessGroup', 'startAllProcesses'],
  ...['stopAllProcesses', 'restart', 'shutdown', 'reloadConfig'],
];
const CHANGE = new RegExp(
  `<methodName>supervisor\\.(${CHANGES.join('|')})</methodName>(?:[\\s\\S]*?<value>\\s*(?:<string>)?([^<]+))?`,
);

export async function openChangeRecorder(supervisorPort: number, clock: Clock = systemClock): Promise<ChangeRecorder> {
  const asked: Asked[] = [];
  // A connection kept for later may be closed by the supervisor just as it is used: an error of our own making.
  const agent = new Agent({ keepAlive: false });
  const server = createServer((from, to) => void pass(from, to));

  async function pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of from) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const change = changeIn(body.toString('utf8'));
    if (change) asked.push({ ...change, monoMs: clock.monotonicMs() });

    const { url = '/', method = 'POST', headers } = from;
    const onward = request({ host: LOOPBACK, port: supervisorPort, path: url, method, headers, agent }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    // A supervisor that is down looks down: the connection ends without an answer.
    onward.on('error', () => to.destroy());
    to.on('close', () => onward.destroy());
    onward.end(body);
  }

  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  return {
    url: `http://${LOOPBACK}:${portOf(server)}/RPC2`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The change that an XML-RPC call asks for; undefined when it only looks. `group:name` is a program's full name. */
export function changeIn(xml: string): { method: string; channel: string } | undefined {
  const found = CHANGE.exec(xml);
  return found ? { method: found[1]!, channel: (found[2] ?? '').split(':').at(-1)!.trim() } : undefined;
}
