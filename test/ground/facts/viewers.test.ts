import { describe, expect, it } from 'vitest';
import { viewersOf } from '../../../src/ground/facts/viewers.ts';
import { Scene } from '../scene.ts';

describe('viewers', () => {
  const watched = (viewers: number): Scene => {
    const scene = new Scene();
    const { at, nowMs: monoMs } = scene;
    scene.factStore.observe({ kind: 'viewers', channel: 'gen1', at, monoMs, source: 'engine', viewers });
    return scene;
  };

  it('are not known where they were never reported, or not lately', () => {
    const silent = new Scene();
    expect(viewersOf(silent.facts(), silent.nowMs)).toBeUndefined();
    const scene = watched(50);
    expect(viewersOf(scene.facts(), scene.nowMs + 120_000)).toBe(50);
    expect(viewersOf(scene.facts(), scene.nowMs + 120_001)).toBeUndefined();
  });
});
