import type { FailureClass } from '../../src/core/classification.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { Assessment, Finding } from '../../src/ground/rules/classify.ts';
import { correlate, type SeenEngine, type SharedCause } from '../../src/ground/correlate/correlate.ts';
import { type Seen, SeenChannels } from '../../src/ground/correlate/seen_channel.ts';
import { setupOf } from './scene.ts';

export const WELL: Finding = {
  trouble: false,
  classification: undefined,
  healthy: true,
  quiet: false,
  because: 'plays',
  omen: undefined,
};

export const trouble = (classification: FailureClass, settling = false): Assessment => ({
  trouble: true,
  classification,
  confidence: 0.9,
  healthy: false,
  because: classification,
  signals: [],
  lastErrorType: undefined,
  errorFrequency: 0,
  fingerprint: classification,
  sinceMs: 0,
  settling,
  actNotBeforeMs: 0,
  wants: [],
});

export const member = (
  id: string,
  finding: Finding,
  extra: Partial<Seen> & { group?: string; engine?: string; hasSource?: boolean } = {},
): Seen => ({
  ref: setupOf(id, {
    group: extra.group ?? 'pull',
    engine: extra.engine ?? 'local',
    hasSource: extra.hasSource ?? extra.sourceHost !== undefined,
  }),
  finding,
  firstSeenMs: extra.firstSeenMs ?? 0,
  sourceHost: extra.sourceHost,
  isAbsent: extra.isAbsent ?? false,
});

/** Steps the correlation and keeps its state. */
export class Fleet {
  causes: readonly SharedCause[] = [];
  nowMs = 0;
  /** Each of these is its own incident's. */
  readonly handedOver = new Set<string>();

  step(seen: readonly Seen[], ms = 1_000, engines: readonly SeenEngine[] = []): readonly SharedCause[] {
    this.nowMs += ms;
    const input = { seen: new SeenChannels(seen), engines, limits: DEFAULT_LIMITS, handedOver: this.handedOver };
    this.causes = correlate(input, this.causes, this.nowMs);
    return this.causes;
  }
}

export const four = (finding: Finding, rest: Finding = finding): readonly Seen[] =>
  ['a', 'b', 'c', 'd'].map((id, index) => member(id, index < 3 ? finding : rest));
