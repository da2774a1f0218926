import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Ages } from '../../src/engine/ages.ts';
import { processGenerationsOf } from '../../src/engine/process_generations.ts';
import { countAt, parseJson, type Reading, readChannels, valueAt } from '../../src/engine/reading.ts';
import { newestOf } from '../../src/engine/text.ts';

const moment = { at: 1_700_000_000_000, monoMs: 5_000 };
const of = (channels: readonly string[]) => ({
  engine: 'web',
  source: 'http /list',
  moment,
  channels: channels.map((name) => ({ id: `ch-${name}`, name })),
  generations: processGenerationsOf(false, undefined),
  ages: new Ages(),
  answeredMs: moment.monoMs,
});
const reading = (fields: object = {}, rest: object = {}): Reading => ({
  items: '',
  fields: { name: '/name', state: '/state', ...fields },
  states: [],
  ...rest,
});
const stateOf = (item: object, options?: Reading) =>
  readChannels([{ name: 'a', ...item }], options ?? reading(), of(['a'])).processes[0]!;

describe('an exit code', () => {
  it('below zero is kept: it names the signal that killed the process', () => {
    const sample = stateOf({ state: 'exited', code: -9 }, reading({ exit_code: '/code' }));
    expect(sample.exitCode).toBe(-9);
  });
});

describe('valueAt', () => {
  it('follows RFC 6901', () => {
    const document = { a: [{ 'b/c': 1, 'd~e': 2 }], '': 3 };
    expect(valueAt(document, '')).toBe(document);
    expect(valueAt(document, '/a/0/b~1c')).toBe(1);
    expect(valueAt(document, '/a/0/d~0e')).toBe(2);
    expect(valueAt(document, '/')).toBe(3);
    expect(valueAt(document, '/a/1/x')).toBeUndefined();
  });

  it('finds only what the answer itself holds', () => {
    for (const pointer of ['/constructor', '/__proto__', '/a/length/x'])
      expect(valueAt({ a: [] }, pointer)).toBeUndefined();
  });

  test.prop([fc.jsonValue(), fc.string()])('never throws', (value, text) => {
    valueAt(value, `/${text}`);
  });
});

describe('countAt', () => {
  it('takes numbers of 0 or more, also as text, and nothing else', () => {
    expect([7, 0, '12', ' 3 '].map((value) => countAt(value, ''))).toEqual([7, 0, 12, 3]);
    expect([-1, 'x', '', null, true, {}, Number.NaN].map((value) => countAt(value, ''))).toEqual(
      Array(7).fill(undefined),
    );
    expect(countAt({ n: 1 }, undefined)).toBeUndefined();
  });
});

describe('readChannels', () => {
  it('gives every configured channel a sample, unknown where the engine does not list it', () => {
    const { processes } = readChannels(
      [
        { name: 'a', state: 'running' },
        { name: 'x', state: 'running' },
      ],
      reading(),
      of(['a', 'b']),
    );
    expect(processes.map(({ channel, state }) => [channel, state])).toEqual([
      ['ch-a', 'running'],
      ['ch-b', 'unknown'],
    ]);
  });

  it('translates the engine’s terms, and takes no other term for health', () => {
    const states = [
      { says: 'on air', means: 'running' },
      { says: 3, means: 'fatal' },
      { says: false, means: 'stopped' },
    ] as const;
    const described = reading({}, { states });
    expect(stateOf({ state: 'on air' }, described).state).toBe('running');
    expect(stateOf({ state: 3 }, described).state).toBe('fatal');
    expect(stateOf({ state: false }, described)).toMatchObject({ state: 'stopped', stoppedOnPurpose: true });
    for (const state of ['3', 'great', true, null, undefined])
      expect(stateOf({ state }, described).state).toBe('unknown');
    expect(stateOf({ state: 'exited' }, described)).toMatchObject({ state: 'exited', stoppedOnPurpose: false });
    expect(stateOf({ state: 'running' }, { items: '', fields: { name: '/name' }, states: [] }).state).toBe('unknown');
  });

  it('reads pid, generation, age, exit code and viewers where they are described', () => {
    const described = reading({
      pid: '/pid',
      generation: '/started',
      uptime_seconds: '/up',
      exit_code: '/code',
      viewers: '/v',
    });
    const item = { name: 'a', state: 'running', pid: 9, started: '2026-01-01T00:00:00Z', up: 1.5, code: 0, v: 12 };
    const { processes, viewers } = readChannels([item], described, of(['a']));
    expect(processes[0]).toMatchObject({ pid: 9, generation: '2026-01-01T00:00:00Z', uptimeMs: 1_500, exitCode: 0 });
    expect(viewers).toEqual([{ kind: 'viewers', channel: 'ch-a', source: 'http /list', ...moment, viewers: 12 }]);
    expect(readChannels([{ ...item, v: 'many', up: -1 }], described, of(['a']))).toMatchObject({
      viewers: [],
      processes: [{ uptimeMs: undefined }],
    });
  });

  it('reads a mapping as items of key and value, and numbers as names', () => {
    const described: Reading = { items: '/channels', fields: { name: '/key', state: '/value/state' }, states: [] };
    const { processes } = readChannels({ channels: { 7: { state: 'running' } } }, described, of(['7']));
    expect(processes[0]).toMatchObject({ channel: 'ch-7', state: 'running' });
    expect(readChannels([{ name: 7, state: 'running' }], reading(), of(['7'])).processes[0]).toMatchObject({
      state: 'running',
    });
  });

  it('knows no state of a channel that is listed twice in different states, in whatever order', () => {
    const [up, down] = [
      { name: 'a', state: 'running' },
      { name: 'a', state: 'exited' },
    ];
    const stateOf = (...items: unknown[]) => readChannels(items, reading(), of(['a'])).processes[0]?.state;
    expect([stateOf(up, down), stateOf(down, up), stateOf(down, up, up)]).toEqual(['unknown', 'unknown', 'unknown']);
    expect([stateOf(up, up), stateOf(down, down)]).toEqual(['running', 'exited']);
  });

  it('reads JSON behind a byte order mark', () => {
    expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it('refuses an answer without a list', () => {
    for (const answer of [null, 'x', 7]) {
      expect(() => readChannels(answer, reading(), of(['a']))).toThrow(
        expect.objectContaining({ code: 'ENGINE_ANSWER_INVALID' }),
      );
    }
    expect(() => parseJson('<html>')).toThrow(expect.objectContaining({ code: 'ENGINE_ANSWER_INVALID' }));
  });
});

describe('newestOf', () => {
  it('keeps whole lines from the end', () => {
    expect(newestOf('a\nbb\nccc', 100)).toBe('a\nbb\nccc');
    expect(newestOf('a\nbb\nccc', 7)).toBe('bb\nccc');
    expect(newestOf('a\nbb\nccc', 4)).toBe('ccc');
    expect(newestOf('abcdef', 3)).toBe('def');
  });

  test.prop([fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 0, max: 40 })])(
    'is an end of the text and never longer than allowed',
    (text, bytesMax) => {
      const tail = newestOf(text, bytesMax);
      expect(text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(bytesMax);
    },
  );
});
