import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { modelPlanner } from '../../src/agent/planner.ts';
import { countingIds } from '../../src/core/id.ts';
import { Hints } from '../../src/hints/hints.ts';
import { PlannerHints } from '../../src/hints/planner.ts';
import { HINTS_SCHEMA, HintStore } from '../../src/hints/store.ts';
import { DerivedFile } from '../../src/journal/derived.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { aBundle, aCluster } from '../support/hint_bundle.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';
import { chooses, scriptedModel } from '../support/scripted_model.ts';

const CLUSTERS = {
  crash: aCluster('process crashed: the process of a channel is gone', 'pattern_look_first', {
    matched_keywords: ['process', 'crashed'],
    cross_domain_analogies: [{ source_domain: 'Control', insight: 'look at what it was fed', action_suggestion: '' }],
  }),
};

/** A dead channel, and a planner that only looks until it gets a hint. */
async function stuckWorld(stepsMax: number) {
  const model = scriptedModel((request) =>
    chooses(/^hint: /m.test(request.messages.at(-1)?.content ?? '') ? 'restart_channel' : 'get_channel_health')(
      request,
    ),
  );
  let own: PlannerHints | undefined;
  const planner = modelPlanner({ model, templateOf: () => '<str>', hint: (step) => own?.hintFor(step) });
  const settings = { planner, mode: 'before_rules', deadlineMs: 8_000, replyTokensMax: 256 } as const;
  const world = pipelineHarness({ rules: [], planner: settings, personaWith: { planning_depth_max: stepsMax } });
  const { ledger, clock } = world;
  const folder = aBundle(temporaryDirectory(), CLUSTERS);
  const file = DerivedFile.open(join(folder, 'hints.db'), HINTS_SCHEMA);
  onTestFinished(() => file[Symbol.dispose]());
  const store = new HintStore(file);
  const hints = new Hints({
    ...{ store, append: ledger.append, clock, ids: countingIds(), redact: (text) => text, backend: 'memory' },
    sources: { folder, files: join(folder, 'own') },
    ...{
      similarityFloor: 0.2,
      blindSpots: { windowMs: 3_600_000, threshold: 3 },
      factsPerMinuteMax: 100_000,
      version: '',
    },
  });
  hints.reload();
  own = new PlannerHints({ hints, store, read: (query) => ledger.read(query) });
  ledger.subscribe((entry) => hints.onEntry(entry));
  ledger.subscribe((entry) => own?.onEntry(entry));
  await world.live(40_000);
  world.engine.kill('news');
  const hintsSent = () => model.asked.map(({ messages }) => /^hint: (.*)$/m.exec(messages.at(-1)?.content ?? '')?.[1]);
  return { world, store, hintsSent };
}

describe('the planner of a run', () => {
  // system_admin, the default persona, allows two steps.
  it.each([2, 3])('is given a hint after a look that led nowhere, in a first run of %i steps', async (stepsMax) => {
    const { world, store, hintsSent } = await stuckWorld(stepsMax);
    await world.live(120_000);
    expect(hintsSent()).toEqual([undefined, expect.stringContaining('look at what it was fed')]);
    const scored = world.facts('attempt.scored').map(({ tool, score }) => [tool, score]);
    expect(scored).toEqual([
      ['get_channel_health', 0.6],
      ['restart_channel', 1],
    ]);
    expect(store.outcomes(0, 9)).toMatchObject([
      { asker: 'planner', symptom: 'process_crashed', iteration: 2, preScore: 0, postScore: 1, deltaScore: 1 },
    ]);
    expect(world.facts('hint.injected')).toMatchObject([{ scores: [0, 0], pattern: 'pattern_look_first' }]);
    expect(world.failures).toEqual([]);
  });
});
