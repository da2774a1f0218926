import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { PostJson } from '../../src/escalate/receiver.ts';
import { boundedFetch } from '../../src/resilience/http.ts';

/** The transport of production, without a breaker. */
export function realPost(): PostJson {
  const codes = { unreachable: 'RECEIVER_UNREACHABLE', refused: 'RECEIVER_REFUSED' } as const;
  const ask = boundedFetch(systemClock, codes);
  onTestFinished(() => ask[Symbol.dispose]());
  return async (url, { body, headers, signal }) => {
    const { status } = await ask({ url, method: 'POST', body, headers, signal, timeoutMs: 5_000, bytesMax: 65_536 });
    return { status };
  };
}

export interface Posted {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A web server on loopback that keeps what is posted, and answers as configured. */
export async function webServer(answer: (posted: Posted, response: ServerResponse) => void) {
  const posts: Posted[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const posted = { method, path, headers, body: Buffer.concat(chunks).toString() };
    posts.push(posted);
    answer(posted, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts };
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export const ALERTMANAGER = '/usr/bin/prometheus-alertmanager';

/** One alert as Alertmanager's API lists it. */
export interface ListedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly generatorURL?: string;
}

/** A notification as Alertmanager's webhook sends it. */
export interface Notification {
  readonly status: 'firing' | 'resolved';
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly alerts: readonly { readonly status: string; readonly labels: Readonly<Record<string, string>> }[];
}

/** A real Alertmanager on loopback that notifies a web server of this process. */
export async function realAlertmanager({ resolveTimeout = '5m' } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-alertmanager-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const people = await webServer((_, response) => response.end());
  const port = await freePort();
  const config = join(directory, 'alertmanager.yml');
  writeFileSync(
    config,
    JSON.stringify({
      global: { resolve_timeout: resolveTimeout },
      route: { receiver: 'people', group_by: ['group'], group_wait: '1s', group_interval: '1s', repeat_interval: '1h' },
      receivers: [{ name: 'people', webhook_configs: [{ url: people.url, send_resolved: true }] }],
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const start = async (): Promise<void> => {
    const storage = mkdtempSync(join(directory, 'storage-'));
    const args = [`--config.file=${config}`, `--storage.path=${storage}`, `--web.listen-address=127.0.0.1:${port}`];
    child = spawn(ALERTMANAGER, [...args, '--cluster.listen-address=', '--log.level=error'], { stdio: 'ignore' });
    await until(async () => (await fetch(`${url}/-/ready`)).ok);
  };
  onTestFinished(stop);
  await start();
  return {
    url,
    start,
    stop,
    active: async () => (await (await fetch(`${url}/api/v2/alerts?active=true`)).json()) as ListedAlert[],
    notifications: () => people.posts.map(({ body }) => JSON.parse(body) as Notification),
  };
}

/** Asks again until it holds. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 45_000): Promise<void> {
  const endMs = systemClock.monotonicMs() + withinMs;
  for (;;) {
    if (
      await Promise.resolve()
        .then(holds)
        .catch(() => false)
    )
      return;
    if (systemClock.monotonicMs() > endMs) throw new Error(`did not come true within ${withinMs} ms: ${holds}`);
    await systemClock.sleep(25);
  }
}
