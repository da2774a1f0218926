/** Whole incidents as the decision pipeline writes them. */
import type { FailureClass } from '../../src/core/classification.ts';
import type { Draft } from '../../src/core/journal.ts';
import { aCall, anEnvelope, anIncident, aResult, aSymptom, aVerification, permitTerms } from './a.ts';

export interface Story {
  readonly id: string;
  readonly channel?: string;
  /** A line of its log. */
  readonly line?: string;
  readonly cured?: boolean;
  readonly failureClass?: FailureClass;
  /** When its symptom was raised. */
  readonly at?: number;
}

/** One incident from the first symptom to its end: nine facts with an action, in the order of the pipeline. */
export function incidentDrafts({
  id,
  channel = 'news',
  line = 'Server returned 403 Forbidden',
  cured = true,
  failureClass = 'process_crashed',
  at = 0,
}: Story): readonly Draft[] {
  const scope = { kind: 'channel', id: channel } as const;
  const about = { channel, incident: id };
  const inRun = { ...about, run: `run-${id}` };
  const moment = { at, monoMs: at };
  const call = aCall({ target: scope });
  const permit = permitTerms({ id: `per-${id}`, call, incident: id, run: `run-${id}` });
  const symptom = aSymptom(moment, {
    channel,
    kind: 'auth_denied',
    pattern: 'ffmpeg_http_403',
    evidence: [{ source: 'log', text: line }],
  });
  const plan = { kind: 'act', call, because: 'a rule says so', by: { kind: 'rule', rule: 'restart_crashed' } } as const;
  const verification = aVerification({ permit: permit.id, cured });
  const escalation = {
    ...{ id: `esc-${id}`, key: `incident/${id}`, severity: 'critical', reason: 'not_helping', scope, incident: id },
    ...{ classification: failureClass, summary: 'not cured', details: '', at: 0 },
  } as const;
  return [
    { ...about, fact: { type: 'incident.opened', incident: anIncident({ id, scope, classification: failureClass }) } },
    { ...about, fact: { type: 'symptom.raised', symptom } },
    { ...inRun, fact: { type: 'run.started', attempt: 1 } },
    {
      ...inRun,
      fact: {
        type: 'envelope.taken',
        envelope: anEnvelope({ channelId: channel, scope, failureClassification: failureClass }),
      },
    },
    { ...inRun, fact: { type: 'plan.made', plan } },
    {
      ...inRun,
      fact: {
        type: 'guard.decided',
        call: 'restart_channel',
        decision: { verdict: 'allow', permit, trace: [] },
        tookMs: 1,
      },
    },
    { ...inRun, fact: { type: 'tool.started', permit } },
    { ...inRun, fact: { type: 'tool.finished', permit, result: aResult({ permit: permit.id, call }) } },
    { ...inRun, fact: { type: 'attempt.verified', permit, verification, fingerprint: `${failureClass}|${channel}|` } },
    {
      ...inRun,
      fact: {
        type: 'run.ended',
        outcome: cured
          ? { kind: 'resolved', score: 1, because: 'cured' }
          : { kind: 'escalated', reason: 'not_helping', because: 'not cured', denial: undefined },
        steps: 1,
        tookMs: 5_000,
      },
    },
    ...(cured ? [] : [{ ...about, fact: { type: 'escalation.raised', escalation } } as Draft]),
    {
      ...about,
      fact: { type: 'incident.closed', ending: cured ? 'resolved' : 'by_person', because: 'done', openMs: 9_000 },
    },
  ];
}
