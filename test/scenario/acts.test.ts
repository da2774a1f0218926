import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { ACTS } from '../../demo/acts.ts';
import { type Company, type Performance, perform, settle } from '../../demo/perform.ts';
import { openPerson } from '../../demo/person.ts';
import { findProgram } from '../../demo/process.ts';
import { MAIN, type Reeve, startReeve } from '../../demo/reeve.ts';
import { openStage, type Stage } from '../../demo/stage.ts';

const can = existsSync(MAIN) && Boolean(findProgram('ffmpeg') && findProgram('supervisord'));
/** Those that are quick to judge; `npm run demo` plays all of them, and what it learns after them. */
const QUICK = ['killed', 'frozen', 'bad_setting', 'origin_403', 'cpu_starved', 'disk_full'];
const acts = ACTS.filter(({ id }) => QUICK.includes(id));

describe.skipIf(!can)('real faults on real channels, judged from outside (needs ffmpeg and supervisor)', () => {
  let stage: Stage;
  let reeve: Reeve;
  let company: Company;
  const played: Performance[] = [];
  beforeAll(async () => {
    stage = await openStage({ pulled: 1, autorestart: ['gen4'] });
    reeve = await startReeve(stage);
    const quiet = { onEntries: () => {}, onStage: () => {} };
    const person = openPerson(reeve.configPath, () => {});
    company = { stage, reeve, person, clock: systemClock, signal: new AbortController().signal, ...quiet };
    expect(await reeve.sawAllPlay(), await reeve.logTail()).toBe(true);
    await reeve.catchUp();
  }, 180_000);
  afterAll(async () => {
    await reeve?.[Symbol.asyncDispose]();
    await stage?.[Symbol.asyncDispose]();
  }, 90_000);

  it.for(acts)('$title: $right', { timeout: 400_000 }, async (act, { skip }) => {
    const because = act.unavailable?.(stage);
    if (because) skip(because);
    if (act.afterCalm) await settle(played, company);
    const performance = await perform(act, company);
    played.push(performance);
    expect(wrongIn(performance, false), storyOf(reeve)).toEqual([]);
  });

  it('takes every page back when it is over', async () => {
    await settle(played, company);
    expect(played.flatMap((performance) => wrongIn(performance, true))).toEqual([]);
  }, 240_000);
});

/** What Reeve wrote down last, for whoever asks why. */
const storyOf = ({ entries }: Reeve): string =>
  entries
    .slice(-60)
    .map(({ fact }) => JSON.stringify(fact).slice(0, 400))
    .join('\n');

const wrongIn = ({ act, checks }: Performance, atLast: boolean): readonly string[] =>
  checks(atLast)
    .filter(({ ok }) => !ok)
    .map(({ says }) => `${act.id}: ${says}`);
