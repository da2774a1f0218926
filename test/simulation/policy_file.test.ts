import { describe, expect, it } from 'vitest';
import { PolicyFile } from '../../src/simulation/policy_file.ts';
import { aPersona } from '../support/a.ts';

const M = 60_000;

describe('the policy file that people edit', () => {
  it('writes a policy that is tighter, looser or broken, and takes it back', () => {
    let nowMs = 0;
    const due: { atMs: number; run: () => void }[] = [];
    const persona = aPersona({ restart_cap: 2 });
    const at = (atMs: number, run: () => void) => due.push({ atMs, run });
    let edits = 0;
    const onEdit = () => {
      edits += 1;
    };
    const file = new PolicyFile(persona, { nowMs: () => nowMs, at, untouchable: new Set(['ch7']), onEdit });
    expect(file.personaOf('ch0')).toBe(persona);
    expect(file.personaOf('ch7').tool_access_policy.restart_channel).toBe('deny');
    expect(edits).toBe(0);
    const seen = Array.from({ length: 7 }, (_, at) => {
      file.reload((at + 0.5) / 7, M);
      return file.persona;
    });
    expect(seen[0]!.tool_access_policy.restart_channel).toBe('deny');
    expect(seen.map(({ restart_cap }) => restart_cap)).toEqual([2, 0, 1, 2, 2, 5, 5]);
    expect(seen[3]!.operational_mode).toBe('diagnostic');
    // The broken one is none that Reeve takes.
    expect(edits).toBe(6);
    nowMs = M;
    due.at(-2)!.run();
    expect(file.persona.restart_cap).toBe(5);
    due.at(-1)!.run();
    expect([file.persona, edits]).toEqual([persona, 7]);
    due.at(-1)!.run();
    expect(edits).toBe(7);
  });
});
