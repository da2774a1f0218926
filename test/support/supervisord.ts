import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadProcess } from '../../src/core/engine.ts';

export const hasSupervisord = existsSync('/usr/bin/supervisord');

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export interface Supervisord {
  readonly dir: string;
  readonly socket: string;
  readonly url: string;
  readonly pid: number;
  /** supervisorctl, and what it printed. */
  ctl(...args: string[]): string;
  stop(): Promise<void>;
}

/** A real supervisord in the foreground of its own directory: user `tb`, password `tb-secret`. */
export async function startSupervisord(programs: Readonly<Record<string, readonly string[]>>): Promise<Supervisord> {
  const dir = mkdtempSync(join(tmpdir(), 'reeve-sup-'));
  mkdirSync(join(dir, 'log'));
  const port = await freePort();
  const conf = join(dir, 'supervisord.conf');
  const socket = join(dir, 's.sock');
  const auth = ['username=tb', 'password=tb-secret'];
  const sections = Object.entries(programs).map(([section, lines]) => [`[${section}]`, ...lines, '']);
  const text = [
    ['[supervisord]', 'nodaemon=true', 'user=root', `pidfile=${dir}/pid`, `logfile=${dir}/log/supervisord.log`],
    [`childlogdir=${dir}/log`, ''],
    ['[inet_http_server]', `port=127.0.0.1:${port}`, ...auth, ''],
    ['[unix_http_server]', `file=${socket}`, ...auth, ''],
    ['[rpcinterface:supervisor]', 'supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface', ''],
    ['[supervisorctl]', `serverurl=http://127.0.0.1:${port}`, ...auth, ''],
    ...sections,
  ];
  writeFileSync(conf, text.flat().join('\n'));
  const child = spawn('/usr/bin/supervisord', ['-c', conf], { stdio: 'ignore', cwd: dir });
  const ended = once(child, 'exit');
  const ctl = (...args: string[]): string => {
    try {
      return execFileSync('/usr/bin/supervisorctl', ['-c', conf, ...args], { encoding: 'utf8' });
    } catch (error) {
      return String((error as { stdout?: string }).stdout);
    }
  };
  await until(() => /^\d+$/.test(ctl('pid').trim()), 45_000, 'supervisord answers');
  return {
    dir,
    socket,
    url: `http://127.0.0.1:${port}/RPC2`,
    pid: child.pid!,
    ctl,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Asks every 25 ms until it is so. */
export async function until(so: () => boolean | Promise<boolean>, withinMs: number, what: string): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await so())) {
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** /proc as it is, for tests of those who read processes. */
export const readProc: ReadProcess = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = [fields[0]!, Number(fields[1])];
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * 10;
    return { state, parent, startTicks: Number(fields[19]), cpuMs, bytesWritten: undefined };
  } catch {
    return undefined;
  }
};
