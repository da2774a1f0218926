import { describe, expect, it } from 'vitest';
import { verifyFresh } from '../../src/ground/verify.ts';
import { Scene } from './scene.ts';

/** A channel that died, and an action that begins now. */
function acting() {
  const scene = new Scene();
  scene.die({ code: -1, signal: 9 }).advance(2_300);
  const sinceMs = scene.nowMs;
  const previousGeneration = scene.facts().process?.generation;
  scene.board.acted('gen1', sinceMs);
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
  it('is verified when later looks show the same life and its output', () => {
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

  it('is not verified where nothing tells that the life is another one than before', () => {
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
