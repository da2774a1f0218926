/** Replays the envelopes of one recorded incident under one or more policies. */
import { createHash } from 'node:crypto';
import type { Phase } from '../core/control.ts';
import { describeDecider } from '../core/plan.ts';
import { keyOfScope } from '../core/scope.ts';
import { describeCall } from '../core/tool.ts';
import { canonicalJson, type Json, toWire } from '../core/wire.ts';
import type { ExportedEntry, IncidentExport } from '../incident/export.ts';
import type { PolicySet } from '../policy_tests/frame.ts';
import { type EnvelopeDecision, IncidentCourse } from './incident_course.ts';
import { readIncident } from './incident_file.ts';
import { type Policy, policyAgainst, policyOf, settingsFor } from './policies.ts';
import { timeText } from './report.ts';
import { changedLines } from './text.ts';

export interface IncidentOrder {
  readonly incident: string;
  readonly persona: string | undefined;
  readonly against: string | undefined;
  readonly rules: string | undefined;
  /** Undefined: the phase that held. */
  readonly phase: Phase | undefined;
}

/** One recorded envelope and what each policy decides on it. An empty list: it was not asked any more in that run. */
export interface ReplayedStep {
  readonly at: number;
  readonly classification: string | undefined;
  readonly confidence: number;
  readonly columns: readonly { readonly policy: string; readonly steps: readonly string[]; readonly because: string }[];
  /** All policies decide the same. */
  readonly same: boolean;
}

export interface IncidentReplay {
  readonly file: IncidentExport;
  readonly policies: readonly string[];
  readonly steps: readonly ReplayedStep[];
  /** Of the decisions of the first policy. */
  readonly sha256: string;
  readonly same: number;
  readonly other: number;
}

/**
 * The recorded envelopes of one incident through rulebook and guard again: what was decided then, what is decided now
 * (or under another persona), and what another policy decides.
 */
export function replayIncident(order: IncidentOrder, files: PolicySet): IncidentReplay {
  const file = readIncident(order.incident);
  const known = { ...files, personas: [file.persona, ...files.personas.filter(({ id }) => id !== file.persona.id)] };
  const base = policyOf({ ...order, persona: order.persona ?? file.persona.id }, { ...known, settings: undefined });
  const others = order.against === undefined ? [] : [policyAgainst(order.against, base, known)];
  const phase = order.phase ?? file.phase;
  const courses = [base, ...others].map((policy) => courseOf(policy, file, phase));
  const columns = [{ policy: 'as recorded', decisions: recordedIn(file) }, ...courses];
  const steps = stepsOf(file, columns);
  const same = steps.filter((step) => step.same).length;
  // The keys are part of the hash.
  const decided = courses[0]?.decisions.map((one) => ({ at: one.at, told: one.steps, because: one.because }));
  return {
    file,
    policies: columns.map(({ policy }) => policy),
    steps,
    sha256: createHash('sha256').update(canonicalJson(decided)).digest('hex'),
    same,
    other: steps.length - same,
  };
}

interface Column {
  readonly policy: string;
  readonly decisions: readonly EnvelopeDecision[];
}

const inOrder = ({ context, entries }: IncidentExport): readonly ExportedEntry[] =>
  [...context, ...entries].sort((a, b) => a.seq - b.seq);

function courseOf(policy: Policy, file: IncidentExport, phase: Phase): Column {
  const course = new IncidentCourse(file, settingsFor(policy, { limits: file.limits, phase, otherwise: undefined }));
  for (const entry of inOrder(file)) course.take(entry);
  return { policy: policy.name, decisions: course.decisions };
}

/** What was planned and answered then, by the envelope that it rested on. */
function recordedIn(file: IncidentExport): readonly EnvelopeDecision[] {
  const found: (EnvelopeDecision & { steps: string[] })[] = [];
  let planned: string | undefined;
  for (const { fact, seq, at, run } of file.entries) {
    const last = found.at(-1);
    if (fact.type === 'envelope.taken') found.push({ seq, at, run, envelope: fact.envelope, steps: [], because: '' });
    else if (last === undefined) continue;
    else if (fact.type === 'plan.made') {
      const { plan } = fact;
      planned = plan.kind === 'act' ? describeCall(plan.call) : undefined;
      last.steps.push(
        `plans ${plan.kind === 'act' ? describeCall(plan.call) : plan.kind}, by ${describeDecider(plan.by)}`,
      );
    } else if (fact.type === 'guard.decided' && fact.call === planned) {
      // The starts of a staged plan follow from the answer to the whole: they rest on no plan of their own.
      const { call, decision } = fact;
      last.steps.push(decision.verdict === 'allow' ? `allows ${call}` : `refuses ${call}: ${decision.code}`);
    }
  }
  return found.filter(({ steps }) => steps.length > 0);
}

function stepsOf(file: IncidentExport, columns: readonly Column[]): readonly ReplayedStep[] {
  return file.entries.flatMap(({ fact, seq, at }): ReplayedStep[] => {
    if (fact.type !== 'envelope.taken') return [];
    const decisionColumns = columns.map(({ policy, decisions }) => {
      const found = decisions.find((one) => one.seq === seq);
      return { policy, steps: found?.steps ?? [], because: found?.because ?? '' };
    });
    if (decisionColumns.every(({ steps }) => steps.length === 0)) return [];
    const { failureClassification: classification, confidence } = fact.envelope;
    const same = new Set(decisionColumns.map(({ steps }) => steps.join('\n'))).size === 1;
    return [{ at, classification, confidence, columns: decisionColumns, same }];
  });
}

/** JSON on the wire. */
export function replayReport({ file, policies, steps, sha256, same, other }: IncidentReplay): Json {
  const { incident, configSha256, phase } = file;
  return toWire({
    decisionsSha256: sha256,
    incident: { id: incident.id, scope: keyOfScope(incident.scope), classification: incident.classification },
    configSha256,
    phase,
    policies,
    diff: { same, other },
    steps: steps.map((step) => ({ ...step, at: timeText(step.at), classification: step.classification ?? null })),
  });
}

/** For a terminal: one block an envelope; where the policies part, what differs with - and +. */
export function replayText({ file, policies, steps, same, other, sha256 }: IncidentReplay): string {
  const { incident } = file;
  const about = `${incident.id} on ${keyOfScope(incident.scope)}, ${incident.classification}`;
  const head = [
    `incident ${about}, opened ${timeText(incident.openedAt)}`,
    `${steps.length} envelopes: ${same} decided the same, ${other} otherwise`,
    `decisions of ${policies[1] ?? ''}: ${sha256}`,
  ];
  const blocks = steps.flatMap(({ at, classification, confidence, columns, same: isSame }) => {
    const [first, ...rest] = columns;
    const title = `${timeText(at)}  ${classification ?? 'no failure'}, confidence ${confidence}`;
    if (isSame || first === undefined)
      return ['', `same   ${title}`, ...(first?.steps ?? []).map((step) => `         ${step}`)];
    const parts = rest.flatMap(({ policy, steps: other_, because }) => [
      `       ${policy}, beside what was recorded:`,
      ...changedLines(first.steps, other_).map((line) => `         ${line}`),
      ...(because === '' ? [] : [`           (${because})`]),
    ]);
    return ['', `OTHER  ${title}`, ...parts];
  });
  return [...head, ...blocks].join('\n');
}
