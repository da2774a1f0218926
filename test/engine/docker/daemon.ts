/** A Docker daemon on a unix socket that answers as the Engine API describes, from what a test puts in it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface State {
  readonly [key: string]: unknown;
}

/** A container that runs well, as `docker inspect` shows it. */
export const RUNNING = {
  Status: 'running',
  Running: true,
  Paused: false,
  Restarting: false,
  OOMKilled: false,
  Dead: false,
  Pid: 4242,
  ExitCode: 0,
  Error: '',
  StartedAt: '2026-11-23T12:00:00.123456789Z',
  FinishedAt: '0001-01-01T00:00:00Z',
};

interface Box {
  readonly id: string;
  state: State;
  restarts: number;
  policy: { readonly Name: string; readonly MaximumRetryCount?: number };
  tty: boolean;
  log: Buffer;
}

/** One piece of a log, framed as stdout (1) or stderr (2). */
export function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

export async function dockerDaemon({ apiVersion = '1.50', minApiVersion = '1.24' } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-docker-'));
  const socket = join(directory, 'docker.sock');
  const boxes = new Map<string, Box>();
  const requests: string[] = [];
  const daemon = { lie: undefined as Answer | undefined, onRestart: undefined as ((box: Box) => void) | undefined };
  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (daemon.lie?.(request, response)) return;
    if (request.url === '/version') {
      return json(response, 200, { Version: '28.2.2', ApiVersion: apiVersion, MinAPIVersion: minApiVersion });
    }
    const url = new URL(request.url ?? '/', 'http://docker');
    const [, name = '', verb] = /^\/v1\.\d+\/containers\/([^/]+)\/(json|restart|logs)$/.exec(url.pathname) ?? [];
    const [called, box] = [...boxes].find(([key, { id }]) => key === name || id.startsWith(name)) ?? [];
    if (box === undefined) return json(response, 404, { message: `No such container: ${name}` });
    if (verb === 'logs') return void response.writeHead(200).end(box.log);
    if (verb === 'restart') {
      daemon.onRestart?.(box);
      return void response.writeHead(204).end();
    }
    json(response, 200, {
      Id: box.id,
      Name: `/${called}`,
      RestartCount: box.restarts,
      State: box.state,
      Config: { Tty: box.tty, Image: 'encoder' },
      HostConfig: { RestartPolicy: box.policy },
    });
  });
  server.listen(socket);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const container = (name: string, change: Partial<Omit<Box, 'id'>> = {}): Box => {
    const id = Buffer.from(name.padEnd(32, '.')).toString('hex');
    const policy = { Name: 'unless-stopped' };
    const box: Box = { id, state: RUNNING, restarts: 0, policy, tty: false, log: Buffer.alloc(0), ...change };
    boxes.set(name, box);
    return box;
  };
  return Object.assign(daemon, { socket, requests, container });
}
