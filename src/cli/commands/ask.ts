/** `reeve ask`: a chat that may look and not touch. Its code is loaded when it is used. */
import type { Command } from 'commander';
import type { AskHost } from '../ask/run.ts';
import type { RawFlags } from '../ask/flags.ts';
import { addAskFlags } from '../ask/flags.ts';
import type { Cli } from '../context.ts';

const HELP = `
Nothing is looked up unless it is granted, and nothing is ever done: who asks
for an action ("restart news") makes a proposal that waits for a yes (reeve
approvals).

Example: reeve ask --route --grant read "why was news not restarted?"`;

export function addAsk(program: Command, cli: Cli, host: () => AskHost): void {
  const command = program
    .command('ask [question...]')
    .description(
      'ask about channels and incidents in plain language; every sentence of the answer cites what it rests on',
    );
  addAskFlags(command)
    .addHelpText('after', HELP)
    .action(async (args: readonly string[], raw: RawFlags) => {
      const { runAsk } = await import('../ask/run.ts');
      const json = raw.json === true || cli.wantsJson() ? { json: true as const } : {};
      await runAsk(args.join(' '), { ...raw, ...json }, cli, host());
    });
}
