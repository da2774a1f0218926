/** The person at the keyboard: types commands of the real command line, and reads what comes back. */
import { spawn } from 'node:child_process';
import { ReeveError } from '../src/core/errors.ts';
import { MAIN } from './reeve.ts';

const SHOWN_LINES_MAX = 14;

export interface Person {
  /** Types one command. Returns what it printed; throws DAEMON_UNREACHABLE with that when it ends with an error. */
  types(...args: readonly string[]): Promise<string>;
}

export function openPerson(configPath: string, show: (text: string) => void): Person {
  return {
    async types(...args) {
      show(`$ reeve ${args.map((arg) => (/^[\w./:=-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ')}`);
      const child = spawn(process.execPath, [MAIN, ...args, '--config', configPath], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (piece: Buffer) => (output += piece.toString()));
      const code = await new Promise<number | null>((done) => child.on('close', done));
      const lines = output.trimEnd().split('\n');
      for (const line of lines.slice(0, SHOWN_LINES_MAX)) show(`  ${line}`);
      if (lines.length > SHOWN_LINES_MAX) show(`  … ${lines.length - SHOWN_LINES_MAX} more lines`);
      if (code !== 0)
        throw new ReeveError('DAEMON_UNREACHABLE', `reeve ${args[0]} ended with ${code}: ${output.trim()}`);
      return output;
    },
  };
}
