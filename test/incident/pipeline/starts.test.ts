import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../../src/control/state.ts';
import type { Draft } from '../../../src/core/journal.ts';
import { newGuardState } from '../../../src/guard/state/state.ts';
import type { StartMark } from '../../../src/guard/state/window.ts';
import { noteStart } from '../../../src/incident/pipeline/starts.ts';

const NOW_MS = 1_000_000;

function noted(mark: Partial<StartMark> | undefined, lastEnd?: { readonly ordered: boolean }, state = 'running') {
  const drafts: Draft[] = [];
  const observed: unknown[] = [];
  const starts: readonly StartMark[] =
    mark === undefined ? [] : [{ engine: 'local', channel: 'news', atMs: NOW_MS, ...mark }];
  const origin = noteStart(
    { channel: 'news', generation: 'g2', engine: 'local', nowMs: NOW_MS },
    {
      guard: () => ({ ...newGuardState(), starts }),
      control: () => controlProjection.initial,
      factStore: {
        view: () => ({ process: { lastEnd, state } }),
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

  it('is recorded and reported whoever began it', () => {
    for (const mark of [undefined, { permit: 'per-1' }]) {
      const { origin, facts, observed } = noted(mark);
      expect(facts).toEqual([{ type: 'start.observed', origin, generation: 'g2', engine: 'local' }]);
      expect(observed).toEqual([['news', origin, 'g2']]);
    }
  });
});
