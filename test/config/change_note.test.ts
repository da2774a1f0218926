import { describe, expect, it } from 'vitest';
import { noteChange } from '../../src/config/change_note.ts';
import type { Change } from '../../src/config/reload.ts';
import type { Draft } from '../../src/core/journal.ts';

function noted(change: unknown, append?: () => never) {
  const drafts: Draft[] = [];
  const logged: string[] = [];
  const failures: string[] = [];
  noteChange(change as Change, {
    append: append ?? ((more) => void drafts.push(...more) as never),
    log: {
      info: (_, text) => logged.push(`info ${text}`),
      warn: (_, text) => logged.push(`warn ${text}`),
      error: (_, text) => logged.push(`error ${text}`),
    },
    fail: (text) => failures.push(text),
  });
  return { facts: drafts.map(({ fact }) => fact), logged, failures };
}

describe('the record of an edit', () => {
  it('says what was applied and what waits for the next start', () => {
    const change = { ok: true, configuration: { sha256: 'ab' }, applied: ['rules'], needsRestart: ['http'] };
    const because = 'applied: rules; at the next start: http';
    const { facts, logged } = noted(change);
    expect(facts).toEqual([{ type: 'config.loaded', configSha: 'ab', because, applied: ['rules'] }]);
    expect(logged).toEqual([`info configuration read again; ${because}`]);
  });

  it('says of a refused edit how many problems it has and where the first one stands, within 400 characters', () => {
    const problem = { file: 'reeve.yaml', line: 3, column: 1, path: 'x', message: 'm'.repeat(500) };
    const { facts, logged } = noted({ ok: false, problems: [problem, problem] });
    expect(facts).toMatchObject([{ type: 'config.rejected', problems: 2 }]);
    const [fact] = facts as readonly { first: string }[];
    expect(fact!.first).toMatch(/^reeve\.yaml:3:1: m+$/);
    expect(fact!.first).toHaveLength(400);
    expect(logged[0]).toContain('the last good set stays');
  });

  it('that cannot be written is paged and stops nothing', () => {
    const change = { ok: true, configuration: { sha256: 'ab' }, applied: [], needsRestart: [] };
    const broken = () => {
      throw new Error('no space left');
    };
    expect(noted(change, broken).failures).toEqual(['reload: it could not be written down: no space left']);
  });
});
