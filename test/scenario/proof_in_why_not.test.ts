import { expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

it('`reeve why-not` names the proof that a staged start waits for: which source answered, and when', async () => {
  const names = ['a', 'b', 'c'];
  const world = pipelineHarness({ channels: names, sources: true });
  await world.live(20_000);
  for (const name of names) world.engine.deadSources.add(name);
  for (const name of names) world.engine.kill(name);
  await world.live(20_000, 1_000);
  const answer = () => world.pipeline.preview('a', 'restart_channel');
  expect(answer()?.because).toMatch(
    /^group:encoders is contained \(shared_cause\): .*; source origin:80 does not answer$/,
  );
  world.engine.deadSources.clear();
  const at = new Date(world.clock.now()).toISOString().slice(11, 19);
  await world.live(1_000, 1_000);
  const says = `source origin:80 has answered once, at ${at}; needed twice over 10 s`;
  expect(answer()?.because).toContain(says);
  expect(answer()?.flips.join()).toContain(says);
});
