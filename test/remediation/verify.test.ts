import { describe, expect, it } from 'vitest';
import type { Draft } from '../../src/core/journal.ts';
import type { ToolResult } from '../../src/core/tool.ts';
import { specOf } from '../../src/remediation/catalog.ts';
import type { Verdict } from '../../src/remediation/tool.ts';
import { verify } from '../../src/remediation/verify.ts';
import { aResult, permitTerms } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';

const CURED: Verdict = { state: 'cured', because: 'it plays' };
const NOT_YET: Verdict = { state: 'not_yet', because: 'no new segment' };
const FAILED: Verdict = { state: 'failed', because: 'it is no longer configured' };

interface Cut {
  readonly abortAfterMs?: number;
  /** Because Reeve was asked to stop. */
  readonly stopping?: boolean;
}

async function verified(answers: (atMs: number) => Verdict, result: Partial<ToolResult> = {}, cut: Cut = {}) {
  const { abortAfterMs, stopping = false } = cut;
  const { clock, advance } = fakeClock();
  const startMs = clock.monotonicMs();
  const spec = specOf('restart_channel');
  const drafts: Draft[] = [];
  const judgedMs: number[] = [];
  const closer: number[] = [];
  const stop = new AbortController();
  if (abortAfterMs !== undefined) clock.after(abortAfterMs, () => stop.abort());
  const done = verify(
    {
      clock,
      append: (more) => void drafts.push(...more) as never,
      judge: () => {
        judgedMs.push(clock.monotonicMs() - startMs);
        return answers(clock.monotonicMs() - startMs);
      },
      lookCloser: (_, forMs) => closer.push(forMs),
      stopping: () => stopping,
    },
    { terms: permitTerms(), spec, result: aResult(result), fingerprint: 'f' },
    stop.signal,
  );
  await advance(spec.settleMs + spec.verifyWithinMs + 1_000);
  return { verification: await done, drafts, judgedMs, closer, spec };
}

describe('the verification of an action', () => {
  it('waits for the settling time before it judges, and asks the probes to look closer that long', async () => {
    const { verification, judgedMs, closer, spec } = await verified(() => CURED);
    expect(verification).toMatchObject({ cured: true, because: 'it plays', waitedMs: spec.settleMs });
    expect(judgedMs).toEqual([spec.settleMs]);
    expect(closer).toEqual([spec.settleMs + spec.verifyWithinMs]);
  });

  it('asks again until fresh samples decide, and believes none before', async () => {
    const { verification } = await verified((atMs) => (atMs < 20_000 ? NOT_YET : CURED));
    expect(verification.cured).toBe(true);
    expect(verification.waitedMs).toBeGreaterThanOrEqual(20_000);
    expect(verification.waitedMs).toBeLessThan(20_200);
  });

  it('has failed when nothing was reported by the deadline of the tool', async () => {
    const { verification, spec } = await verified(() => NOT_YET);
    expect(verification).toMatchObject({ cured: false, waitedMs: spec.settleMs + spec.verifyWithinMs });
    expect(verification.because).toBe(`not verified within ${spec.verifyWithinMs} ms: no new segment`);
  });

  it('ends at once where it cannot come true any more', async () => {
    const { verification, judgedMs } = await verified(() => FAILED);
    expect(verification).toMatchObject({ cured: false, because: 'it is no longer configured' });
    expect(judgedMs).toHaveLength(1);
  });

  it.each(['BREAKER_OPEN', 'permit_invalid', 'tool_unknown'] as const)(
    'is not waited for where the call never left (%s)',
    async (code) => {
      const { verification, judgedMs } = await verified(() => CURED, { ok: false, code, summary: 'refused' } as never);
      expect(verification).toMatchObject({ cured: false, because: 'refused', waitedMs: 0 });
      expect(judgedMs).toEqual([]);
    },
  );

  it('is waited for where the call failed on the way: it may have worked', async () => {
    const { verification } = await verified(() => CURED, { ok: false, code: 'TIMED_OUT' } as never);
    expect(verification.cured).toBe(true);
  });

  it('is no cure where the run was cut off', async () => {
    const { verification } = await verified(() => NOT_YET, {}, { abortAfterMs: 10_000 });
    expect(verification.cured).toBe(false);
    expect(verification.cutOff).toBeUndefined();
    expect(verification.waitedMs).toBeLessThan(10_200);
  });

  it('says that nobody has seen it where Reeve was stopped meanwhile, and no deadline that has not passed', async () => {
    const { verification } = await verified(() => NOT_YET, {}, { abortAfterMs: 10_000, stopping: true });
    expect(verification).toMatchObject({ cured: false, cutOff: true });
    expect(verification.because).toBe('Reeve was stopped before it was seen whether it helps: no new segment');
  });

  it('keeps a verdict that came before Reeve was stopped', async () => {
    const { verification } = await verified(() => FAILED, {}, { abortAfterMs: 10_000, stopping: true });
    expect(verification).toMatchObject({ cured: false, because: 'it is no longer configured' });
    expect(verification.cutOff).toBeUndefined();
  });

  it('is written down with its permit and its fingerprint', async () => {
    const { drafts, verification } = await verified(() => CURED);
    expect(drafts.map(({ fact }) => fact)).toEqual([
      { type: 'attempt.verified', permit: permitTerms(), verification, fingerprint: 'f' },
    ]);
  });
});
