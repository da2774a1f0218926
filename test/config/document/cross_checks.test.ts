import { describe, expect, it } from 'vitest';
import { loadText, problemLines } from '../support.ts';

describe('parts of a configuration that do not go together', () => {
  const channels = (...lines: string[]) =>
    `version: 1\nengines: [{ id: e, kind: supervisor, socket: /run/s.sock }]\nchannels:\n${lines.map((line) => `  - ${line}\n`).join('')}`;

  it.each([
    ['a source of a missing engine', 'version: 1\nsources: [{ id: s, path: /l, engine: e }]\n', 'there is no engine e'],
    [
      'a log that is followed twice',
      `${channels('{ id: a, engine: e, logs: [/l] }')}sources: [{ id: s, path: /l }]\n`,
      'channel a follows this file already',
    ],
    [
      'evidence that is never fresh',
      `${channels('{ id: a, engine: e, output: { http: "http://h/x", every: 4s } }')}limits: { evidence_age_max: 7s }\n`,
      '4s is too seldom: evidence keeps 7s',
    ],
    [
      'a log of a source whose pattern cannot be read',
      'version: 1\nsources: [{ id: s, path: "/var/log/**/x.log" }]\n',
      'sources.0.path: the log path /var/log/**/x.log uses **',
    ],
    [
      'a log of a channel whose pattern cannot be read',
      channels('{ id: a, engine: e, logs: ["/var/log/{id}/x[9-0].log"] }'),
      'channels.0.logs: the log path x[9-0].log has a range that ends before it begins',
    ],
    [
      'a log of an engine whose pattern cannot be read',
      'version: 1\nengines: [{ id: e, kind: supervisor, socket: /run/s.sock, logs: [{ path: "/var/log/{a,b" }] }]\n',
      'engines.0.logs: the log path {a,b has a bracket that does not close',
    ],
    [
      'an acting phase without a receiver',
      'version: 1\nphase: 2\n',
      'phase 2 changes things, and no receiver could call a person',
    ],
    [
      'an acting group without a receiver',
      `${channels('{ id: a, engine: e, group: g }')}groups: [{ id: g, phase: 3 }]\n`,
      '5:26 groups.0.phase: phase 3 changes things',
    ],
  ])('%s', (_, text, message) => {
    expect(problemLines(loadText(text).problems).join('\n')).toContain(message);
  });
});
