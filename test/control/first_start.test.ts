import { describe, expect, it } from 'vitest';
import { draftsOfFirstStart } from '../../src/control/first_start.ts';

describe('the first start', () => {
  it.each([3, 4] as const)('holds phase 1 where phase %i is configured and the journal is empty', (configured) => {
    expect(draftsOfFirstStart(true, configured)).toEqual([
      { fact: { type: 'control.phase_held', phase: 1, configured } },
    ]);
  });

  it.each([0, 1, 2] as const)(
    'holds nothing where phase %i is configured, which interrupts no viewer',
    (configured) => {
      expect(draftsOfFirstStart(true, configured)).toEqual([]);
    },
  );

  it('holds nothing where the journal has entries', () => {
    expect(draftsOfFirstStart(false, 4)).toEqual([]);
  });
});
