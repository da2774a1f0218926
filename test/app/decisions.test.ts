import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDecisions } from '../../src/app/decisions.ts';
import type { HostEnvironment } from '../../src/app/host_environment.ts';
import { openInfrastructure } from '../../src/app/infrastructure.ts';
import { createPaging } from '../../src/app/paging.ts';
import { ONLY_NGRAMS } from '../../src/app/similarity.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds, systemRandom } from '../../src/core/id.ts';
import { createLearning } from '../../src/rulebook/learning.ts';
import type { PatternTrust } from '../../src/rulebook/patterns/teaching.ts';
import { aFolder } from '../config/support.ts';

const patterns = (messages: string) => `software: rig
patterns:
  - { id: ended, symptom: process_crash, confidence: 0.9, regex: '${messages}', match: ['${messages}'] }
  - { id: gone, symptom: disk_full, confidence: 0.9, regex: 'is gone', match: ['is gone'] }
`;

/** The collectors and the pipeline of a daemon with one channel, over a journal of their own. */
async function aDecisionPath(trustIn: (pattern: string) => PatternTrust = () => 'full') {
  const folder = aFolder({ 'patterns/rig.yaml': patterns('has ended') });
  const state = join(folder, 'state');
  const file = join(folder, 'reeve.yaml');
  const written = (more: string) => `version: 1
patterns: ${folder}/patterns
engines: [{ id: local, kind: supervisor, socket: ${folder}/socket }]
channels: [{ id: news, engine: local }]
${more}`;
  const load = (more = '') => {
    writeFileSync(file, written(more));
    return loadConfiguration({ file, env: {}, flags: { state }, tools: [] }).configuration!;
  };
  const nothing = () => undefined;
  const host = {
    ...{ clock: systemClock, ids: systemIds, random: systemRandom, version: '7' },
    log: { info: nothing, warn: nothing, error: nothing },
  } as unknown as HostEnvironment;
  const configuration = load();
  const building = new AsyncDisposableStack();
  onTestFinished(() => building.disposeAsync());
  const infrastructure = await openInfrastructure(configuration.config, host, building);
  const paging = createPaging(infrastructure, host);
  const unrecognised: (readonly [text: string, channel: string | undefined])[] = [];
  const decisions = createDecisions(configuration, host, {
    ...{ infrastructure, paging, learning: createLearning(infrastructure) },
    models: { model: undefined, similarity: ONLY_NGRAMS },
    ...{ recall: () => [], hintFor: nothing, trustIn },
    onUnrecognised: (text, channel) => unrecognised.push([text, channel]),
  });
  infrastructure.ledger.open();
  paging.open(configuration.config, building);
  infrastructure.ledger.append(decisions.recover());
  building.use(decisions.pipeline);
  decisions.pipeline.start();
  building.use(decisions.collectors);
  decisions.collectors.start();
  const say = (line: string) =>
    decisions.collectors.intake.take('ndjson', Buffer.from(`${JSON.stringify({ line, channel: 'news' })}\n`));
  /** Channel and pattern of each symptom. */
  const raised = () =>
    [...infrastructure.ledger.read()].flatMap(({ channel, fact }) =>
      fact.type === 'symptom.raised' ? [[channel, fact.symptom.pattern]] : [],
    );
  return {
    decisions,
    say,
    raised,
    unrecognised,
    load,
    setPatterns: (messages: string) => writeFileSync(join(folder, 'patterns/rig.yaml'), patterns(messages)),
  };
}

describe('a line that comes in', () => {
  it('is a symptom in the journal where a pattern fits it', async () => {
    const { say, raised, unrecognised } = await aDecisionPath();
    say('[error] the encoder has ended');
    await expect.poll(() => raised()).toEqual([['news', 'ended']]);
    expect(unrecognised).toEqual([]);
  });

  it('is judged together with all that come in the same round of the event loop', async () => {
    const { decisions, say } = await aDecisionPath();
    const calls: string[] = [];
    for (const call of ['takeSymptom', 'settle'] as const) {
      const really = decisions.pipeline[call].bind(decisions.pipeline) as (symptom?: unknown) => void;
      vi.spyOn(decisions.pipeline, call).mockImplementation((symptom?: unknown) => {
        calls.push(call);
        really(symptom);
      });
    }
    say('[error] the encoder has ended');
    say('[error] the disk is gone');
    // The upkeep of each second settles, too, before or after.
    const sinceTheFirst = () => calls.slice(calls.indexOf('takeSymptom')).slice(0, 3);
    await expect.poll(sinceTheFirst).toEqual(['takeSymptom', 'takeSymptom', 'settle']);
  });

  it('is none where its pattern is not trusted', async () => {
    const { say, raised } = await aDecisionPath((pattern) => (pattern === 'ended' ? 'none' : 'full'));
    say('[error] the encoder has ended');
    say('[error] the disk is gone');
    await expect.poll(() => raised()).toEqual([['news', 'gone']]);
  });

  it('is reported as unrecognised, with its channel, where it complains and no pattern fits it', async () => {
    const { say, raised, unrecognised } = await aDecisionPath();
    say('[error] fatal: the muxer fell over');
    await expect.poll(() => unrecognised).toEqual([[expect.stringContaining('the muxer fell over'), 'news']]);
    expect(raised()).toEqual([]);
  });
});

describe('a reload', () => {
  it('swaps the settings of the next decision', async () => {
    const { decisions, load } = await aDecisionPath();
    expect(decisions.settings().limits.windowStartsMax).not.toBe(5);
    decisions.use(load('limits: { window_starts_max: 5 }'));
    expect(decisions.settings().limits.windowStartsMax).toBe(5);
  });

  it('has lines read by the new patterns', async () => {
    const { decisions, load, say, raised, setPatterns } = await aDecisionPath();
    setPatterns('fell over');
    decisions.use(load());
    say('[error] the muxer fell over');
    await expect.poll(() => raised()).toEqual([['news', 'ended']]);
  });
});
