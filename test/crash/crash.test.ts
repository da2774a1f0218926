import { beforeAll, describe, expect, it } from 'vitest';
import { countPoints, impossible, type Trial } from './point.ts';
import { pointsOf, sampleOf, tallyOf, tryAll } from './points.ts';

/** Of each fault and call; `npm run crash-points` tries them all. Another seed tries others. */
const EACH = Number(process.env.REEVE_CRASH_POINTS ?? 3);
const SEED = Number(process.env.REEVE_CRASH_SEED ?? 1);
const WITHIN_MS = 300_000;

const obstacle = impossible();

describe.skipIf(obstacle !== undefined)(
  `the real daemon, killed or failed in the middle (${obstacle ?? 'strace'})`,
  () => {
    let trials: readonly Trial[];
    beforeAll(async () => {
      trials = await tryAll(sampleOf(pointsOf(await countPoints()), EACH, SEED), { workers: 3 });
    }, WITHIN_MS);

    it('keeps every law at every point', () => {
      expect(
        trials.filter(({ problems }) => problems.length > 0).map(({ point, problems }) => ({ point, problems })),
      ).toEqual([]);
    });

    it('invokes nothing twice, loses no page, and reaches every point', () => {
      const { tried, survived, doubleInvocations, lostEscalations } = tallyOf(trials);
      expect({ doubleInvocations, lostEscalations }).toEqual({ doubleInvocations: 0, lostEscalations: 0 });
      expect(survived).toBe(tried);
      expect(tried).toBeGreaterThan(trials.length * 0.8);
    });
  },
);
