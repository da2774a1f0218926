import { controlProjection } from '../../../src/control/state.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { CheckInput } from '../../../src/guard/checks/check_input.ts';
import { newGuardState, newSubject } from '../../../src/guard/state/state.ts';
import { specOf } from '../../../src/remediation/catalog.ts';
import { aCall, aChannel, anEnvelope, anIncident, aPersona } from '../../support/a.ts';

export const NOW_MS = 1_000_000;

/** A restart of `news` that nothing speaks against; a test names only what matters to it. */
export const anInput = (with_: Partial<CheckInput> = {}): CheckInput => {
  const call = with_.call ?? aCall();
  return {
    nowMs: NOW_MS,
    call,
    spec: specOf(call.tool),
    persona: aPersona(),
    incident: anIncident(),
    run: 'run-1',
    envelope: anEnvelope({ takenMs: NOW_MS }),
    stepHighRiskUsed: false,
    approval: undefined,
    limits: DEFAULT_LIMITS,
    state: newGuardState(),
    control: controlProjection.initial,
    channelOf: () => aChannel(),
    group: 'encoders',
    engine: 'local',
    scopes: [{ kind: 'channel', id: 'news' }, { kind: 'fleet' }],
    capabilitiesOf: () => new Set(),
    live: { poolPressure: undefined, reportsPool: false, viewers: undefined },
    phase: 4,
    channelCount: 1,
    journalError: undefined,
    target: newSubject(),
    subject: newSubject(),
    parent: undefined,
    ...with_,
  };
};
