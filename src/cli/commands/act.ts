/** The commands that change what Reeve may do. */
import type { Command } from 'commander';
import { ReeveError } from '../../core/errors.ts';
import { type Answered, exitOf } from '../answer.ts';
import { json, paint, plain } from '../output.ts';
import type { Cli } from '../context.ts';
import { type WireWindow, windowText } from '../holds_text.ts';
import { rolloutText, type WireRollout } from '../phase_text.ts';

interface WireAnswer extends Answered {
  readonly said?: string;
  readonly because?: string;
  readonly hint?: string;
}

/** Commands that change what Reeve may do. All are written down with who and why. */
export function addAct(program: Command, cli: Cli): void {
  const send = async (path: string, body: unknown): Promise<void> => {
    const answer = await cli.client().post<WireAnswer>(path, body);
    if (cli.wantsJson()) json(cli.terminal, answer);
    else if (answer.ok) cli.terminal.out(`${paint(cli.terminal, 'green', plain(answer.said ?? 'done'))}\n`);
    else cli.terminal.err(`${plain(answer.because ?? 'refused')}${answer.hint ? `\n  ${plain(answer.hint)}` : ''}\n`);
    if (!answer.ok) cli.fail(exitOf(answer));
  };
  const reasoned = (name: string, description: string, example: string) =>
    program
      .command(name)
      .description(description)
      .requiredOption('--because <reason>', 'why, for the journal')
      .addHelpText('after', `\nExample: ${example}`);

  reasoned('freeze', 'stop all changes at once', 'reeve freeze --because "origin migration"').action((options) =>
    send('/api/v1/freeze', { because: options.because }),
  );
  reasoned('thaw', 'allow changes again', 'reeve thaw --because "migration done"').action((options) =>
    send('/api/v1/thaw', { because: options.because }),
  );
  reasoned('lease <channel>', 'hands off one channel for a while', 'reeve lease news --for 15m --because "I am on it"')
    .option('--for <duration>', 'how long', '15m')
    .option('--end', 'give it back')
    .action((scope: string, options: { for: string; because: string; end?: boolean }) =>
      options.end
        ? send('/api/v1/leases/end', { scope, because: options.because })
        : send('/api/v1/leases', { scope, for_ms: cli.duration(options.for, '--for'), because: options.because }),
    );
  reasoned(
    'reset <scope>',
    'clear the breaker, an UNKNOWN start and the memory of fixes in vain: of a channel, or group:NAME or engine:NAME',
    'reeve reset news --because "checked by hand"',
  ).action((scope: string, options) => send('/api/v1/reset', { scope, because: options.because }));
  reasoned('release <scope>', 'end a containment', 'reeve release fleet --because "storm is over"').action(
    (scope: string, options) => send('/api/v1/release', { scope, because: options.because }),
  );
  addPhase(program, cli, send);
  addApprovals(program, send);
  addMaintenance(program, cli, send);
  addPage(program, send);
}

type Send = (path: string, body: unknown) => Promise<void>;

function addPhase(program: Command, cli: Cli, send: Send): void {
  program
    .command('phase [phase]')
    .description('show or set the rollout phase: 0 watch, 1 look, 2 low risk, 3 high risk, one step, 4 full loop')
    .option('--group <group>', 'only for one group')
    .option('--because <reason>', 'why, for the journal')
    .addHelpText('after', '\nExample: reeve phase 3 --because "a week without a mistake"')
    .action(async (phase: string | undefined, options: { group?: string; because?: string }) => {
      if (phase === undefined) {
        const { rollout } = await cli.client().get<{ rollout: WireRollout }>('/api/v1/stats');
        const shown = options.group === undefined ? rollout : ofGroup(rollout, options.group);
        return cli.wantsJson() ? json(cli.terminal, shown) : cli.terminal.out(`${rolloutText(shown)}\n`);
      }
      if (!/^[0-4]$/.test(phase)) throw new ReeveError('USAGE', `a phase from 0 to 4 was expected, got ${phase}`);
      if (options.because === undefined) throw new ReeveError('USAGE', '--because is required to set a phase');
      return send('/api/v1/phase', { phase: Number(phase), group: options.group, because: options.because });
    });
}

function ofGroup(rollout: WireRollout, group: string): WireRollout {
  const groups = rollout.groups.filter((one) => one.group === group);
  if (groups.length > 0) return { ...rollout, groups };
  const there = rollout.groups.map((one) => one.group).join(', ');
  throw new ReeveError('USAGE', `--group: expected one of ${there || 'none: no channel is configured'}, got ${group}`);
}

function addApprovals(program: Command, send: Send): void {
  for (const [name, yes] of [
    ['approve', true],
    ['deny', false],
  ] as const) {
    program
      .command(`${name} <id>`)
      .description(`answer a pending question with ${yes ? 'yes' : 'no'}`)
      .option('--because <reason>', 'why, for the journal', 'answered on the command line')
      .addHelpText('after', `\nExample: reeve ${name} apr-3f2a9c`)
      .action((id: string, options: { because: string }) =>
        send(`/api/v1/approvals/${encodeURIComponent(id)}`, { yes, because: options.because }),
      );
  }
}

function addMaintenance(program: Command, cli: Cli, send: Send): void {
  const maintenance = program
    .command('maintenance')
    .description('windows in which Reeve changes nothing')
    .addHelpText('after', '\nExample: reeve maintenance list');
  maintenance
    .command('add <scope>')
    .description('begin a window, now or later')
    .requiredOption('--for <duration>', 'how long')
    .option('--in <duration>', 'when it begins')
    .option('--rolling', 'channels are restarted one after another meanwhile: those starts contain nothing')
    .requiredOption('--because <reason>', 'why, for the journal')
    .addHelpText('after', '\nExample: reeve maintenance add group:pull --for 2h --because "origin upgrade"')
    .action((scope: string, options: { for: string; in?: string; rolling?: true; because: string }) =>
      send('/api/v1/maintenance', {
        scope,
        for_ms: cli.duration(options.for, '--for'),
        starts_in_ms: options.in === undefined ? 0 : cli.duration(options.in, '--in'),
        rolling: options.rolling === true,
        because: options.because,
      }),
    );
  maintenance
    .command('end <id>')
    .description('end a window before its time')
    .requiredOption('--because <reason>', 'why, for the journal')
    .addHelpText('after', '\nExample: reeve maintenance end win-3f2a9c --because "done early"')
    .action((id: string, options: { because: string }) =>
      send('/api/v1/maintenance/end', { id, because: options.because }),
    );
  maintenance
    .command('list')
    .description('windows that are open or to come')
    .addHelpText('after', '\nExample: reeve maintenance list')
    .action(async () => {
      const { windows } = await cli.client().get<{ windows: readonly WireWindow[] }>('/api/v1/status');
      if (cli.wantsJson()) return json(cli.terminal, { windows });
      cli.terminal.out(windows.length === 0 ? 'none\n' : `${windows.map(windowText).join('\n')}\n`);
    });
}

function addPage(program: Command, send: Send): void {
  program
    .command('ack <key>')
    .description('take a page: it is not repeated, and goes to no further receiver')
    .option('--because <reason>', 'why, for the journal')
    .addHelpText('after', '\nExample: reeve ack incident/inc-0123')
    .action((key: string, options: { because?: string }) => send('/api/v1/ack', { key, because: options.because }));
  program
    .command('page')
    .description('send one test page through every receiver, and say which took it')
    .requiredOption('--test', 'nothing else can be paged by hand')
    .addHelpText('after', '\nExample: reeve page --test')
    .action(() => send('/api/v1/page/test', {}));
}
