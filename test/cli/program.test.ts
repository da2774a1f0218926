import { describe, expect, it } from 'vitest';
import { Command as Commander } from 'commander';
import { addAct } from '../../src/cli/commands/act.ts';
import { addAsk } from '../../src/cli/commands/ask.ts';
import { addTrace } from '../../src/cli/commands/trace.ts';
import type { Cli, CliHost, Command } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import { InvariantError, ReeveError } from '../../src/core/errors.ts';

/** One command line with one command of the test's own. */
async function run(
  argv: readonly string[],
  act: (cli: Cli, options: Record<string, unknown>) => unknown = () => undefined,
  with_: Partial<CliHost> = {},
) {
  const ran = { out: '', err: '' };
  const host: CliHost = {
    terminal: {
      out: (text) => {
        ran.out += text;
      },
      err: (text) => {
        ran.err += text;
      },
      stdin: (async function* () {})(),
      colours: false,
    },
    version: '1.2.3',
    fetch: () => Promise.reject(new Error('no daemon')),
    clientOptions: () => ({ state: '/nowhere', url: undefined, token: undefined }),
    parseDuration: (text) => (text === '1m' ? 60_000 : undefined),
    addLocal: (program: Command, cli) => {
      program
        .command('own')
        .option('-c, --continue', 'of its own')
        .option('--state <n>', 'of its own')
        .action(async (options) => void (await act(cli, options)));
    },
    ...with_,
  };
  return { code: await runCli(argv, host), ...ran };
}

describe('the end of a command line', () => {
  it('is 0, or what the command says', async () => {
    expect(await run(['own'])).toEqual({ code: 0, out: '', err: '' });
    expect((await run(['own'], (cli) => cli.fail(3))).code).toBe(3);
    expect(await run(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' });
  });

  it('is 64 for a command or a flag that there is not', async () => {
    for (const argv of [['nonsense'], ['own', '--nonsense'], ['freeze']])
      expect(await run(argv)).toMatchObject({ code: 64, out: '' });
  });

  it('names, for a mistyped command line, the command that shows how it is written', async () => {
    expect((await run(['own', '--nonsense'])).err).toMatch(
      /^error: unknown option '--nonsense'\n {2}reeve own --help /,
    );
    expect((await run(['nonsense'])).err).toMatch(/^error: unknown command 'nonsense'\n {2}reeve --help lists /);
    expect((await run(['freeze'])).err).toMatch(
      /^error: .*'--because <reason>' not specified\n {2}reeve freeze --help /,
    );
    expect((await run(['maintenance', 'end', '--because', 'x'])).err).toMatch(/\n {2}reeve maintenance end --help /);
  });

  it('is the code of the error, with what to do', async () => {
    const { code, err } = await run(['own'], () => {
      throw new ReeveError('USAGE', 'that is wrong', { hint: 'do it so' });
    });
    expect([code, err]).toEqual([64, 'reeve: that is wrong\n  do it so\n']);
  });

  it('is 70 for a bug, and asks for a report', async () => {
    for (const [thrown, kind] of [
      [new InvariantError('broken'), 'a law of the program was broken'],
      [new TypeError('broken'), 'unexpected'],
    ] as const) {
      const { code, err } = await run(['own'], () => {
        throw thrown;
      });
      expect(code).toBe(70);
      expect(err).toContain(`this is a bug (${kind})`);
    }
  });
});

describe('an answer that a command cannot read', () => {
  const answeredBy = (status: object) => ({
    fetch: (async () => Response.json(status)) as unknown as typeof fetch,
    clientOptions: () => ({ state: '/nowhere', url: 'http://127.0.0.1:9093', token: 'given' }),
  });
  const reads = async (cli: Cli) => {
    const answer = await cli.client().get<{ last: { at: number } }>('/api/v1/status');
    return answer.last.at;
  };

  it('is no bug where it is not the answer of a Reeve', async () => {
    const { code, err } = await run(['own'], reads, answeredBy({ status: 'success', data: {} }));
    expect(code).toBe(64);
    expect(err).toContain('what answers at http://127.0.0.1:9093 is no Reeve');
    expect(err).toContain('--url');
    const page = { ...answeredBy({}), fetch: (async () => new Response('<html>')) as unknown as typeof fetch };
    expect((await run(['own'], reads, page)).code).toBe(64);
  });

  it('is no bug where the daemon is of another version: both are named', async () => {
    const { code, err } = await run(['own'], reads, answeredBy({ version: '0.9.0' }));
    expect(code).toBe(64);
    expect(err).toContain('the daemon is of version 0.9.0 and this command of 1.2.3');
  });

  it('is one where the daemon is of the same version, or nothing was asked, or nobody answers now', async () => {
    expect((await run(['own'], reads, answeredBy({ version: '1.2.3' }))).code).toBe(70);
    const broken = () => {
      throw new TypeError('broken');
    };
    expect((await run(['own'], broken, answeredBy({}))).code).toBe(70);
    expect((await run(['own'], (cli) => [cli.client(), broken()])).code).toBe(70);
  });
});

describe('a flag of the whole program', () => {
  const flagsOf = async (...argv: readonly string[]) => {
    let found: unknown;
    await run(argv, (cli, options) => {
      found = { ...cli.flags(), json: cli.wantsJson(), own: options };
    });
    return found;
  };

  it('may stand before or behind the command', async () => {
    for (const argv of [
      ['--json', 'own'],
      ['own', '--json'],
    ])
      expect(await flagsOf(...argv)).toMatchObject({ json: true });
    expect(await flagsOf('own', '--config', 'a.yaml')).toMatchObject({ config: 'a.yaml', json: false });
  });

  it('gives way behind a command that has one of its own by that name or letter', async () => {
    expect(await flagsOf('own', '-c', '--state', '1')).toMatchObject({ own: { continue: true, state: '1' } });
    expect(await flagsOf('own', '-c')).not.toHaveProperty('config');
    expect(await flagsOf('--state', '/s', 'own')).toMatchObject({ state: '/s' });
  });
});

describe('a duration on the command line', () => {
  it('is milliseconds, or an error that names the flag', async () => {
    let ms = 0;
    await run(['own'], (cli) => {
      ms = cli.duration('1m', '--for');
    });
    expect(ms).toBe(60_000);
    const { code, err } = await run(['own'], (cli) => void cli.duration('soon', '--for'));
    expect(code).toBe(64);
    expect(err).toContain('--for: a duration such as 30s, 15m or 2h was expected, got "soon"');
    const tooLong = await run(['own'], (cli) => void cli.duration('900d', '--for'));
    expect(tooLong.err).toContain('--for: at most 365d was expected, got "900d"');
  });
});

const unused = {} as Cli;

/** Each command with those below it. */
const family = (command: Commander): readonly Commander[] => [command, ...command.commands.flatMap(family)];

it('the help of each command, with its example, fits a terminal of 80 columns', () => {
  const program = new Commander('reeve').configureOutput({ getOutHelpWidth: () => 80 });
  for (const add of [addAct, addTrace]) add(program, unused);
  addAsk(program, unused, () => expect.unreachable());
  const wide = family(program).flatMap((command) => {
    let text = '';
    command.configureOutput({ getOutHelpWidth: () => 80, writeOut: (more) => (text += more) }).outputHelp();
    return text.split('\n').filter((line) => line.length > 80);
  });
  expect(wide).toEqual([]);
});
