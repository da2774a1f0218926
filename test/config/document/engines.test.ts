import { describe, expect, it } from 'vitest';
import { loadText, problemLines } from '../support.ts';

const problemsOf = (engines: string, channels = '') =>
  problemLines(loadText(`version: 1\nengines:\n${engines}${channels}`).problems);

const HTTP = 'http, url: "http://h", list: { path: /c, fields: { name: /id } }';

describe('an engine', () => {
  it('of systemd has every default', () => {
    const { config } = loadText('version: 1\nengines: [{ id: host, kind: systemd }]\n');
    expect(config?.engines).toMatchObject([
      { manager: 'system', systemctl: '/usr/bin/systemctl', journalctl: '/usr/bin/journalctl', reset_failed: false },
    ]);
  });

  it('of Docker has every default', () => {
    const { config } = loadText('version: 1\nengines: [{ id: boxes, kind: docker }]\n');
    expect(config?.engines).toMatchObject([{ socket: '/var/run/docker.sock', stop_timeout: 10_000, poll: 1_000 }]);
  });

  it.each([
    [
      '  - { id: a, kind: systemd }\n  - { id: b, kind: systemd }\n',
      '4:5 engines.1.manager: the engine a has this address already (put its channels under one engine)',
    ],
    [
      '  - { id: a, kind: docker }\n  - { id: b, kind: docker, socket: /var/run/docker.sock }\n',
      '4:36 engines.1.socket: the engine a has this address already (put its channels under one engine)',
    ],
    [
      '  - { id: a, kind: docker, stop_timeout: 1h }\n',
      '3:42 engines.0.stop_timeout: expected 1s to 10m, got 1h (the nearest allowed value is 10m)',
    ],
    [
      '  - { id: a, kind: systemd, systemctl: systemctl }\n',
      '3:40 engines.0.systemctl: expected the full path of a program, such as /usr/bin/systemctl, got "systemctl"',
    ],
  ])('that is written as %j is refused with its place', (engines, problem) => {
    expect(problemsOf(engines).join('\n')).toContain(problem);
  });

  it('of the system and one of the user are two services', () => {
    expect(problemsOf('  - { id: a, kind: systemd }\n  - { id: b, kind: systemd, manager: user }\n')).toEqual([]);
  });

  it.each([
    ['supervisor, url: "http://h/RPC2"', 'a {id}', '"a x" is not the name of one program of a supervisor'],
    ['supervisor, url: "http://h/RPC2"', 'a/{id}', '"a/x" is not the name of one program of a supervisor'],
    ['supervisor, url: "http://h/RPC2"', 'a:{id}:b', '"a:x:b" is not the name of one program of a supervisor'],
    ['supervisor, url: "http://h/RPC2"', '{id}:*', '"x:*" is not the name of one program of a supervisor'],
    ['supervisor, url: "http://h/RPC2"', '{id}\\n', String.raw`"x\n" is not the name of one program of a supervisor`],
    ['command, status: { argv: [/bin/true] }', '-{id}', '"-x" cannot be an argument of a command'],
    [HTTP, '{id}\\t', String.raw`"x\t" cannot be a part of a URL`],
    ['exstreamtv, url: "http://h"', '{id}', '"x" is not the id of a channel'],
    ['systemd', '{id}@.service', '"x@.service" is not the name of one service unit'],
    ['systemd', '{id}-*', '"x-*" is not the name of one service unit'],
    ['docker', 'a/{id}', '"a/x" is not the name of a container'],
  ])('of %s cannot be asked for a channel called %s, which is reported with its place', (kind, name, message) => {
    const channels = `channels:\n  - { ids: [x, y], engine: a, name: "${name}" }\n`;
    expect(problemsOf(`  - { id: a, kind: ${kind} }\n`, channels)).toEqual([
      expect.stringMatching(new RegExp(`^5:\\d+ channels\\.0\\.name: ${RegExp.escape(message)}`)),
    ]);
  });
});
