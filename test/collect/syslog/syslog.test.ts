import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Frames } from '../../../src/collect/syslog/frames.ts';
import { parseSyslog } from '../../../src/collect/syslog/message.ts';
import { CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX, Senders } from '../../../src/collect/syslog/senders.ts';
import { createSyslog } from '../../../src/collect/syslog/syslog.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aFeed } from '../support/feeding.ts';
import { aDirectory } from '../support/tailing.ts';

const has = (program: string): boolean => spawnSync('which', [program]).status === 0;

async function aServer(allowFrom: readonly string[] = []) {
  const fed = aFeed();
  const reports: string[] = [];
  const any = { host: '127.0.0.1', port: 0 };
  const syslog = createSyslog({
    ...{ udp: any, tcp: any, allowFrom, feed: fed.feed, clock: systemClock },
    channelOf: ({ app }) => (app === 'news' ? 'news' : undefined),
    report: (because) => reports.push(because),
  });
  onTestFinished(() => syslog[Symbol.asyncDispose]());
  await syslog.start();
  return { ...fed, syslog, reports, udpPort: syslog.udpPort!, tcpPort: syslog.tcpPort! };
}

async function send(port: number, text: string | Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(text);
  await once(socket, 'close');
}

describe('a syslog message', () => {
  it.each([
    [
      'RFC 5424 with structured data and a byte order mark',
      '<165>1 2026-01-01T00:00:00.123+01:00 host news 42 ID47 [a@1 k="v]\\"x" l="2"][b@1] \ufeffit broke',
      {
        at: 1_767_222_000_123,
        host: 'host',
        app: 'news',
        line: '2026-01-01T00:00:00.123+01:00 host news[42]: it broke',
      },
    ],
    [
      'RFC 5424 with nothing in it',
      '<13>1 - - - - - - hello',
      { at: undefined, host: undefined, app: undefined, line: ' hello' },
    ],
    [
      'RFC 3164',
      '<34>Oct 11 22:14:15 mymachine su[3]: failed for x',
      { at: undefined, host: 'mymachine', app: 'su', line: 'Oct 11 22:14:15 mymachine su[3]: failed for x' },
    ],
    [
      'the old form with an ISO time, as rsyslog forwards it',
      '<34>2026-01-01T00:00:00.000000+00:00 box kernel: Out of memory',
      {
        at: 1_767_225_600_000,
        host: 'box',
        app: 'kernel',
        line: '2026-01-01T00:00:00.000000+00:00 box kernel: Out of memory',
      },
    ],
    [
      'the old form without a host',
      '<13>Oct  1 22:14:15 news: hi',
      { at: undefined, host: undefined, app: 'news', line: 'Oct  1 22:14:15 news: hi' },
    ],
    ['a bare text', '<13>just words', { at: undefined, host: undefined, app: undefined, line: 'just words' }],
  ])('%s', (_, text, expected) => {
    expect(parseSyslog(text)).toEqual(expected);
  });

  it.each(['no priority', '<192>too high', '<>x', ''])('%j is none', (text) => {
    expect(parseSyslog(text)).toBeUndefined();
  });
});

describe('messages on a TCP stream', () => {
  const framed = (pieces: readonly Buffer[], bytesMax = 100) => {
    const taken: string[] = [];
    let long = 0;
    const frames = new Frames({
      bytesMax,
      take: (message) => taken.push(message.toString()),
      tooLong: () => (long += 1),
    });
    for (const piece of pieces) frames.add(piece);
    frames.end();
    return { taken, long };
  };

  it('are separated in both forms, mixed, wherever the stream is cut', () => {
    const message = fc
      .string({ unit: fc.constantFrom('a', '1', ' ', '<', 'x'), minLength: 1, maxLength: 30 })
      .map((text) => `<13>${text}`);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(message, fc.boolean())),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (messages, sizes) => {
          const all = Buffer.from(
            messages.map(([text, counted]) => (counted ? `${text.length} ${text}` : `${text}\n`)).join(''),
          );
          const pieces: Buffer[] = [];
          for (let at = 0, turn = 0; at < all.length; turn += 1) {
            const size = sizes[turn % sizes.length]!;
            pieces.push(all.subarray(at, at + size));
            at += size;
          }
          expect(framed(pieces)).toEqual({ taken: messages.map(([text]) => text), long: 0 });
        },
      ),
    );
  });

  it('a message that is too long is passed over and counted, what follows is not', () => {
    const long = 'x'.repeat(101);
    expect(framed([Buffer.from(`${long}\n<13>a\n101 ${long}<13>b\n`)])).toEqual({ taken: ['<13>a', '<13>b'], long: 2 });
    expect(framed([Buffer.from('x'.repeat(60)), Buffer.from('x'.repeat(60)), Buffer.from('x\n<13>a\n')])).toEqual({
      taken: ['<13>a'],
      long: 1,
    });
  });
});

describe('connections of senders', () => {
  function seats() {
    const time = fakeClock();
    const reports: string[] = [];
    const closed: string[] = [];
    const senders = new Senders(time.clock, (because) => reports.push(because));
    onTestFinished(() => senders[Symbol.dispose]());
    const connect = (address: string, name: string) => {
      const sender = { address, close: () => void closed.push(name) };
      senders.add(sender);
      return sender;
    };
    const counts = () => Object.fromEntries(senders.closed().map(({ reason, count }) => [reason, count]));
    return { ...time, senders, connect, closed, reports, counts };
  }

  it('one address has half of them at most: beyond that its longest silent one is closed', () => {
    const { connect, senders, closed, counts, reports } = seats();
    const first = connect('10.0.0.1', 'first');
    for (let count = 1; count < CONNECTIONS_PER_ADDRESS_MAX; count += 1) connect('10.0.0.1', `${count}`);
    expect(closed).toEqual([]);
    senders.heard(first);
    connect('10.0.0.1', 'more');
    expect(closed).toEqual(['1']);
    expect(counts()).toEqual({ idle: 0, address_full: 1, full: 0, not_allowed: 0 });
    connect('10.0.0.1', 'and more');
    expect(reports).toHaveLength(1);
  });

  it('when all are taken, one of the address that holds the most is closed', () => {
    const { connect, closed, counts } = seats();
    connect('10.0.0.1', 'alone');
    for (let count = 0; count < CONNECTIONS_PER_ADDRESS_MAX; count += 1) connect('10.0.0.2', `many ${count}`);
    for (let count = 2; count < CONNECTIONS_PER_ADDRESS_MAX + 1; count += 1) connect('10.0.0.3', `others ${count}`);
    expect(closed).toEqual([]);
    for (let count = 0; count < 200; count += 1) connect(`10.0.1.${count}`, `new ${count}`);
    expect(closed).not.toContain('alone');
    expect(closed[0]).toBe('many 0');
    expect(counts().full).toBe(200);
  });

  it('one that never sends is closed after a minute, one that has sent after a quiet hour', async () => {
    const { connect, senders, closed, advance, counts } = seats();
    const spoken = connect('10.0.0.1', 'spoken');
    senders.heard(spoken);
    connect('10.0.0.2', 'silent');
    await advance(59_000);
    expect(closed).toEqual([]);
    await advance(2_000);
    expect(closed).toEqual(['silent']);
    await advance(3_530_000);
    expect(closed).toEqual(['silent']);
    await advance(20_000);
    expect(closed).toEqual(['silent', 'spoken']);
    expect(counts().idle).toBe(2);
  });

  it('a connection that has ended no longer counts', () => {
    const { connect, senders, closed } = seats();
    for (let count = 0; count < 2 * CONNECTIONS_MAX; count += 1) senders.remove(connect('10.0.0.1', `${count}`));
    expect(closed).toEqual([]);
  });
});

describe('a syslog server', () => {
  it('idle connections do not keep other senders out, and each one that was closed is counted', async () => {
    const { feeds, texts, tcpPort, syslog } = await aServer();
    const idle = Array.from({ length: 300 }, () => connect(tcpPort, '127.0.0.1').on('error', () => undefined));
    onTestFinished(() => idle.forEach((socket) => void socket.destroy()));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    await send(tcpPort, '<13>Oct  1 22:14:15 box news: still here\n');
    await expect.poll(() => texts()).toEqual(['Oct  1 22:14:15 box news: still here']);
    await feeds.idle();
    const full = syslog.closed().find(({ reason }) => reason === 'address_full')!;
    expect(full.count).toBe(301 - CONNECTIONS_PER_ADDRESS_MAX);
  });

  it('takes datagrams and streams, gives each line its channel, and keeps a message on one line', async () => {
    const { feeds, texts, seen, udpPort, tcpPort } = await aServer();
    const socket = createSocket('udp4');
    onTestFinished(() => void socket.close());
    socket.send('<13>Oct  1 22:14:15 box news: one\nforged: two\n', udpPort, '127.0.0.1');
    await expect.poll(() => seen.length).toBe(1);
    await send(tcpPort, '<13>Oct  1 22:14:15 box other: three\nno syslog at all\n');
    await feeds.idle();
    expect(texts()).toEqual([
      'Oct  1 22:14:15 box news: one forged: two',
      'Oct  1 22:14:15 box other: three',
      'no syslog at all',
    ]);
    expect(seen.map(({ channel }) => channel)).toEqual(['news', undefined, undefined]);
  });

  it('a line of an hour ago is evidence of nothing', async () => {
    const { feeds, seen, tcpPort } = await aServer();
    const line = (at: number) => `<13>1 ${new Date(at).toISOString()} box news - - - hello\n`;
    await send(tcpPort, line(Date.now() - 3_600_000) + line(Date.now() + 500));
    await feeds.idle();
    expect(seen.map(({ backlog }) => backlog)).toEqual([true, false]);
  });

  it('counts exactly what a flood brings', async () => {
    const { feeds, feed, tcpPort } = await aServer();
    const line = `<13>Oct  1 22:14:15 box news: ${'x'.repeat(200)}\n`;
    await Promise.all(Array.from({ length: 4 }, () => send(tcpPort, line.repeat(25_000))));
    await vi.waitFor(() => expect(feed.stats().lines + feed.stats().waiting).toBe(100_000), { timeout: 30_000 });
    await feeds.idle();
    const { lines, unmatched, dropped } = feed.stats();
    expect(lines).toBe(100_000);
    expect(unmatched + dropped.reduce((sum, each) => sum + each.lines, 0)).toBe(100_000);
  });

  it('says that it cannot listen, and goes on with what it can', async () => {
    const { tcpPort } = await aServer();
    const fed = aFeed();
    const reports: string[] = [];
    const second = createSyslog({
      ...{ udp: { host: '127.0.0.1', port: 0 }, tcp: { host: '127.0.0.1', port: tcpPort }, allowFrom: [] },
      ...{
        feed: fed.feed,
        clock: systemClock,
        channelOf: () => undefined,
        report: (because: string) => reports.push(because),
      },
    });
    onTestFinished(() => second[Symbol.asyncDispose]());
    await second.start();
    expect(reports).toEqual([expect.stringMatching(/cannot listen on tcp 127\.0\.0\.1:\d+: .*EADDRINUSE/)]);
    expect([second.tcpPort, typeof second.udpPort]).toEqual([undefined, 'number']);
  });

  it('keeps no socket of a port that it could not have, however often it tries', async () => {
    const { udpPort, tcpPort } = await aServer();
    const { clock, advance } = fakeClock();
    const reports: string[] = [];
    const at = (port: number) => ({ host: '127.0.0.1', port });
    const second = createSyslog({
      ...{ udp: at(udpPort), tcp: at(tcpPort), allowFrom: [], feed: aFeed().feed, clock, channelOf: () => undefined },
      report: (because) => reports.push(because),
    });
    onTestFinished(() => second[Symbol.asyncDispose]());
    const sockets = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
        } catch {
          return false;
        }
      }).length;
    await second.start();
    const before = sockets();
    for (let tries = 2; tries <= 20; tries += 1) {
      await advance(30_000);
      await vi.waitFor(() => expect(reports.length).toBe(2 * tries));
    }
    expect(sockets() - before).toBeLessThan(10);
  });

  it.skipIf(!has('logger'))(
    'takes what logger sends, in both forms and both ways (skipped without logger)',
    async () => {
      const { texts, seen, udpPort, tcpPort } = await aServer();
      const base = ['--server', '127.0.0.1', '--tag', 'news'];
      const run = (...args: string[]) => expect(spawnSync('logger', [...base, ...args]).status).toBe(0);
      run('--udp', '--port', `${udpPort}`, '--rfc3164', 'by udp, old');
      run('--udp', '--port', `${udpPort}`, '--rfc5424', 'by udp, new');
      run('--tcp', '--port', `${tcpPort}`, '--rfc3164', 'by tcp, old');
      run('--tcp', '--port', `${tcpPort}`, '--rfc5424', '--octet-count', 'by tcp, counted');
      await vi.waitFor(() => expect(seen.length).toBe(4), { timeout: 30_000 });
      const messages = texts().map((text) => text.replace(/^.* news: /, ''));
      expect(messages.sort()).toEqual(['by tcp, counted', 'by tcp, old', 'by udp, new', 'by udp, old']);
      expect(new Set(seen.map(({ channel }) => channel))).toEqual(new Set(['news']));
      expect(seen.every(({ backlog }) => !backlog)).toBe(true);
    },
  );

  // On a starved machine rsyslogd has twice forwarded nothing for half a minute, by UDP neither; a new one does.
  const again = { retry: 1, timeout: 90_000 };
  it.skipIf(!has('rsyslogd'))('takes what rsyslog forwards (skipped without rsyslogd)', again, async () => {
    const { texts, udpPort, tcpPort } = await aServer();
    const folder = aDirectory();
    const input = join(folder, 'input');
    const config = `
      global(workDirectory="${folder}" localHostname="box" net.enableDNS="off")
      module(load="imuxsock" SysSock.Use="off")
      input(type="imuxsock" Socket="${input}" CreatePath="on")
      action(type="omfwd" target="127.0.0.1" port="${tcpPort}" protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format")
      action(type="omfwd" target="127.0.0.1" port="${tcpPort}" protocol="tcp" template="RSYSLOG_ForwardFormat")
      action(type="omfwd" target="127.0.0.1" port="${udpPort}" protocol="udp" template="RSYSLOG_TraditionalForwardFormat")
    `;
    writeFileSync(join(folder, 'rsyslog.conf'), config);
    const daemon = spawn('rsyslogd', ['-n', '-f', join(folder, 'rsyslog.conf'), '-i', join(folder, 'pid')], {
      stdio: 'ignore',
    });
    onTestFinished(async () => {
      daemon.kill('SIGKILL');
      await once(daemon, 'exit');
    });
    const say = () => spawnSync('logger', ['--socket', input, '--tag', 'news', 'first']).status;
    await vi.waitFor(() => expect(say()).toBe(0), { timeout: 30_000, interval: 100 });
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n');
    spawnSync('logger', ['--socket', input, '--tag', 'news'], { input: lines });
    // What was sent to a daemon that was just opening its socket may be lost there.
    const numbered = () => texts().filter((text) => /: line \d+$/.test(text)).length;
    await vi.waitFor(() => expect(numbered()).toBe(600), { timeout: 30_000 });
    for (const part of ['line 0', 'line 199']) {
      expect(texts().filter((text) => text.endsWith(`news: ${part}`) || text.endsWith(`: ${part}`)).length).toBe(3);
    }
  });
});
