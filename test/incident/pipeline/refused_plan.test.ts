import { describe, expect, it } from 'vitest';
import type { GuardRequest } from '../../../src/guard/checks/check_input.ts';
import { incidentProjection } from '../../../src/incident/lifecycle/state.ts';
import { refusedPlan } from '../../../src/incident/pipeline/refused_plan.ts';
import { anEnvelope, anIncident, aPersona } from '../../support/a.ts';

type Deps = Parameters<typeof refusedPlan>[1];
const scope = { kind: 'group', id: 'g' } as const;

describe('what a refused plan would be refused for now', () => {
  it('is asked as a run would ask: for all that is down by now, as channels of the incident', () => {
    const asked: GuardRequest[] = [];
    const open = [{ incident: anIncident({ scope, group: 'g', channels: ['a'] }) }];
    const deps = {
      guard: {
        preview(request: GuardRequest) {
          asked.push(request);
          return { code: 'restart_storm' };
        },
      },
      incidents: () => ({ ...incidentProjection.initial, open }),
      watch: { causeOf: () => ({ down: ['a', 'b'] }) },
      snapshots: { envelope: () => anEnvelope() },
    } as unknown as Deps;
    expect(refusedPlan(scope, deps, { personaOf: () => aPersona() })).toBe('restart_storm');
    expect(asked.map(({ call, incident }) => [call.channels, incident.channels])).toEqual([
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    ]);
  });
});
