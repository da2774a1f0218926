import { expect, it } from 'vitest';
import { answeredInTime, ELSEWHERE_MS } from '../../src/journal/elsewhere.ts';
import { fakeClock } from '../support/fake_clock.ts';

it('waits for a file elsewhere for so long, and no longer', async () => {
  const { clock, advance } = fakeClock();
  expect(await answeredInTime(Promise.resolve(7), clock)).toBe(7);
  await expect(answeredInTime(Promise.reject(new Error('EIO')), clock)).rejects.toThrow('EIO');
  const never = answeredInTime(new Promise<never>(() => undefined), clock);
  const said = expect(never).rejects.toThrow(`its file system did not answer in ${ELSEWHERE_MS} ms`);
  await advance(ELSEWHERE_MS);
  await said;
});
