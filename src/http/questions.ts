// Questions that wait for a person's yes or no, as people and programs read them.
import { approvedBy, openQuestions } from '../control/approvals.ts';
import type { MonoMs } from '../core/clock.ts';
import type { Approval } from '../core/control.ts';
import { describeCall } from '../core/tool.ts';
import type { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';

type Pipeline = Pick<DecisionPipeline, 'control' | 'preview'>;

/** Why a yes does nothing now. */
export interface RefusedNow {
  readonly code: string;
  readonly because: string;
}

/**
 * What was asked may have been forbidden since: a persona made stricter, a lease, a containment. Undefined where a yes
 * is all that is missing, and for a plan of a whole group or engine, which is asked about channel by channel.
 */
export function refusedNow({ call }: Pick<Approval, 'call'>, pipeline: Pipeline): RefusedNow | undefined {
  if (call.target.kind !== 'channel') return undefined;
  const answer = pipeline.preview(call.target.id, call.tool);
  if (answer?.verdict !== 'deny' || answer.code === undefined || answer.code === 'approval_needed') return undefined;
  return { code: answer.code, because: answer.because };
}

/** Oldest first. */
export const questionViews = (pipeline: Pipeline, nowMs: MonoMs): readonly unknown[] =>
  openQuestions(pipeline.control(), nowMs).map(({ approval, ...kept }) => ({
    id: approval.id,
    what: describeCall(approval.call),
    incident: approval.incident,
    classification: approval.classification ?? null,
    askedAt: approval.askedAt,
    askedBy: approval.askedBy ?? null,
    proposed: approval.proposed === true,
    yesNeeded: approval.eyes ?? 1,
    yesBy: approvedBy({ approval, ...kept }),
    expiresInMs: approval.expiresMs - nowMs,
    refused: refusedNow(approval, pipeline) ?? null,
  }));
