import { describe, expect, it } from 'vitest';
import { sideBySide } from '../../src/engine/side_by_side.ts';

const open = new AbortController().signal;

describe('lanes side by side', () => {
  it('are all waited for, and none is told to end before', async () => {
    const ended: string[] = [];
    await sideBySide(3, open, async (index, signal) => {
      await Promise.resolve();
      ended.push(`${index} ${signal.aborted}`);
    });
    expect(ended).toEqual(['0 false', '1 false', '2 false']);
  });

  it('end with the first that fails', async () => {
    const signals: AbortSignal[] = [];
    const failing = sideBySide(3, open, async (index, signal) => {
      signals.push(signal);
      if (index === 1) throw new Error('it printed too much');
      await new Promise(() => undefined);
    });
    await expect(failing).rejects.toThrow('it printed too much');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  it('end when the caller leaves', async () => {
    const caller = new AbortController();
    const leaving = sideBySide(1, caller.signal, async (_, signal) => {
      caller.abort(new Error('left'));
      signal.throwIfAborted();
    });
    await expect(leaving).rejects.toThrow('left');
  });
});
