import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES, type FailureClass } from '../../src/core/classification.ts';
import { SYMPTOMS, type SymptomKind } from '../../src/core/symptom.ts';
import { ROWS } from '../../src/ground/rules/classify.ts';
import { pulling, Scene } from './scene.ts';

/** For each class one more fact about a channel that is down. They are put on top of each other below. */
const EVIDENCE: readonly { readonly classification: FailureClass; readonly add: (scene: Scene) => void }[] = [
  { classification: 'expected_quiet', add: (scene) => scene.set({ state: 'stopped', onPurpose: true }).look() },
  { classification: 'host_exhausted', add: (scene) => scene.log('disk_full') },
  { classification: 'datastore_contention', add: (scene) => scene.log('db_locked') },
  { classification: 'upstream_auth_expired', add: (scene) => scene.log('auth_expired') },
  { classification: 'upstream_url_expired', add: (scene) => scene.log('auth_denied', { pattern: 'http_403' }) },
  { classification: 'upstream_not_found', add: (scene) => scene.log('upstream_not_found') },
  { classification: 'upstream_rate_limited', add: (scene) => scene.log('rate_limited') },
  { classification: 'upstream_unavailable', add: (scene) => scene.log('upstream_unreachable') },
  { classification: 'media_unplayable', add: (scene) => scene.log('corrupt_input', { count: 9 }) },
  { classification: 'playout_empty', add: (scene) => scene.log('playout_gap') },
  { classification: 'guide_stale', add: (scene) => scene.log('guide_stale') },
  {
    classification: 'encoder_session_limit',
    add: (scene) => scene.log('hw_accel_failure', { pattern: 'nvenc_session' }),
  },
  { classification: 'encoder_misconfigured', add: (scene) => scene.log('config_error') },
  { classification: 'ghost_publisher', add: (scene) => scene.log('ghost_publisher') },
  { classification: 'tuner_slots_exhausted', add: (scene) => scene.log('tuner_slots_exhausted') },
  { classification: 'publisher_lost', add: (scene) => scene.log('publisher_lost') },
  { classification: 'process_crashed', add: (scene) => scene.log('process_exit_nonzero') },
];

const rank = (classification: string): number => FAILURE_CLASSES.indexOf(classification as FailureClass);

/** A channel that died by itself a moment ago. */
function dead(): Scene {
  const scene = new Scene();
  scene.die({ code: 1 }).look().lookAtHost();
  return scene;
}

const classOf = (scene: Scene): string => scene.find().classification ?? 'none';

describe('the order of precedence', () => {
  it('has one row for each classification, in the documented order', () => {
    expect(ROWS.map(({ classification }) => classification)).toEqual([...FAILURE_CLASSES]);
  });

  it.each(EVIDENCE)('$classification is found when nothing above it holds', ({ classification, add }) => {
    const scene = dead();
    add(scene);
    expect(classOf(scene)).toBe(classification);
  });

  it('each row wins over every row below it', () => {
    for (const [index, upper] of EVIDENCE.entries()) {
      for (const lower of EVIDENCE.slice(index + 1)) {
        const scene = dead();
        lower.add(scene);
        upper.add(scene);
        expect([upper.classification, lower.classification, classOf(scene)]).toEqual([
          upper.classification,
          lower.classification,
          upper.classification,
        ]);
      }
    }
  });

  it('one more fact never gives a class lower than the higher of the two, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...EVIDENCE.keys()], { minLength: 1 }), (order) => {
        const scene = dead();
        let best = rank('unknown');
        for (const index of order) {
          const { add, classification } = EVIDENCE[index]!;
          add(scene);
          best = Math.min(best, rank(classification));
          expect(rank(classOf(scene))).toBe(best);
        }
      }),
    );
  });
});

const kinds = fc.constantFrom(...SYMPTOMS);

describe('log text', () => {
  it('alone never makes two kinds of evidence, and never more than half sure', () => {
    fc.assert(
      fc.property(
        fc.array(kinds, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 50 }),
        (logged, count) => {
          const scene = new Scene();
          for (const kind of logged) scene.log(kind, { count });
          const finding = scene.find();
          if (!finding.trouble) return;
          expect(finding.signals.every(({ origin }) => origin === 'log')).toBe(true);
          expect(finding.confidence).toBeLessThanOrEqual(0.5);
        },
      ),
    );
  });

  it('never calls a channel that plays crashed or stalled', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, fc.integer({ min: 0, max: 9_000 })), { maxLength: 20 }), (logged) => {
        const scene = pulling();
        for (const [kind, waitMs] of logged) {
          scene.log(kind, { count: 5 }).advance(waitMs - (waitMs % 100));
          expect(['process_crashed', 'output_stalled']).not.toContain(classOf(scene));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is forgotten when it is harmless', () => {
    const scene = dead();
    const before = scene.facts().symptoms.length;
    for (const kind of ['benign_noise', 'client_disconnect_benign', 'unknown'] satisfies SymptomKind[]) scene.log(kind);
    expect(scene.facts().symptoms).toHaveLength(before);
  });
});

describe('a finding', () => {
  it('is the same for the same facts at the same moment', () => {
    fc.assert(
      fc.property(fc.subarray([...EVIDENCE]), (evidence) => {
        const scene = dead();
        for (const { add } of evidence) add(scene);
        expect(scene.find()).toEqual(scene.find());
      }),
    );
  });

  it('has confidence between 0 and 1, bounded texts and at most eight signals', () => {
    fc.assert(
      fc.property(fc.subarray([...EVIDENCE]), fc.integer({ min: 0, max: 100 }), (evidence, seconds) => {
        const scene = dead();
        for (const { add } of evidence) add(scene);
        scene.advance(seconds * 1_000);
        const finding = scene.find();
        if (!finding.trouble) return;
        expect(finding.confidence).toBeGreaterThanOrEqual(0);
        expect(finding.confidence).toBeLessThanOrEqual(0.95);
        expect(finding.signals.length).toBeLessThanOrEqual(8);
        expect(finding.because.length).toBeLessThanOrEqual(300);
        expect(finding.sinceMs).toBeLessThanOrEqual(scene.nowMs);
      }),
      { numRuns: 60 },
    );
  });

  it('of a dead process is never settling for ever: the page comes', () => {
    fc.assert(
      fc.property(fc.subarray([...EVIDENCE]), fc.boolean(), (evidence, noisy) => {
        const scene = dead();
        for (const { add } of evidence) add(scene);
        for (let second = 0; second < 180; second += 5) {
          scene.advance(5_000);
          if (noisy) scene.log('buffer_underrun');
        }
        const finding = scene.find();
        if (finding.trouble) expect(finding.settling).toBe(false);
        else expect(finding.quiet).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
