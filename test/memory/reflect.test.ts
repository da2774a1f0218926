import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VERDICTS } from '../../src/core/memory.ts';
import { contradicts, type Insight, keyOfClaim, sentenceOf } from '../../src/memory/insight.ts';
import { afterMerge, contradictionsOf, MEMBERS_MAX, mergesOf } from '../../src/memory/reflect.ts';

/** Weak insights of a few claims, each born at its own entry. */
const insights = (max: number) =>
  fc
    .array(
      fc.record({
        a: fc.constantFrom('class:process_crashed', 'class:upstream_unavailable'),
        b: fc.constantFrom('error:http_403', 'software:ffmpeg'),
        subject: fc.constantFrom('restart_channel', 'refresh_credentials'),
        verdict: fc.constantFrom(...VERDICTS),
        strength: fc.integer({ min: 1, max: 40 }),
      }),
      { maxLength: max },
    )
    .map((rows) =>
      rows.map(
        ({ a, b, subject, verdict, strength }, index): Insight => ({
          ...{ id: `ins-${index}`, pair: [a, b], subject, verdict, strength, state: 1, bornSeq: index + 1, at: index },
          text: sentenceOf({ pair: [a, b], subject, verdict }, strength),
          ...{ origin: `inc-${index}`, mergedInto: undefined, wordedBy: undefined },
        }),
      ),
    );

/** Passes until nothing is left to merge. */
function reflected(before: readonly Insight[]): readonly Insight[] {
  let now = before;
  let seq = 1_000_000;
  for (let merges = mergesOf(now); merges.length > 0; merges = mergesOf(now)) {
    for (const merge of merges) {
      seq += 1;
      now = afterMerge(now, merge, { bornSeq: seq, at: seq });
    }
  }
  return now;
}

const active = (all: readonly Insight[]) => all.filter(({ state }) => state === 1);

const strengthOf = (all: readonly Insight[]) => active(all).reduce((sum, { strength }) => sum + strength, 0);

describe('THEA 4.2, deep reflection: laws', () => {
  it('conserves strength, over all and for each claim', () => {
    fc.assert(
      fc.property(insights(200), (before) => {
        const after = reflected(before);
        expect(strengthOf(after)).toBe(strengthOf(before));
        for (const one of active(after)) {
          const same = before.filter((each) => keyOfClaim(each) === keyOfClaim(one));
          expect(one.strength).toBe(strengthOf(same));
        }
      }),
    );
  });

  it('leaves one active insight for each claim, and a second run changes nothing', () => {
    fc.assert(
      fc.property(insights(200), (before) => {
        const after = reflected(before);
        const keys = active(after).map(keyOfClaim);
        expect(new Set(keys).size).toBe(keys.length);
        expect(mergesOf(after)).toEqual([]);
        expect(reflected(after)).toBe(after);
      }),
    );
  });

  it('does not depend on the order in which the insights lie', () => {
    fc.assert(
      fc.property(insights(60), fc.infiniteStream(fc.nat()), (before, numbers) => {
        const shuffled = before
          .map((insight) => ({ insight, place: numbers.next().value as number }))
          .sort((a, b) => a.place - b.place)
          .map(({ insight }) => insight);
        expect(mergesOf(shuffled)).toEqual(mergesOf(before));
      }),
    );
  });

  it('archives what it merged, and each archived one leads to an active one of its claim', () => {
    fc.assert(
      fc.property(insights(150), (before) => {
        const after = reflected(before);
        const byId = new Map(after.map((each) => [each.id, each]));
        for (const one of after) {
          let heir = one;
          while (heir.state === 0) heir = byId.get(heir.mergedInto!)!;
          expect(keyOfClaim(heir)).toBe(keyOfClaim(one));
        }
      }),
    );
  });

  it('never merges opposites: they are marked as contradicting each other', () => {
    fc.assert(
      fc.property(insights(100), (before) => {
        const after = reflected(before);
        for (const [one, other] of contradictionsOf(after)) {
          expect(contradicts(one, other)).toBe(true);
          expect([one.state, other.state]).toEqual([1, 1]);
        }
      }),
    );
  });

  it.each([
    [MEMBERS_MAX, 1],
    [MEMBERS_MAX + 1, 1],
    [MEMBERS_MAX + 2, 2],
  ])('takes at most %i members into a merge (%i merges)', (count, merges) => {
    const [one] = fc.sample(
      insights(1).filter(({ length }) => length === 1),
      1,
    );
    const many = Array.from({ length: count }, (_, index) => ({ ...one![0]!, id: `ins-${index}`, bornSeq: index + 1 }));
    expect(mergesOf(many).length).toBe(merges);
    expect(mergesOf(many)[0]!.merged).toBe(MEMBERS_MAX);
  });
});
