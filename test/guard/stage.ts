import type { Permit } from '../../src/core/tool.ts';
import { aCall, anIncident, aPersona } from '../support/a.ts';
import { bench, channelsOf } from './bench.ts';

export const GROUP = { kind: 'group', id: 'g' } as const;
export const persona = aPersona();

/** A group whose shared cause is gone and whose channels stayed down, ready for a staged start. */
export function staged(count = 8, options: Parameters<typeof bench>[0] = {}) {
  const channels = channelsOf(count, { group: 'g' });
  const b = bench({ channels, ...options });
  const ids = channels.map(({ id }) => id);
  const incident = anIncident({ id: 'inc-g', scope: GROUP, group: 'g', channels: ids });
  b.record({ type: 'incident.opened', incident }, undefined, incident.id);
  const request = (with_: object = {}) => ({
    ...b.request('c0', { incident, persona, call: aCall({ target: GROUP, channels: ids }) }),
    ...with_,
  });
  const envelopeOfGroup = (r: ReturnType<typeof request>) => ({
    ...r,
    envelope: { ...r.envelope, channelId: undefined, scope: GROUP, channels: ids, sharedCause: false },
  });
  const plan = (run?: string): Permit => {
    const decision = b.guard.decide(envelopeOfGroup(request(run === undefined ? {} : { run })));
    if (decision.verdict === 'deny') throw new Error(`${decision.code}: ${decision.because}`);
    decision.permit.redeem(b.nowMs());
    b.started(decision.permit.terms);
    return decision.permit;
  };
  const child = (parent: Permit, channel: string) =>
    b.guard.child({ parent: parent.terms, channel, persona, incident });
  const startChild = (parent: Permit, channel: string, cured: boolean | 'unjudged' = true) => {
    const decision = child(parent, channel);
    if (decision.verdict === 'deny') throw new Error(`${decision.code}: ${decision.because}`);
    return b.perform(decision.permit, { callMs: 100, cured: cured === 'unjudged' ? undefined : cured });
  };
  return { b, ids, incident, request, envelopeOfGroup, plan, child, startChild };
}
