import { symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findSupervisor } from '../../src/config/find_supervisor.ts';
import { aFolder, writeInto } from './support.ts';

async function listening(path: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(path === '' ? { port: 0, host: '127.0.0.1' } : { path }, done));
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise<void>((done) => server.close(() => done()));
  return port;
}

describe('findSupervisor', () => {
  it("reads supervisord's own files: socket, log and programs of the included ones", async () => {
    const folder = aFolder({
      'supervisord.conf': `; comment
[unix_http_server]
file=/run/my.sock   ; the socket
chmod=0700
[supervisord]
logfile=/var/log/s.log
[include]
files = conf.d/*.conf
[program:main]
command=/bin/cat
`,
      'conf.d/a.conf': '[program:news]\ncommand=ffmpeg\n[group:g]\nprograms=news\n',
      'conf.d/b.conf': '[program:sport]\n',
    });
    const found = await findSupervisor({
      configurations: [join(folder, 'supervisord.conf')],
      sockets: [],
      port: await freePort(),
    });
    expect(found).toEqual({
      from: join(folder, 'supervisord.conf'),
      socket: '/run/my.sock',
      url: undefined,
      username: undefined,
      logFile: '/var/log/s.log',
      programs: ['main', 'news', 'sport'],
    });
  });

  it('takes the port and user of inet_http_server where there is no socket', async () => {
    const folder = aFolder({
      's.conf': '[inet_http_server]\nport=*:9002\nusername=admin\n[supervisord]\nlogfile=%(here)s/x\n',
    });
    expect(
      await findSupervisor({ configurations: [join(folder, 's.conf')], sockets: [], port: await freePort() }),
    ).toMatchObject({
      url: 'http://127.0.0.1:9002/RPC2',
      username: 'admin',
      logFile: undefined,
    });
  });

  it('takes a socket, then a port that listens, then nothing', async () => {
    const folder = aFolder();
    const socket = join(folder, 's.sock');
    await listening(socket);
    const port = await listening('');
    expect(await findSupervisor({ configurations: [], sockets: [socket], port })).toMatchObject({
      socket,
      url: undefined,
    });
    expect(await findSupervisor({ configurations: [], sockets: [join(folder, 'no')], port })).toMatchObject({
      url: `http://127.0.0.1:${port}/RPC2`,
    });
    expect(await findSupervisor({ configurations: [], sockets: [], port: await freePort() })).toBeUndefined();
    // Refused whatever the rights, also to root.
    symlinkSync('loop.sock', join(folder, 'loop.sock'));
    const looping = { configurations: [], sockets: [join(folder, 'loop.sock')], port: await freePort() };
    expect(await findSupervisor(looping)).toBeUndefined();
  });

  it('ignores a file that is no configuration', async () => {
    const folder = aFolder();
    const path = writeInto(folder, 's.conf', Buffer.from([0, 255, 91, 10, 93, 61]));
    expect(await findSupervisor({ configurations: [path], sockets: [], port: await freePort() })).toBeUndefined();
  });
});
