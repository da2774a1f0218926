/** Finds free ports for the servers of a stage. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ReeveError } from '../src/core/errors.ts';

export const LOOPBACK = '127.0.0.1';

/**
 * Below the range from which the kernel takes the near end of outgoing connections: a port there could be taken
 * by a stranger while its server is down, and a client that keeps trying could even connect to itself.
 */
const FIRST = 20_000;
const LAST = 31_999;
const TRIES = 200;

/** Ports on loopback that are free right now, all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held: Server[] = [];
  try {
    for (let tries = 0; held.length < count; tries += 1) {
      if (tries === TRIES) throw new ReeveError('CONFIG_INVALID', `no ${count} free ports on ${LOOPBACK}`);
      const server = createServer();
      if (await listens(server, randomInt(FIRST, LAST + 1))) held.push(server);
    }
    return held.map(portOf);
  } finally {
    await Promise.all(held.map((server) => new Promise((done) => server.close(done))));
  }
}

async function listens(server: Server, port: number): Promise<boolean> {
  try {
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  }
}

/** The port that a listening server got. */
export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
