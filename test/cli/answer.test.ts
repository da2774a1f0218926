import { describe, expect, it } from 'vitest';
import { exitOf } from '../../src/cli/answer.ts';
import { addAct } from '../../src/cli/commands/act.ts';
import { addPatterns } from '../../src/cli/commands/patterns.ts';
import { addRules } from '../../src/cli/commands/rules.ts';
import { addTokens } from '../../src/cli/commands/tokens.ts';
import type { Cli, Command } from '../../src/cli/context.ts';
import { ran } from './running.ts';

describe('an answer of the daemon', () => {
  it('ends the command with 0, with 1 where it is no, and with 64 where there is nothing of the name', () => {
    expect(exitOf({ ok: true })).toBe(0);
    for (const code of [undefined, 'nothing_to_do', 'approval_over']) expect(exitOf({ ok: false, code })).toBe(1);
    for (const code of ['target_unknown', 'approval_unknown']) expect(exitOf({ ok: false, code })).toBe(64);
  });

  const all = (program: Command, cli: Cli): void => {
    addAct(program, cli);
    addTokens(program, cli);
    addRules(program, cli, { folder: () => '', rules: () => [], rulesIn: () => [] });
    addPatterns(program, cli, { folder: () => '' });
  };

  it.each([
    ['lease nows', '/api/v1/leases'],
    ['phase 3 --group nope', '/api/v1/phase'],
    ['maintenance end win-0', '/api/v1/maintenance/end'],
    ['approve apr-0', '/api/v1/approvals/apr-0'],
    ['tokens revoke nobody', '/api/v1/tokens/revoke'],
    ['rules demote nope', '/api/v1/rules/state'],
    ['patterns retire nope', '/api/v1/patterns/state'],
    ['teach inc-0 --symptom stalled_output', '/api/v1/teach'],
  ])(
    'that there is nothing of the name ends `reeve %s` with 64, as it does where one only reads',
    async (line, path) => {
      const answers = { [path]: { ok: false, code: 'target_unknown', because: 'there is no such thing' } };
      const because = line.startsWith('teach') ? [] : ['--because', 'x'];
      expect((await ran(all, [...line.split(' '), ...because], { answers })).code).toBe(64);
    },
  );
});
