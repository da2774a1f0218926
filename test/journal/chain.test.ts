import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/core/wire.ts';
import { CHAIN_STATE, ChainCheck, GENESIS, hashOf, verifyChain } from '../../src/journal/chain.ts';
import type { StoredEntry } from '../../src/journal/store.ts';
import { chainOf } from './support.ts';

const snapshotBody = (previous: string): string =>
  JSON.stringify({ states: [{ name: CHAIN_STATE, state: JSON.stringify(previous) }], type: 'snapshot.taken' });

/** A whole chain whose sixth row is a snapshot that names the hash of the fifth. */
function chainWithSnapshot(): StoredEntry[] {
  const before = chainOf(5);
  return chainOf(10, (seq) => (seq === 6 ? { type: 'snapshot.taken', body: snapshotBody(before.at(-1)!.hash) } : {}));
}

it('is of the canonical JSON of each record, as earlier versions wrote it', () => {
  const text = fc.string({ unit: 'binary' });
  const maybe = fc.option(text, { nil: undefined });
  const row = fc.record({
    ...{ seq: fc.nat(), at: fc.integer(), monoMs: fc.integer(), boot: text, type: text, body: text },
    ...{ channel: maybe, incident: maybe, run: maybe },
  });
  fc.assert(
    fc.property(row, text, (one, previous) => {
      const { monoMs, ...others } = one;
      const content = canonicalJson({ ...others, mono_ms: monoMs });
      expect(hashOf(previous, one)).toBe(hash('sha256', `${previous}\n${content}`, 'hex'));
    }),
  );
});

describe('the chain', () => {
  it('holds for what was written', () => {
    expect(verifyChain(chainOf(20))).toEqual({ ok: true, records: 20, firstBad: undefined, because: undefined });
    expect(verifyChain([])).toMatchObject({ ok: true, records: 0 });
  });

  const FIELDS = ['seq', 'at', 'monoMs', 'boot', 'channel', 'incident', 'run', 'type', 'body', 'hash'] as const;

  it.each(FIELDS)('finds a change of %s', (field) => {
    const rows = chainOf(5);
    const changed = typeof rows[2]![field] === 'number' ? 77 : 'x';
    rows[2] = { ...rows[2]!, [field]: changed };
    expect(verifyChain(rows).ok).toBe(false);
    expect(verifyChain(rows).firstBad).toBeLessThanOrEqual(4);
  });

  it('finds every single flipped character of every body', () => {
    const rows = chainOf(3);
    rows.forEach((row, index) => {
      for (let at = 0; at < row.body.length; at += 1) {
        const flipped = String.fromCharCode(row.body.charCodeAt(at) ^ 1);
        const body = row.body.slice(0, at) + flipped + row.body.slice(at + 1);
        expect(verifyChain(rows.with(index, { ...row, body }))).toMatchObject({ ok: false, firstBad: row.seq });
      }
    });
  });

  it('finds any removal, swap and repetition inside', () => {
    const whole = chainOf(8);
    const broken = fc.oneof(
      fc.integer({ min: 1, max: 6 }).map((index) => whole.toSpliced(index, 1)),
      fc
        .integer({ min: 0, max: 6 })
        .map((index) => whole.with(index, whole[index + 1]!).with(index + 1, whole[index]!)),
      fc.integer({ min: 0, max: 7 }).map((index) => whole.toSpliced(index, 0, whole[index]!)),
    );
    fc.assert(fc.property(broken, (rows) => !verifyChain(rows).ok));
  });

  it('names the first entry that is missing', () => {
    expect(verifyChain(chainOf(8).toSpliced(3, 2))).toMatchObject({ ok: false, firstBad: 4, records: 6 });
  });

  it('finds numbers that were swapped without their contents', () => {
    const rows = chainOf(4);
    rows[1] = { ...rows[1]!, body: rows[2]!.body };
    expect(verifyChain(rows)).toMatchObject({ ok: false, firstBad: 2 });
  });

  it('accepts a front that retention cut, because the snapshot names the hash before it', () => {
    expect(verifyChain(chainWithSnapshot().slice(5))).toMatchObject({ ok: true, records: 5 });
  });

  it('finds a front cut anywhere else', () => {
    for (const cut of [1, 2, 4, 6, 9])
      expect(verifyChain(chainWithSnapshot().slice(cut))).toMatchObject({ ok: false, firstBad: cut + 1 });
  });

  it('finds a snapshot that names another predecessor', () => {
    const [snapshot, ...rest] = chainWithSnapshot().slice(5);
    const forged = { ...snapshot!, body: snapshotBody(GENESIS) };
    expect(verifyChain([forged, ...rest])).toMatchObject({ ok: false, firstBad: 6 });
  });

  it('finds a cut tail against the head that was reached', () => {
    const rows = chainOf(8);
    expect(verifyChain(rows.slice(0, 6), { seq: 8 })).toMatchObject({ ok: false, firstBad: 7 });
    expect(verifyChain([], { seq: 8 })).toMatchObject({ ok: false, firstBad: 1 });
    expect(verifyChain(rows, { seq: 8, hash: rows[7]!.hash }).ok).toBe(true);
  });

  it('finds a journal that was rewritten as a whole against the hash of its head', () => {
    const rewritten = chainOf(8, () => ({ boot: 'other' }));
    expect(verifyChain(rewritten, { seq: 8, hash: chainOf(8)[7]!.hash })).toMatchObject({ ok: false, firstBad: 8 });
  });

  it('says row by row whether it followed', () => {
    const check = new ChainCheck();
    const rows = chainOf(3);
    expect([rows[0]!, { ...rows[1]!, at: 0 }, rows[2]!].map((row) => check.add(row))).toEqual([true, false, false]);
  });

  it('does not depend on absent fields being written as undefined', () => {
    const { channel: _, ...bare } = chainOf(1)[0]!;
    expect(hashOf(GENESIS, bare as StoredEntry)).toBe(hashOf(GENESIS, { ...bare, channel: undefined }));
  });
});
