import type { GroundedContextEnvelope } from '../../src/core/envelope.ts';
import type { Incident } from '../../src/core/incident.ts';
import type { Persona } from '../../src/core/persona.ts';
import type { Plan } from '../../src/core/plan.ts';
import type { ChannelRef } from '../../src/core/scope.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import type { PermitTerms, ToolCall, ToolResult, Verification } from '../../src/core/tool.ts';

/** Builders: each gives a plain, valid thing; a test names only what matters to it. */
export const aChannel = (with_: Partial<ChannelRef> = {}): ChannelRef => ({
  id: 'news',
  group: 'encoders',
  engine: 'local',
  expected: 'always',
  hasSource: false,
  hasOutputProbe: true,
  ...with_,
});

export const aCall = (with_: Partial<ToolCall> = {}): ToolCall => ({
  tool: 'restart_channel',
  target: { kind: 'channel', id: 'news' },
  channels: [],
  ...with_,
});

export const anEnvelope = (with_: Partial<GroundedContextEnvelope> = {}): GroundedContextEnvelope => ({
  channelId: 'news',
  failureClassification: 'process_crashed',
  restartCount: 0,
  restartVelocity: 0,
  poolPressure: undefined,
  lastErrorType: 'process_crash',
  errorFrequency: 1,
  lastAction: undefined,
  cooldownRemaining: 0,
  confidence: 0.9,
  timestamp: Date.UTC(2026, 0, 1),
  containmentMode: { active: false },
  channelHealthy: false,
  evidence: [],
  takenMs: 1_000_000,
  scope: { kind: 'channel', id: 'news' },
  group: 'encoders',
  engine: 'local',
  signals: [
    { origin: 'process', says: 'exited by signal 9', symptom: 'process_crash', monoMs: 1_000_000 },
    { origin: 'probe', says: 'playlist unchanged for 7 s', symptom: 'stalled_output', monoMs: 1_000_000 },
  ],
  fingerprint: 'process_crashed|news|',
  lastingMs: 1_000,
  channels: [],
  sharedCause: false,
  evidenceDropped: 0,
  ...with_,
});

/** A line of a channel's log, at that moment. */
export const aSymptom = (moment: Pick<Symptom, 'at' | 'monoMs'>, with_: Partial<Symptom> = {}): Symptom => ({
  ...moment,
  channel: 'news',
  kind: 'stalled_output',
  origin: 'log',
  countInWindow: 1,
  windowMs: 60_000,
  confidence: 0.9,
  pattern: undefined,
  evidence: [],
  ...with_,
});

export const aPersona = (with_: Partial<Persona> = {}): Persona => ({
  id: 'system_admin',
  risk_tolerance: 'medium',
  aggressiveness: 'moderate',
  tool_access_policy: { restart_channel: 'require_evidence', rebuild_playout: 'require_approval' },
  escalation_policy: { on_containment: 'immediate' },
  containment_bias: true,
  operational_mode: 'remediation',
  restart_cap: 3,
  planning_depth_max: 2,
  retry_threshold: 0.6,
  ...with_,
});

export const anIncident = (with_: Partial<Incident> = {}): Incident => ({
  id: 'inc-1',
  scope: { kind: 'channel', id: 'news' },
  group: 'encoders',
  engine: 'local',
  openedAt: Date.UTC(2026, 0, 1),
  openedMs: 1_000_000,
  classification: 'process_crashed',
  channels: [],
  ...with_,
});

export const permitTerms = (with_: Partial<PermitTerms> = {}): PermitTerms => ({
  id: 'per-1',
  call: aCall(),
  incident: 'inc-1',
  run: 'run-1',
  risk: 'high',
  generation: 0,
  fence: 1,
  grantedMs: 1_000_000,
  expiresMs: 1_005_000,
  parent: undefined,
  ...with_,
});

export const aResult = (with_: Partial<ToolResult> = {}): ToolResult => ({
  permit: 'per-1',
  call: aCall(),
  ok: true,
  summary: 'restarted',
  durationMs: 100,
  code: undefined,
  ...with_,
});

export const aVerification = (with_: Partial<Verification> = {}): Verification => ({
  permit: 'per-1',
  cured: true,
  because: 'fresh output of a new process',
  waitedMs: 2_500,
  ...with_,
});

export const anAct = (with_: Partial<ToolCall> = {}): Plan => ({
  kind: 'act',
  call: aCall(with_),
  because: 'a test asks for it',
  by: { kind: 'rule', rule: 'test' },
});
