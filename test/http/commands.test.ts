import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN_SCOPES } from '../../src/core/access.ts';
import { COMMAND_ROUTES } from '../../src/http/commands.ts';
import type { Command } from '../../src/http/daemon.ts';
import { aDaemon, served } from './support.ts';

const commands: Command[] = [];
const { daemon } = aDaemon({
  command: async (command) => {
    commands.push(command);
    return command.name === 'thaw' ? { ok: false, because: 'not frozen' } : { ok: true, said: 'done' };
  },
});
let http: Awaited<ReturnType<typeof served>>;

beforeAll(async () => {
  http = await served(daemon);
});
afterAll(() => http.server[Symbol.asyncDispose]());

const ask: typeof http.ask = (...request) => http.ask(...request);

describe('a command over HTTP', () => {
  it.each(COMMAND_ROUTES)('$path needs a token with scope $scope', async ({ path, scope }) => {
    const before = commands.length;
    const weaker = TOKEN_SCOPES[TOKEN_SCOPES.indexOf(scope) - 1]!;
    expect((await ask(path, { method: 'POST' })).status).toBe(401);
    expect((await ask(path, { method: 'POST', scope: weaker, body: '{}' })).status).toBe(403);
    expect(commands.length).toBe(before);
  });

  it('passes on who asked and why', async () => {
    const body = JSON.stringify({ because: 'migration' });
    expect((await ask('/api/v1/freeze', { method: 'POST', scope: 'operate', body })).status).toBe(200);
    expect(commands.at(-1)).toMatchObject({ name: 'freeze', who: 'operate', because: 'migration' });
  });

  it('refuses a body without a reason, with every problem, and does nothing', async () => {
    const before = commands.length;
    const body = JSON.stringify({ because: '  ', more: 1 });
    const answer = await ask('/api/v1/freeze', { method: 'POST', scope: 'operate', body });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { problems: unknown[] }).problems.length).toBe(2);
    expect(commands.length).toBe(before);
  });

  it('answers 409 with the reason when it is not possible now', async () => {
    const body = JSON.stringify({ because: 'done' });
    const answer = await ask('/api/v1/thaw', { method: 'POST', scope: 'operate', body });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ because: 'not frozen' });
  });

  it('refuses a body of more than 64 KiB', async () => {
    const body = JSON.stringify({ because: 'x'.repeat(70_000) });
    expect((await ask('/api/v1/freeze', { method: 'POST', scope: 'operate', body })).status).toBe(413);
  });
});
