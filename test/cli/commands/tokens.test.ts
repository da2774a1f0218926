import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addTokens } from '../../../src/cli/commands/tokens.ts';
import type { Cli } from '../../../src/cli/context.ts';
import { type RunOptions, ran } from '../running.ts';

const run = (line: string, options?: RunOptions) => ran(addTokens, ['tokens', ...line.split(' ')], options);
const more = { name: 'ann', token: 'secret-token', expires_at: '2026-01-01T00:00:00Z' };

describe('a token that is handed out', () => {
  it('is asked for with its scopes and its time', async () => {
    const { posted } = await run('add ann --scope read,operate --scope hints --for 1d --because duty');
    expect(posted).toEqual([
      {
        path: '/api/v1/tokens',
        body: { name: 'ann', scopes: ['read', 'operate', 'hints'], for_ms: 86_400_000, because: 'duty' },
      },
    ]);
  });

  it('stands alone on stdout, so that it can be written into a file', async () => {
    const answers = { '/api/v1/tokens': { ok: true, more } };
    const { out, err, code } = await run('add ann --scope read --because duty', { answers });
    expect([out, code]).toEqual(['secret-token\n', 0]);
    expect(err).toContain('ann holds until 2026-01-01T00:00:00Z');
  });

  it('may hold as long as its help says, and no longer', async () => {
    const program = new Command();
    addTokens(program, {} as Cli);
    const add = program.commands[0]!.commands.find((one) => one.name() === 'add')!;
    const days = Number(/at most (\d+)d/.exec(add.options.find(({ long }) => long === '--for')!.description)![1]);
    const asked = (count: number) => run(`add ann --scope read --for ${count}d --because duty`);
    expect((await asked(days)).posted).toMatchObject([{ body: { for_ms: days * 86_400_000 } }]);
    await expect(asked(days + 1)).rejects.toThrow('--for');
  });

  it('is not asked for with a scope that there is not', async () => {
    await expect(run('add ann --scope root --because duty')).rejects.toThrow(/--scope: one of .*, got root/);
  });

  it('that is refused ends with 1 and the reason', async () => {
    const answers = { '/api/v1/tokens': { ok: false, because: 'there is one of that name' } };
    expect(await run('add ann --scope read --because duty', { answers })).toMatchObject({
      ...{ out: '', err: 'there is one of that name\n', code: 1 },
    });
  });
});

describe('the list of tokens', () => {
  const token = {
    ...{ name: 'ann', scopes: ['read'], expired: false, expires_at: '2026-01-01T00:00:00Z' },
    ...{ last_used_at: null, who: 'root', because: 'duty' },
  };
  const listed = async (tokens: readonly object[]) =>
    (await run('list', { answers: { '/api/v1/tokens': { tokens } } })).out;

  it('shows until when each holds, and which has expired', async () => {
    expect(await listed([token])).toMatch(/ann +read +2026-01-01T00:00 +- +root +duty\n$/);
    expect(await listed([{ ...token, expired: true }])).toContain('EXPIRED');
    expect(await listed([])).toBe('none\n');
  });
});

describe('a token that is revoked', () => {
  it('is named with the reason, and a refusal ends with 1', async () => {
    const { posted, out } = await run('revoke ann --because left');
    expect(posted).toEqual([{ path: '/api/v1/tokens/revoke', body: { name: 'ann', because: 'left' } }]);
    expect(out).toBe('revoked ann\n');
    const answers = { '/api/v1/tokens/revoke': { ok: false, because: 'no such token' } };
    expect(await run('revoke ann --because left', { answers })).toMatchObject({ err: 'no such token\n', code: 1 });
  });
});
