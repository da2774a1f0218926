import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/core/control.ts';
import { draftsOfHold } from '../../src/control/held_phase.ts';

const EMPTY = { isEmpty: true, setBack: undefined };
const SET_BACK = { isEmpty: false, setBack: 'it ends at record 3' };

describe('the phase that is held at a start', () => {
  it.each([3, 4] as const)('holds phase 1 where phase %i is configured and the journal is empty', (configured) => {
    expect(draftsOfHold(EMPTY, configured)).toEqual([{ fact: { type: 'control.phase_held', phase: 1, configured } }]);
  });

  it.each([3, 4] as const)(
    'holds phase 1 under phase %i where the journal was set back, and says how',
    (configured) => {
      expect(draftsOfHold(SET_BACK, configured)).toEqual([
        { fact: { type: 'control.phase_held', phase: 1, configured, because: 'it ends at record 3' } },
      ]);
    },
  );

  it.each([0, 1, 2] as const)('holds nothing under phase %i, which interrupts no viewer', (configured) => {
    expect([draftsOfHold(EMPTY, configured), draftsOfHold(SET_BACK, configured)]).toEqual([[], []]);
  });

  it('holds phase 1 under every higher phase where the journal was damaged, and says what was wrong', () => {
    const damaged = { isEmpty: true, setBack: 'it ends at record 0', damaged: 'cannot read it; it is kept' };
    const held = (configured: number) => ({
      fact: {
        type: 'control.phase_held',
        phase: 1,
        configured,
        because: 'cannot read it; it is kept',
        cause: 'damaged',
      },
    });
    expect([2, 4].map((phase) => draftsOfHold(damaged, phase as Phase))).toEqual([[held(2)], [held(4)]]);
    expect(draftsOfHold(damaged, 1)).toEqual([]);
  });

  it('holds nothing where the journal has entries and is not known to be set back', () => {
    expect(draftsOfHold({ isEmpty: false, setBack: undefined }, 4)).toEqual([]);
  });

  it('calls a journal set back that is empty and was not: it is no first installation', () => {
    const lost = { isEmpty: true, setBack: 'it ends at record 3' };
    expect(draftsOfHold(lost, 4)).toEqual(draftsOfHold(SET_BACK, 4));
  });
});
