/** What a command of the command line may use, and what the process hands over to it. */
import type { Command } from 'commander';
import type { Client, ClientOptions } from './client.ts';
import type { Terminal } from './output.ts';

export type { Command } from 'commander';

/** What a command may use. */
export interface Cli {
  readonly terminal: Terminal;
  readonly flags: () => GlobalFlags;
  client(): Client;
  wantsJson(): boolean;
  /** The command ends with this exit code, after everything is printed. */
  fail(exitCode: number): void;
  /** Milliseconds of `15m`; throws USAGE that names the flag. */
  duration(text: string, flag: string): number;
}

export interface GlobalFlags {
  readonly config?: string;
  readonly state?: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
}

/** What main.ts hands over: everything that a command needs from outside. */
export interface CliHost {
  readonly terminal: Terminal;
  readonly version: string;
  readonly fetch: typeof fetch;
  readonly clientOptions: (flags: GlobalFlags) => ClientOptions;
  readonly parseDuration: (text: string) => number | undefined;
  /** Adds the commands that work without a daemon. */
  readonly addLocal: (program: Command, cli: Cli) => void;
}
