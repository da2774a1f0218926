import { describe, expect, it } from 'vitest';
import { nextAnswer, nextOutput, nextProgress, type OutputFacts } from '../../src/ground/facts/output_facts.ts';
import { type ChannelFacts, noFacts } from '../../src/ground/facts/facts.ts';
import { verifyFresh } from '../../src/ground/verify.ts';
import { factsAfter } from './looks.ts';
import { Scene, setupOf } from './scene.ts';

/** A channel that died, and an action that begins now. */
function acting() {
  const scene = new Scene();
  scene.die({ code: -1, signal: 9 }).advance(2_300);
  const sinceMs = scene.nowMs;
  const previousGeneration = scene.facts().process?.generation;
  scene.factStore.acted('gen1', sinceMs);
  const judge = (known: { previousGeneration: string | undefined } = { previousGeneration }) =>
    verifyFresh(scene.facts(), { sinceMs, ...known }, scene.nowMs);
  /** A look that began before the action and whose answer already shows what came of it. */
  const lookBegunBefore = () => {
    scene.nowMs -= 20;
    scene.look();
    scene.nowMs += 20;
  };
  return { scene, judge, lookBegunBefore };
}

describe('a restart whose new process was first seen by a look that began before it', () => {
  it('is verified when later polls show the same generation and its output', () => {
    const { scene, judge, lookBegunBefore } = acting();
    scene.start();
    lookBegunBefore();
    expect(judge()).toEqual({ state: 'not_yet', because: 'no fresh process sample' });
    scene.advance(5_000);
    expect(judge().state).toBe('cured');
  });

  it('is not verified by output from before the action', () => {
    const { scene, judge, lookBegunBefore } = acting();
    scene.start(false);
    lookBegunBefore();
    scene.advance(10_000);
    expect(judge().state).toBe('not_yet');
  });

  it('is not verified where nothing shows that the generation is another one than before', () => {
    const { scene, judge, lookBegunBefore } = acting();
    scene.start();
    lookBegunBefore();
    scene.advance(5_000);
    expect(judge({ previousGeneration: undefined })).toEqual({
      state: 'not_yet',
      because: 'the process is older than the action',
    });
  });
});

/** What is seen of an action that began at 10000, when generation `a` was the last that was known. */
function judged(known: Partial<ChannelFacts>, previousGeneration: string | undefined = 'a', nowMs = 12_000) {
  const facts = { ...noFacts(setupOf('news', { hasOutputProbe: false })), ...known };
  return verifyFresh(facts, { sinceMs: 10_000, previousGeneration }, nowMs);
}
const NEW = factsAfter('9000 exited a, 11000 running b');

/** Looks at the playlist, as `11500 r2 bytes=0 ended`. */
function playlist(looks: string): OutputFacts {
  let facts: OutputFacts | undefined;
  for (const look of looks.split(', ')) {
    const [at, revision, ...parts] = look.split(' ');
    const empty = parts.includes('empty') ? { newestSegmentBytes: 0 } : {};
    const base = { kind: 'playlist', channel: 'news', at: 0, source: 'p', ok: true } as const;
    facts = nextOutput(facts, {
      ...base,
      ...empty,
      monoMs: Number(at),
      revision: revision!,
      ended: parts.includes('ended'),
    });
  }
  return facts!;
}
const reach = (monoMs: number, ok: boolean) =>
  nextAnswer(undefined, { kind: 'reach', channel: 'news', at: 0, source: 'r', monoMs, ok });
const reports = (...times: readonly number[]) =>
  times.reduce<ChannelFacts['progress']>((before, monoMs) => {
    const base = { kind: 'progress', channel: 'news', at: 0, source: 'p', frame: undefined } as const;
    return nextProgress(before, { ...base, monoMs, outTimeMs: monoMs });
  }, undefined);

describe('a restart', () => {
  it.each([
    ['no look since', '9999 running b', 'no fresh process sample'],
    ['a look at the moment of the action that shows the old process', '10000 running a', 'no new process yet'],
    ['a look that names no process', '10000 running', 'no new process yet'],
    ['a process that is starting', '9000 exited a, 11000 starting b', 'the new process is starting'],
    ['a process in backoff', '9000 exited a, 11000 backoff b', 'the new process is backoff'],
    ['a process that has just died', '9000 exited a, 11000 exited b', 'the new process is exited'],
    ['a new process and nothing else', '9000 exited a, 11000 running b', 'nothing reports new output'],
  ])('of which there is %s is not verified yet', (_, looks, because) => {
    expect(judged({ process: factsAfter(looks) })).toEqual({ state: 'not_yet', because });
  });

  it('whose new process cannot be read, or was looked at more than 10 s ago, is not verified yet', () => {
    const stale = { state: 'not_yet', because: 'no fresh process sample' };
    expect(judged({ process: factsAfter('11000 running b, 11500 unknown') })).toEqual(stale);
    expect(judged({ process: NEW }, 'a', 21_001)).toEqual(stale);
    expect(judged({ process: NEW }, 'a', 21_000)).not.toEqual(stale);
  });

  it.each([
    ['9999 running b, 10500 running b', 'the process is older than the action'],
    ['10000 running b', 'nothing reports new output'],
  ])('after an unknown earlier generation shows %s', (looks, because) => {
    const facts = { ...noFacts(setupOf('news', { hasOutputProbe: false })), process: factsAfter(looks) };
    const action = { sinceMs: 10_000, previousGeneration: undefined };
    expect(verifyFresh(facts, action, 12_000)).toEqual({ state: 'not_yet', because });
  });

  it.each([
    ['fatal', 11_000, { state: 'failed', because: 'the new process failed at once, and the engine gave it up' }],
    ['exited', 15_999, { state: 'not_yet', because: 'the new process is exited' }],
    ['exited', 16_000, { state: 'failed', because: 'it died again' }],
    ['backoff', 20_000, { state: 'not_yet', because: 'the new process is backoff' }],
  ])('whose new process is %s at %s', (state, nowMs, verdict) => {
    expect(judged({ process: factsAfter(`9000 exited a, 11000 ${state} b`) }, 'a', nowMs)).toEqual(verdict);
  });
});

describe('the playlist of a restarted channel', () => {
  const cured = 'a new process runs and has written new segments';
  const still = 'its playlist has not moved since';
  it.each([
    ['is new since the new process was seen', '9500 r1, 11001 r2', cured],
    ['is new, but not since then', '9500 r1, 11000 r2', still],
    ['replaces one that was last seen when the old process ended', '9000 r1, 11500 r2', cured],
    ['replaces one that was last seen while the old process ran', '8999 r1, 11500 r2', still],
    ['was not looked at before', '11500 r2', still],
    ['is closed', '9500 r1, 11500 r2 ended', still],
    ['is empty', '9500 r1, 11500 r2 empty', 'its newest segment is empty'],
    ['is empty again', '9500 r0, 9600 r1, 11500 r2 empty', 'its newest segment is empty'],
    ['was empty once', '9500 r0, 9600 r1 empty, 9700 r2', still],
    ['was new, and is closed now', '9500 r1, 11500 r2, 11600 r3 ended', cured],
  ])('that %s', (_, looks, because) => {
    const process = factsAfter('8000 running a, 9000 exited a, 11000 running b');
    const state = because === cured ? 'cured' : 'not_yet';
    expect(judged({ process, output: playlist(looks) })).toEqual({ state, because });
  });

  it('that moves proves a process that its engine goes on calling starting, once that is no leftover', () => {
    const process = factsAfter('8000 running a, 9000 exited a, 11000 starting b, 20000 starting b, 30000 starting b');
    const at = (looks: string, nowMs: number) => judged({ process, output: playlist(looks) }, 'a', nowMs);
    expect(at('9500 r1, 18999 r2', 19_000)).toEqual({ state: 'not_yet', because: 'the new process is starting' });
    expect(at('9500 r1, 18000 r2, 19001 r3', 19_002)).toEqual({ state: 'cured', because: cured });
    expect(at('9500 r1, 19001 r2, 29000 r2', 30_000).state).toBe('not_yet');
  });

  it.each([
    ['11000 r1, 11500 r2', 'cured'],
    ['10999 r1, 11500 r2', 'not_yet'],
  ])('%s must have stood when the new process was seen, where no end was', (looks, state) => {
    expect(judged({ process: factsAfter('11000 running b'), output: playlist(looks) }).state).toBe(state);
  });

  it.each([
    ['9950 r1, 10001 r2', 'cured'],
    ['9940 r1, 9960 r2, 10000 r3', 'not_yet'],
  ])('%s must be new since the action, whenever the new process was first seen', (looks, state) => {
    const process = factsAfter('8000 running a, 9900 running b, 11000 running b');
    expect(judged({ process, output: playlist(looks) }).state).toBe(state);
  });

  it.each([
    ['10000 r1, 10001 r2', cured],
    ['9999 r1, 10001 r2', still],
    ['9000 r1, 10000 r2', still],
    [undefined, still],
  ])('of which no process is known: %s', (looks, because) => {
    const known = looks === undefined ? {} : { output: playlist(looks) };
    expect(judged(known).because).toBe(because);
  });
});

describe('a restarted channel without a playlist', () => {
  it.each<[string, Partial<ChannelFacts>, string]>([
    ['answers since', { reach: reach(11_001, true) }, 'a new process runs and its output answers'],
    ['answered, and not since', { reach: reach(11_000, true) }, 'no answer yet'],
    ['does not answer', { reach: reach(11_500, false) }, 'no answer yet'],
    [
      'answers not yet, but reports',
      { reach: reach(11_000, true), progress: reports(11_400, 11_900) },
      'no answer yet',
    ],
    ['makes progress', { progress: reports(10_000, 11_001) }, 'a new process runs and makes progress'],
    ['made progress, and not since', { progress: reports(10_000, 11_000) }, 'nothing reports new output'],
    ['has reported only once', { progress: reports(11_500) }, 'nothing reports new output'],
    ['is to be looked at, and was not', { setup: setupOf('news') }, 'its output was not looked at since'],
    [
      'writes',
      { process: factsAfter('9000 exited a, 11000 running b bytes=0, 11001 running b bytes=1') },
      'a new process runs and writes',
    ],
    [
      'does not write',
      { process: factsAfter('9000 exited a, 11000 running b bytes=1, 11900 running b bytes=1') },
      'nothing reports new output',
    ],
  ])('that %s', (_, known, because) => {
    const state = because.startsWith('a new process runs') ? 'cured' : 'not_yet';
    expect(judged({ process: NEW, ...known })).toEqual({ state, because });
  });
});
