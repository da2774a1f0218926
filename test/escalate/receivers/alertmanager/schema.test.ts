import { describe, expect, it } from 'vitest';
import { alertmanagerDocument } from '../../../../src/escalate/receivers/alertmanager/schema.ts';
import { createReceiver } from '../../../../src/escalate/receivers/factory.ts';
import { fakeClock } from '../../../support/fake_clock.ts';

const written = (more: object) =>
  alertmanagerDocument.safeParse({ id: 'am', kind: 'alertmanager', url: 'http://127.0.0.1:9093', ...more });

const everyMs = (more: object): number | undefined => {
  const deps = {
    ...{ post: async () => undefined as never, guarded: async () => undefined, clock: fakeClock().clock },
    ...{ secret: () => undefined, placeOf: () => ({}), readFile: () => '' },
  };
  return createReceiver(written(more).data!, deps).refresh?.everyMs;
};

describe('an Alertmanager in the configuration', () => {
  it('is sent what is open once a minute, or as often as its resolve_timeout needs', () => {
    expect(everyMs({})).toBe(60_000);
    expect(everyMs({ refresh_every: '20s' })).toBe(20_000);
    expect([written({ refresh_every: '4s' }).success, written({ refresh_every: '2m' }).success]).toEqual([
      false,
      false,
    ]);
  });
});
