/** Runs tools on permits. */
import { type Clock, deadline } from '../core/clock.ts';
import { InvariantError, messageOf, ReeveError } from '../core/errors.ts';
import type { Append, Draft } from '../core/journal.ts';
import type { ProbeFailure } from '../core/sample.ts';
import {
  PERMIT_INVALID,
  type Permit,
  type PermitTerms,
  type ToolName,
  type ToolResult,
  type ToolSpec,
} from '../core/tool.ts';
import { failureOf, statusOf } from '../resilience/failure.ts';
import type { BoundTool } from './toolbox.ts';

export interface RunnerDeps {
  readonly toolbox: ReadonlyMap<ToolName, BoundTool>;
  readonly specs: ReadonlyMap<ToolName, ToolSpec>;
  readonly append: Append;
  readonly clock: Clock;
  /** Drafts of the page about a change whose end is not known, to be appended with its record (laws S6, L1). */
  readonly onUnknown?: (terms: PermitTerms, because: string) => readonly Draft[];
  /** Makes any text safe for the journal: secrets and control characters gone, clipped. */
  readonly clean: (text: string) => string;
}

/** Redeems permits: the only place in Reeve from which a tool runs. */
export interface Runner {
  /**
   * Runs the call once (law S6): `tool.started` is durable before the engine hears of it. Never throws for the
   * world's failures: those are results. Throws JOURNAL_UNWRITABLE when the start could not be written, nothing ran
   * then.
   */
  run(permit: Permit, signal: AbortSignal): Promise<ToolResult>;
  /** The same door for a staged plan, whose single starts each come through `run` with a permit of their own. */
  runPlan(permit: Permit, work: () => Promise<ToolResult>): Promise<ToolResult>;
}

interface Done {
  readonly result: ToolResult;
  /** The call began, and its end is not known. */
  readonly unknown: boolean;
}

export function createRunner(deps: RunnerDeps): Runner {
  const { clock, append } = deps;
  const through = async (permit: Permit, work: () => Promise<Done>): Promise<ToolResult> => {
    const { terms } = permit;
    const about = aboutOf(terms);
    if (!permit.redeem(clock.monotonicMs())) return refused(terms, `nothing was called: ${permit.refusal}`);
    append([{ ...about, fact: { type: 'tool.started', permit: terms } }]);
    const { result, unknown } = await work();
    const finished: Draft = { ...about, fact: { type: 'tool.finished', permit: terms, result } };
    const page = unknown ? (deps.onUnknown?.(terms, result.summary) ?? []) : [];
    append(unknown ? [finished, unknownEnd(terms, result), ...page] : [finished]);
    return result;
  };
  return {
    runPlan: (permit, work) => through(permit, async () => ({ result: await work(), unknown: false })),
    run: (permit, signal) =>
      through(permit, async () => {
        const startedMs = clock.monotonicMs();
        const { ok, summary, code, isLost } = await attempt(deps, permit, signal);
        const { id, call } = permit.terms;
        const durationMs = clock.monotonicMs() - startedMs;
        const unknown = isLost && deps.specs.get(call.tool)?.idempotent !== true;
        const mark = unknown ? { unknown } : isLost ? { mayActLate: isLost } : {};
        return { result: { permit: id, call, ok, summary, code, durationMs, ...mark }, unknown };
      }),
  };
}

export const aboutOf = (terms: PermitTerms) => ({
  channel: terms.call.target.kind === 'channel' ? terms.call.target.id : undefined,
  incident: terms.incident,
  run: terms.run,
});

/** The call left, and what came back, or did not, does not say what it did. */
const AMBIGUOUS: ReadonlySet<ProbeFailure> = new Set(['timeout', 'reset', 'truncated', 'invalid_answer', 'too_large']);
/** Bad gateway, and gateway timeout: a proxy got no answer from the engine, which may go on with what it was asked. */
const NO_ANSWER: ReadonlySet<number | undefined> = new Set([502, 504]);
/** The engine answered that it did not do it, or was not asked at all. */
const CERTAIN: ReadonlySet<string> = new Set(['ENGINE_REFUSED', 'BREAKER_OPEN', 'QUEUE_FULL']);

/**
 * Law S6: the end of a change is not known when the deadline passed, Reeve was asked to stop, the transport broke in
 * the middle (also behind a proxy that says so) or the engine answered nonsense. A change that may be repeated is
 * repeated instead of being called UNKNOWN, and may act late all the same.
 */
function isLostCall(spec: ToolSpec, code: string, thrown: unknown): boolean {
  if (spec.effect !== 'change' || CERTAIN.has(code)) return false;
  return AMBIGUOUS.has(failureOf(thrown)) || NO_ANSWER.has(statusOf(thrown));
}

const unknownEnd = (terms: PermitTerms, { summary }: ToolResult): Draft => ({
  ...aboutOf(terms),
  fact: { type: 'tool.unknown', permit: terms, because: summary },
});

/** `isLost`: a call left, and its end is not known. */
type Report = Pick<ToolResult, 'ok' | 'summary' | 'code'> & { readonly isLost: boolean };

/**
 * Tries again only what the tool's own terms allow, only after a failure that says trying again may help, and only
 * as long as no later command of a person differs (law S8).
 */
async function attempt(deps: RunnerDeps, permit: Permit, signal: AbortSignal): Promise<Report> {
  const { terms } = permit;
  const spec = deps.specs.get(terms.call.tool);
  const body = deps.toolbox.get(terms.call.tool);
  if (!spec || !body) return { ...NO_SUCH_TOOL, summary: `no tool is called ${terms.call.tool}` };
  const attemptsMax = spec.idempotent ? spec.attemptsMax : 1;
  let isLost = false;
  for (let count = 1; ; count += 1) {
    const last = await once(deps, { terms, spec, body }, signal);
    isLost ||= last.isLost;
    const report = { ...last, isLost };
    if (report.ok || !report.retryable || count >= attemptsMax || signal.aborted) return report;
    const whyNot = permit.whyNotAgain();
    if (whyNot !== undefined) return { ...report, summary: deps.clean(`${report.summary}; not again: ${whyNot}`) };
  }
}

const NO_SUCH_TOOL = { ok: false, code: 'tool_unknown', isLost: false } as const;

interface Trial {
  readonly terms: PermitTerms;
  readonly spec: ToolSpec;
  readonly body: BoundTool;
}

async function once(deps: RunnerDeps, trial: Trial, signal: AbortSignal): Promise<Report & { retryable: boolean }> {
  const { terms, spec, body } = trial;
  const late = () => new ReeveError('TIMED_OUT', `${spec.name} did not end within ${spec.timeoutMs} ms`);
  using limit = deadline(deps.clock, spec.timeoutMs, late, signal);
  try {
    const context = { permit: terms.id, fence: terms.fence, signal: limit.signal };
    const work = body(terms.call.target, context, terms.engine);
    const summary = await Promise.race([work, rejectOn(limit.signal)]);
    return { ok: true, code: undefined, summary: deps.clean(summary), retryable: false, isLost: false };
  } catch (thrown) {
    if (thrown instanceof InvariantError) throw thrown;
    const code = thrown instanceof ReeveError ? thrown.code : 'ENGINE_ANSWER_INVALID';
    const retryable = thrown instanceof ReeveError && thrown.retryable;
    const isLost = isLostCall(spec, code, thrown);
    return { ok: false, code, summary: deps.clean(messageOf(thrown)), retryable, isLost };
  }
}

/** A tool that ignores its signal must not hold the run past its deadline. */
const rejectOn = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const refused = (terms: PermitTerms, summary: string): ToolResult => ({
  permit: terms.id,
  call: terms.call,
  ok: false,
  summary,
  durationMs: 0,
  code: PERMIT_INVALID,
});
