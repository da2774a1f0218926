import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../../src/control/state.ts';
import type { Draft } from '../../../src/core/journal.ts';
import { bucketOf, newGuardState, newSubject } from '../../../src/guard/state/state.ts';
import type { StartMark } from '../../../src/guard/state/window.ts';
import { noteStart } from '../../../src/incident/pipeline/starts.ts';

const NOW_MS = 1_000_000;

interface UnderWay {
  readonly seenMs?: number;
  readonly unproven?: { readonly permit: string; readonly sinceMs: number };
}

function noted(
  mark: Partial<StartMark> | undefined,
  lastEnd?: { readonly ordered: boolean },
  processState = 'running',
  { seenMs, unproven }: UnderWay = {},
) {
  const drafts: Draft[] = [];
  const observed: unknown[] = [];
  const starts: readonly StartMark[] =
    mark === undefined ? [] : [{ engine: 'local', channel: 'news', atMs: NOW_MS, ...mark }];
  const state = newGuardState();
  if (unproven !== undefined)
    Object.assign(state.subjects[bucketOf('channel:news')]!, { 'channel:news': { ...newSubject(), unproven } });
  const origin = noteStart(
    { channel: 'news', generation: 'g2', engine: 'local', nowMs: NOW_MS },
    {
      guard: () => ({ ...state, starts }),
      control: () => controlProjection.initial,
      factStore: {
        view: () => ({ process: { lastEnd, state: processState, seenMs } }),
        started: (...args: unknown[]) => observed.push(args),
      } as never,
      append: (more) => void drafts.push(...more) as never,
    },
  );
  return { origin, facts: drafts.map(({ fact }) => fact), observed };
}

describe('a new process of a channel', () => {
  it('is ours after a call of ours that no process was matched to yet', () => {
    expect(noted({ permit: 'per-1' }).origin).toBe('reeve');
  });

  it('is ours up to, and not at, two minutes after that call', () => {
    expect(noted({ permit: 'per-1', atMs: NOW_MS - 119_999 }).origin).toBe('reeve');
    expect(noted({ permit: 'per-1', atMs: NOW_MS - 120_000 }).origin).toBe('unknown');
  });

  it('is not ours where our call has its process already: the retries after it are of the engine', () => {
    expect(noted({ permit: 'per-1', life: 'g1' }, { ordered: false }).origin).toBe('engine');
  });

  it('is not ours where the last start was somebody else’s, or another channel’s', () => {
    expect(noted({}).origin).toBe('unknown');
    expect(noted({ permit: 'per-1', channel: 'sport' }).origin).toBe('unknown');
  });

  it.each([
    [{ ordered: true }, 'operator'],
    [{ ordered: false }, 'engine'],
    [undefined, 'unknown'],
  ] as const)('after an end %j is of %s', (lastEnd, origin) => {
    expect(noted(undefined, lastEnd).origin).toBe(origin);
  });

  it.each([
    ['running', undefined],
    ['starting', undefined],
    ['unknown', undefined],
    ['stopped', true],
    ['exited', true],
    ['fatal', true],
  ])('that is seen first as %s is written down as over: %s', (state, over) => {
    expect(noted(undefined, undefined, state).facts[0]).toHaveProperty('type', 'start.observed');
    expect((noted(undefined, undefined, state).facts[0] as { over?: true }).over).toBe(over);
  });

  it.each([
    ['began with the change that is under way', NOW_MS - 1_000, true],
    ['began after it', NOW_MS - 999, undefined],
  ])('that is shown by a look that %s may be older than that, or not: %s', (_, seenMs, may) => {
    const unproven = { permit: 'per-1', sinceMs: NOW_MS - 1_000 };
    const { facts } = noted({ permit: 'per-1' }, undefined, 'running', { seenMs, unproven });
    expect((facts[0] as { mayPrecede?: true }).mayPrecede).toBe(may);
  });

  it('is recorded and reported whoever began it', () => {
    for (const mark of [undefined, { permit: 'per-1' }]) {
      const { origin, facts, observed } = noted(mark);
      expect(facts).toEqual([{ type: 'start.observed', origin, generation: 'g2', engine: 'local' }]);
      expect(observed).toEqual([['news', origin, 'g2']]);
    }
  });
});
