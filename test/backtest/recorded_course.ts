// A policy's course through an incident that was recorded by hand.
import { IncidentCourse } from '../../src/backtest/incident_course.ts';
import { settingsFor } from '../../src/backtest/policies.ts';
import type { Phase } from '../../src/core/control.ts';
import type { GroundedContextEnvelope } from '../../src/core/envelope.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import type { Persona } from '../../src/core/persona.ts';
import type { Rule } from '../../src/core/rule.ts';
import { CAPABILITIES } from '../../src/core/tool.ts';
import type { ExportedEntry, IncidentExport } from '../../src/incident/export.ts';
import {
  aCall,
  aChannel,
  anEnvelope,
  anIncident,
  aPersona,
  aResult,
  aVerification,
  permitTerms,
} from '../support/a.ts';
import { aRule, call } from '../rulebook/support.ts';

export const START_MS = 1_000_000;
export const WALL = Date.UTC(2026, 0, 1);
export const PLANS = 'plans restart_channel on channel:news, by rule r';
export const ALLOWS = 'allows restart_channel on channel:news';

export interface Given {
  readonly rules?: readonly Rule[];
  readonly persona?: Partial<Persona>;
  readonly limits?: Partial<Limits>;
  readonly phase?: Phase;
  readonly recordedPhase?: Phase;
  readonly can?: readonly string[];
}

/** A policy's course through a recorded incident of `news`; entries are given with the second of their time. */
export function courseOf({
  rules = [aRule()],
  persona,
  limits,
  phase = 4,
  recordedPhase = 4,
  can = CAPABILITIES,
}: Given = {}) {
  const channels = [aChannel()];
  const capabilities = [{ engine: 'local', can }];
  const first = { seq: 0, at: WALL, monoMs: START_MS, fact: { type: 'reeve.started', version: '0', configSha: 'x' } };
  const file = { incident: anIncident(), phase: recordedPhase, channels, capabilities, context: [first], entries: [] };
  const settings = settingsFor(
    { name: '', persona: aPersona({ planning_depth_max: 3, ...persona }), rules },
    { limits: { ...DEFAULT_LIMITS, ...limits }, phase, otherwise: undefined },
  );
  const course = new IncidentCourse(file as unknown as IncidentExport, settings);
  let seq = 0;
  let run = 'run-1';
  const take = (second: number, fact: Partial<JournalFact>, about: object = {}) => {
    seq += 1;
    const when = { at: WALL + second * 1_000, monoMs: START_MS + second * 1_000 };
    course.take({ seq, ...when, channel: 'news', incident: 'inc-1', run, fact, ...about } as ExportedEntry);
  };
  const begin = (second = 0, name = 'run-1') => {
    run = name;
    take(second, { type: 'run.started' } as JournalFact);
  };
  const look = (second: number, with_: Partial<GroundedContextEnvelope> = {}) => {
    const takenMs = START_MS + second * 1_000;
    const signals = anEnvelope().signals.map((one) => ({ ...one, monoMs: takenMs }));
    take(second, { type: 'envelope.taken', envelope: anEnvelope({ takenMs, signals, ...with_ }) });
  };
  /** The record did this call, with what came of it. */
  const recordedCall = (second: number, { cured = true, fingerprint = 'f' } = {}) => {
    const permit = permitTerms({ id: `rec-${second}`, call: aCall() });
    take(second, { type: 'tool.started', permit });
    take(second + 1, { type: 'tool.finished', permit, result: aResult({ permit: permit.id, call: permit.call }) });
    take(second + 2, {
      ...{ type: 'attempt.verified', permit, fingerprint },
      verification: aVerification({ permit: permit.id, cured }),
    } as JournalFact);
  };
  const steps = () => course.decisions.map((one) => one.steps);
  return { course, take, begin, look, recordedCall, steps };
}

export const LOOKS = 'plans get_channel_health on channel:news, by rule r';

/** Rules that look before they start anything. */
export function lookingFirst({ persona, ...given }: Given = {}) {
  const rules = [aRule({ steps: [call('get_channel_health'), call('restart_channel')] })];
  const access = { get_channel_health: 'allow', restart_channel: 'allow' } as const;
  const all = courseOf({ rules, persona: { tool_access_policy: access, ...persona }, ...given });
  const looked = (second: number) => {
    const permit = permitTerms({ id: `rec-${second}`, call: aCall({ tool: 'get_channel_health' }) });
    all.take(second, { type: 'tool.started', permit });
    all.take(second + 1, { type: 'tool.finished', permit, result: aResult({ permit: permit.id, call: permit.call }) });
  };
  return { ...all, looked, planned: () => all.steps().map(([first]) => first) };
}
