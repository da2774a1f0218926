import { describe, expect, it } from 'vitest';
import { CAUSE_QUIET_MS } from '../../../src/ground/correlate/correlate.ts';
import type { Seen } from '../../../src/ground/correlate/seen_channel.ts';
import { Fleet, member, trouble } from '../fleet.ts';

const down = trouble('upstream_unavailable');
const dead = trouble('process_crashed');
const reads = (id: string, isAbsent = true): Seen => member(id, down, { sourceHost: 'here:80', isAbsent });
const publishes = (id: string, finding = down): Seen => member(id, finding);

/** What is left of the cause when the publishers have nothing to wait for any more. */
function leftOf(readers: readonly Seen[], publishers = ['tv1', 'tv2', 'tv3']) {
  const fleet = new Fleet();
  fleet.step([...readers, ...publishers.map((id) => publishes(id))]);
  const later = [...readers, ...publishers.map((id) => publishes(id, dead))];
  fleet.step(later, 30_000);
  fleet.step(later, CAUSE_QUIET_MS);
  return fleet.causes.map(({ key, phase, down: left }) => [key, phase, left]);
}

describe('channels that read what dead neighbours publish', () => {
  it.each([[['relay']], [['relay', 'relay2', 'relay3']]])(
    'do not keep these down, whose own server is back, and begin no cause while they are to be started: %j',
    (ids) => {
      expect(leftOf(ids.map((id) => reads(id)))).toEqual([['group:pull|upstream', 'over', ['tv1', 'tv2', 'tv3']]]);
    },
  );

  it('keep the cause open where the server of one does not answer', () => {
    expect(leftOf([reads('relay'), reads('relay2', false)])[0]?.[1]).toBe('active');
  });

  it('keep it open among themselves: nobody of the dead may be the publisher', () => {
    const fleet = new Fleet();
    const all = ['a', 'b', 'c'].map((id) => reads(id));
    fleet.step(all);
    fleet.step(all, 60_000);
    expect(fleet.causes.map(({ phase }) => phase)).toEqual(['active']);
  });
});
