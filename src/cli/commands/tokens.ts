// Named tokens: handed out, listed and revoked while the daemon runs.
import type { Command } from 'commander';
import { TOKEN_SCOPES } from '../../core/access.ts';
import { ReeveError } from '../../core/errors.ts';
import { type Answered, exitOf } from '../answer.ts';
import { json, plain, table } from '../output.ts';
import type { Cli } from '../context.ts';

interface WireToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expired: boolean;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly who: string;
  readonly because: string;
}
interface WireAnswer extends Answered {
  readonly said?: string;
  readonly because?: string;
  readonly more?: { readonly name: string; readonly token: string; readonly expires_at: string };
}

export function addTokens(program: Command, cli: Cli): void {
  const tokens = program
    .command('tokens')
    .description('named tokens: who may ask the daemon for what, until when')
    .addHelpText('after', '\nExample: reeve tokens list');
  addAdd(tokens, cli);
  tokens
    .command('list')
    .description('every token with its scopes, its end and its last use')
    .addHelpText('after', '\nExample: reeve tokens list --json')
    .action(async () => {
      const answer = await cli.client().get<{ tokens: readonly WireToken[] }>('/api/v1/tokens');
      if (cli.wantsJson()) return json(cli.terminal, answer);
      cli.terminal.out(answer.tokens.length === 0 ? 'none\n' : `${tokenTable(answer.tokens)}\n`);
    });
  tokens
    .command('revoke <name>')
    .description('end a token at once, with the streams and sessions that it opened')
    .requiredOption('--because <reason>', 'why, for the journal')
    .addHelpText('after', '\nExample: reeve tokens revoke ann --because "left the team"')
    .action(async (name: string, options: { because: string }) => {
      const body = { name, because: options.because };
      const answer = await cli.client().post<WireAnswer>('/api/v1/tokens/revoke', body);
      if (cli.wantsJson()) json(cli.terminal, answer);
      else if (answer.ok) cli.terminal.out(`revoked ${plain(name)}\n`);
      else cli.terminal.err(`${plain(answer.because ?? 'refused')}\n`);
      if (!answer.ok) cli.fail(exitOf(answer));
    });
}

interface AddOptions {
  readonly scope: readonly string[];
  readonly for: string;
  readonly because: string;
}

function addAdd(tokens: Command, cli: Cli): void {
  const every = (value: string, before: readonly string[] = []) => [...before, ...value.split(',')];
  tokens
    .command('add <name>')
    .description('hand out a token; it is shown once and kept nowhere')
    .requiredOption(
      '--scope <scope>',
      `what it may do: ${TOKEN_SCOPES.join(', ')} (several times, or with commas)`,
      every,
    )
    .option('--for <duration>', 'how long it holds, at most 365d', '90d')
    .requiredOption('--because <reason>', 'why, for the journal')
    .addHelpText('after', '\nExample: reeve tokens add ann --scope operate --for 90d --because "on call"')
    .action(async (name: string, options: AddOptions) => {
      const unknown = options.scope.find((scope) => !(TOKEN_SCOPES as readonly string[]).includes(scope));
      if (unknown !== undefined) {
        throw new ReeveError('USAGE', `--scope: one of ${TOKEN_SCOPES.join(', ')} was expected, got ${unknown}`);
      }
      const forMs = cli.duration(options.for, '--for');
      const body = { name, scopes: options.scope, for_ms: forMs, because: options.because };
      const answer = await cli.client().post<WireAnswer>('/api/v1/tokens', body);
      if (cli.wantsJson()) json(cli.terminal, answer);
      else if (answer.ok && answer.more !== undefined) showToken(cli, answer.more);
      else cli.terminal.err(`${plain(answer.because ?? 'refused')}\n`);
      if (!answer.ok) cli.fail(exitOf(answer));
    });
}

/** On stdout the token and nothing else, so that it can be written into a file at once. */
function showToken(cli: Cli, { name, token, expires_at }: NonNullable<WireAnswer['more']>): void {
  cli.terminal.err(`${plain(name)} holds until ${plain(expires_at)}; this is shown once:\n`);
  cli.terminal.out(`${token}\n`);
}

const day = (at: string | null): string => plain(at?.slice(0, 16) ?? '-');

const tokenTable = (all: readonly WireToken[]): string =>
  table(
    ['name', 'scopes', 'until', 'last used', 'added by', 'because'],
    all.map(({ name, scopes, expired, expires_at, last_used_at, who, because }) => [
      ...[name, scopes.join(','), expired ? 'EXPIRED' : day(expires_at), day(last_used_at)],
      ...[plain(who), plain(because)],
    ]),
  );
