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
