import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TroubledChannels, type TroubledChannel } from '../../../src/incident/pipeline/troubled_channels.ts';

const trouble = (family: 'upstream' | 'dead', host: string | undefined): TroubledChannel =>
  ({ family, facts: host === undefined ? {} : { source: { last: { host } } } }) as unknown as TroubledChannel;

it('counts the other channels that fail by a source on the same host', () => {
  const troubled = new TroubledChannels();
  for (const id of ['a', 'b', 'c']) troubled.set(id, trouble('upstream', 'one'));
  troubled.set('d', trouble('upstream', 'two'));
  troubled.set('e', trouble('dead', 'one'));
  troubled.set('f', trouble('upstream', undefined));
  expect(['a', 'e', 'well'].map((id) => troubled.sharing(id, 'one'))).toEqual([2, 3, 3]);
  expect([troubled.sharing('d', 'two'), troubled.sharing('f', undefined)]).toEqual([0, 0]);
  expect([troubled.size, [...troubled.ids].join('')]).toEqual([6, 'abcdef']);
});

it('has the count of a walk through all, whatever came, changed and went before', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const host = fc.constantFrom('one', 'two', undefined);
  const step = fc.oneof(
    fc.record({ id, now: fc.record({ family: fc.constantFrom('upstream' as const, 'dead' as const), host }) }),
    fc.record({ id, now: fc.constant(undefined) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), id, host, (steps, asked, at) => {
      const troubled = new TroubledChannels();
      const walked = new Map<string, { family: string; host: string | undefined }>();
      for (const { id: channel, now } of steps) {
        if (now === undefined) {
          troubled.delete(channel);
          walked.delete(channel);
        } else {
          troubled.set(channel, trouble(now.family, now.host));
          walked.set(channel, now);
        }
      }
      const same = [...walked].filter(([channel, one]) => channel !== asked && one.family === 'upstream');
      const expected = at === undefined ? 0 : same.filter(([, one]) => one.host === at).length;
      expect(troubled.sharing(asked, at)).toBe(expected);
      expect(troubled.size).toBe(walked.size);
    }),
  );
});
