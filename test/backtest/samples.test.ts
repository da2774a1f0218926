import { describe, expect, it } from 'vitest';
import { readSamples } from '../../src/backtest/samples.ts';
import { recorded } from './support.ts';

const NOON = Date.UTC(2026, 6, 28, 12, 0, 1, 250);

describe('samples', () => {
  it('are read in wire form, sorted by time, with null for what is not known', () => {
    const [path] = recorded({
      's.ndjson':
        '{"kind":"viewers","at":"2026-07-28T12:00:02Z","channel":"news","viewers":3}\n' +
        '{"kind":"engine","at":1785240001250,"engine":"e","ok":true,"pool_pressure":null,"reports_pool":true}\n',
    });
    expect(readSamples(path!)).toMatchObject([
      { kind: 'engine', at: NOON, reportsPool: true },
      { kind: 'viewers', viewers: 3 },
    ]);
    expect(Object.keys(readSamples(path!)[0]!)).not.toContain('poolPressure');
  });

  it.each([
    ['playlist', { ok: true, failure: null, revision: null }],
    ['process', { engine: null, state: 'running', stopped_on_purpose: null, exit_code: null }],
    ['source', { ok: true, host: null, failure: null }],
    ['host', { engine: 'e', disks: null }],
  ])('of a %s may have null in any member that may be missing', (kind, members) => {
    const known = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
    const [nulls, missing] = [members, known].map((each) => {
      const [path] = recorded({ 's.ndjson': `${JSON.stringify({ kind, at: 1, channel: 'news', ...each })}\n` });
      return readSamples(path!);
    });
    expect(nulls).toEqual(missing);
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['an unknown kind', '{"kind":"weather","at":1}'],
    ['no time', '{"kind":"viewers","channel":"a","viewers":1}'],
    ['a time that is none', '{"kind":"viewers","at":"yesterday","channel":"a","viewers":1}'],
    ['an unknown state', '{"kind":"process","at":1,"channel":"a","state":"fine"}'],
  ])('are refused with file and line: %s', (_, line) => {
    const [path] = recorded({ 's.ndjson': `\n${line}\n` });
    expect(() => readSamples(path!)).toThrow(/s\.ndjson:2: /);
  });
});
