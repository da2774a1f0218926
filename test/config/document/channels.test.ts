import { describe, expect, it } from 'vitest';
import { loadText, problemLines } from '../support.ts';

describe('the channels of a configuration are refused for', () => {
  const channels = (...lines: string[]) =>
    `version: 1\nengines: [{ id: e, kind: supervisor, socket: /run/s.sock }]\nchannels:\n${lines.map((line) => `  - ${line}\n`).join('')}`;

  it.each([
    [
      'the same channel twice',
      channels('{ id: a, engine: e }', '{ ids: [b, a], engine: e }'),
      '5:16 channels.1.ids.1: the channel a stands here a second time (the first is in line 4)',
    ],
    ['neither id nor ids', channels('{ engine: e }'), 'expected either id or ids, got neither'],
    ['both id and ids', channels('{ id: a, ids: [b], engine: e }'), 'expected either id or ids, got both'],
    [
      'an id that is a number',
      channels('{ id: 7, engine: e }'),
      'expected text, got the number 7 (put it in quotes: "7")',
    ],
    ['an id that means everything', channels('{ id: fleet, engine: e }'), 'the id fleet means everything'],
    ['an id with a colon', channels('{ id: "a:b", engine: e }'), 'for example a_b'],
    ['an id that is too long', channels(`{ id: ${'a'.repeat(65)}, engine: e }`), 'expected an id'],
    [
      'one name for two channels',
      channels('{ ids: [a, b], engine: e, name: x }'),
      '2 channels would share this (put {id} where they differ)',
    ],
    [
      'an address that is none for one of them',
      channels('{ ids: ["9", "999"], engine: e, source: { url: "http://10.0.0.{id}/a" } }'),
      'no address where {id} is 999',
    ],
    [
      'an origin with a placeholder that is not replaced',
      channels('{ id: a, engine: e, source: { url: "http://h/a", redirects_to: ["https://{name}.example"] } }'),
      'unknown placeholder {name}',
    ],
    [
      'one name in two entries',
      channels('{ id: a, engine: e, name: x }', '{ id: b, engine: e, name: x }'),
      'b and a have the same name in one engine',
    ],
    [
      'one output for two channels',
      channels(
        '{ id: a, engine: e, output: { http: "http://h/x" } }',
        '{ id: b, engine: e, output: { http: "http://h/x" } }',
      ),
      'b and a have the same output',
    ],
    [
      'one log for two channels',
      channels('{ id: a, engine: e, logs: [/l] }', '{ id: b, engine: e, logs: [/l] }'),
      'b and a have the same log file',
    ],
    [
      'two kinds of output',
      channels('{ id: a, engine: e, output: { http: "http://h/x", tcp: "h:1" } }'),
      'expected one of hls, file, http, tcp, dash and status, got 2',
    ],
    [
      'no kind of output',
      channels('{ id: a, engine: e, output: { every: 2s } }'),
      'expected one of hls, file, http, tcp, dash and status, got 0',
    ],
    [
      'a stall sooner than two looks',
      channels('{ id: a, engine: e, output: { http: "http://h/x", every: 4s, stall_after: 7s } }'),
      'expected at least twice the interval of 4000 ms',
    ],
    [
      'a port out of range',
      channels('{ id: a, engine: e, output: { tcp: "h:65536" } }'),
      'expected a port from 1 to 65535, got 65536',
    ],
    ['port 0', channels('{ id: a, engine: e, output: { tcp: "h:0" } }'), 'expected a port from 1 to 65535, got 0'],
    ['an engine that is not there', channels('{ id: a, engine: f }'), 'there is no engine f'],
  ])('%s', (_, text, message) => {
    expect(problemLines(loadText(text).problems).join('\n')).toContain(message);
  });

  it('more than 20,000 channels', () => {
    const entries = (count: number) =>
      Array.from({ length: Math.ceil(count / 5_000) }, (_, part) => {
        const ids = Array.from({ length: Math.min(5_000, count - part * 5_000) }, (_, index) => `c${part}_${index}`);
        return `{ ids: [${ids.join(',')}], engine: e }`;
      });
    const exact = loadText(channels(...entries(20_000)));
    expect(exact.config?.channels).toHaveLength(20_000);
    expect(problemLines(loadText(channels(...entries(20_001))).problems).join()).toContain(
      'expected at most 20000 channels, got 20001',
    );
  });
});

it('the id of a channel stands in the origins that its source may redirect to', () => {
  const { config, problems } = loadText(`version: 1
engines: [{ id: e, kind: supervisor, socket: /run/s.sock }]
channels: [{ ids: [a, b], engine: e, source: { url: "http://h/{id}", redirects_to: ["https://{id}.example"] } }]
`);
  expect(problemLines(problems)).toEqual([]);
  expect(config?.channels.map(({ source }) => source?.redirectsTo)).toEqual([
    ['https://a.example'],
    ['https://b.example'],
  ]);
});
