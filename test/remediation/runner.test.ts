import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import type { Draft } from '../../src/core/journal.ts';
import { Permit, type ToolName, type ToolSpec } from '../../src/core/tool.ts';
import { specOf } from '../../src/remediation/catalog.ts';
import { createRunner } from '../../src/remediation/runner.ts';
import type { BoundTool } from '../../src/remediation/toolbox.ts';
import { RequestFailed } from '../../src/resilience/failure.ts';
import { aCall, permitTerms } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';

const spec: ToolSpec = { ...specOf('restart_channel'), timeoutMs: 10_000, cures: ['process_crashed'], settleMs: 0 };

function setUp(body: BoundTool, tool: ToolName = 'restart_channel', terms: Partial<ToolSpec> = {}) {
  const { clock, advance } = fakeClock();
  const facts: Draft['fact'][] = [];
  let broken = false;
  const runner = createRunner({
    toolbox: new Map([[tool, body]]),
    specs: new Map([[tool, { ...spec, name: tool, ...terms }]]),
    append: (drafts) => {
      if (broken) throw new ReeveError('JOURNAL_UNWRITABLE', 'disk full');
      facts.push(...drafts.map(({ fact }) => fact));
      return [];
    },
    clock,
    clean: (text) => text,
  });
  const permit = () => Permit.grant(permitTerms({ call: aCall({ tool }) }));
  const breakJournal = () => {
    broken = true;
  };
  return { runner, facts, permit, advance, breakJournal };
}

const never = new AbortController().signal;

describe('the runner', () => {
  it('writes down the start before it calls the engine, and the end after', async () => {
    const order: string[] = [];
    const { runner, facts, permit } = setUp(async () => {
      order.push(`body after ${facts.length} fact`);
      return 'done';
    });
    const result = await runner.run(permit(), never);
    expect(order).toEqual(['body after 1 fact']);
    expect(facts.map(({ type }) => type)).toEqual(['tool.started', 'tool.finished']);
    expect(result).toMatchObject({ ok: true, summary: 'done' });
  });

  it('runs nothing when the start cannot be written', async () => {
    let ran = false;
    const { runner, permit, breakJournal } = setUp(async () => {
      ran = true;
      return '';
    });
    breakJournal();
    await expect(runner.run(permit(), never)).rejects.toMatchObject({ code: 'JOURNAL_UNWRITABLE' });
    expect(ran).toBe(false);
  });

  it('runs a permit once, and not at all after it expired', async () => {
    let runs = 0;
    const { runner, permit, advance } = setUp(async () => {
      runs += 1;
      return '';
    });
    const once = permit();
    await runner.run(once, never);
    expect(await runner.run(once, never)).toMatchObject({ ok: false, code: 'permit_invalid' });
    const late = permit();
    await advance(5_000);
    expect(await runner.run(late, never)).toMatchObject({ ok: false, code: 'permit_invalid' });
    expect(runs).toBe(1);
  });

  it('gives up on a tool that does not end by its deadline, even one that ignores its signal', async () => {
    const { runner, permit, advance } = setUp(() => new Promise(() => undefined));
    const result = runner.run(permit(), never);
    await advance(10_000);
    expect(await result).toMatchObject({ ok: false, code: 'TIMED_OUT' });
  });

  it('never repeats a tool that is not idempotent, even after a failure that invites it', async () => {
    let calls = 0;
    const { runner, permit } = setUp(async () => {
      calls += 1;
      throw new ReeveError('ENGINE_UNREACHABLE', 'refused');
    });
    expect(await runner.run(permit(), never)).toMatchObject({ ok: false, code: 'ENGINE_UNREACHABLE' });
    expect(calls).toBe(1);
  });

  it('repeats an idempotent tool up to its attempts, and only after a retryable failure', async () => {
    let calls = 0;
    const failing = (code: 'ENGINE_UNREACHABLE' | 'ENGINE_REFUSED') =>
      setUp(
        async () => {
          calls += 1;
          throw new ReeveError(code, 'no');
        },
        'refresh_credentials',
        { idempotent: true, attemptsMax: 2 },
      );
    const retryable = failing('ENGINE_UNREACHABLE');
    await retryable.runner.run(retryable.permit(), never);
    expect(calls).toBe(2);
    const final = failing('ENGINE_REFUSED');
    await final.runner.run(final.permit(), never);
    expect(calls).toBe(3);
  });

  it('tells that what was repeated may still act, though it is not UNKNOWN: one of its calls has no known end', async () => {
    const lost = () => new RequestFailed('ENGINE_UNREACHABLE', 'timeout', { failure: 'timeout' });
    const refused = () => new ReeveError('ENGINE_REFUSED', 'no');
    const result = async (...failures: readonly (() => Error)[]) => {
      const left = [...failures];
      const body = async () => {
        const next = left.shift();
        if (next !== undefined) throw next();
        return 'done';
      };
      const { runner, permit, facts } = setUp(body, 'invalidate_cache', { idempotent: true, attemptsMax: 2 });
      const { ok, mayActLate, unknown } = await runner.run(permit(), never);
      expect(facts.map(({ type }) => type)).toEqual(['tool.started', 'tool.finished']);
      return { ok, mayActLate, unknown };
    };
    expect(await result(lost)).toEqual({ ok: true, mayActLate: true });
    expect(await result(lost, refused)).toEqual({ ok: false, mayActLate: true });
    expect(await result(refused)).toEqual({ ok: false });
    expect(await result()).toEqual({ ok: true });
  });

  it('does not repeat what somebody has forbidden since it was tried first, and reports both (S8)', async () => {
    let calls = 0;
    let frozen: string | undefined;
    const body = async () => {
      calls += 1;
      frozen = 'frozen: frozen by ann';
      throw new ReeveError('ENGINE_UNREACHABLE', 'no answer');
    };
    const { runner } = setUp(body, 'refresh_credentials', { idempotent: true, attemptsMax: 2 });
    const permit = Permit.grant(permitTerms({ call: aCall({ tool: 'refresh_credentials' }) }), () => frozen);
    const { summary } = await runner.run(permit, never);
    expect(calls).toBe(1);
    expect(summary).toBe('ENGINE_UNREACHABLE: no answer; not again: frozen: frozen by ann');
  });

  it('says why it did not begin what was permitted', async () => {
    const { runner } = setUp(async () => 'done');
    const permit = Permit.grant(permitTerms({}), () => 'persona_denies: persona ann does not allow it');
    const { summary, code } = await runner.run(permit, never);
    expect([summary, code]).toEqual([
      'nothing was called: persona_denies: persona ann does not allow it',
      'permit_invalid',
    ]);
  });
});

describe('the only way to the engine', () => {
  const SRC = new URL('../../src', import.meta.url).pathname;
  const VERBS = /\.(?:restart|refreshCredentials|rebuildPlayout|invalidateCache)\b\s*(?:\?\.)?\(/;
  const callersOf = (pattern: RegExp) =>
    readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.startsWith('engine/') && !path.startsWith('simulation/'))
      .filter((path) => pattern.test(readFileSync(join(SRC, path), 'utf8').replace(/^\s*(\/?\*|\/\/).*$/gm, '')));

  it('is the toolbox: nothing else in Reeve has a change made by an engine (ExStreamTV: a restart past its guards)', () => {
    // The toolbox itself binds them by name, behind the runner that redeems the permit.
    expect(callersOf(VERBS)).toEqual([]);
    expect(callersOf(/createToolbox\(/)).toEqual(
      expect.arrayContaining(['incident/runs/runs.ts', 'remediation/toolbox.ts']),
    );
    expect(callersOf(/createToolbox\(/)).toHaveLength(2);
  });
});
