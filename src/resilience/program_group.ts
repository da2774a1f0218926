/** Starts programs, each in a process group of its own, and signals the whole group. */
import { ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { childEnvironment } from '../core/child_environment.ts';

/** What a program is given besides its arguments. */
export interface ProgramSurroundings {
  readonly cwd?: string;
  /** Variables besides PATH and LANG. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Starts a program without a shell, with pipes for its output. Whatever keeps it from starting comes as `error` and
 * then as `close`, never at once: Node throws some of it. Where there was no descriptor for them it has no streams.
 */
export function startGroup(argv: readonly string[], { cwd, env }: ProgramSurroundings = {}): ChildProcess {
  const [program = '', ...args] = argv;
  const stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'pipe'];
  try {
    return spawn(program, args, { cwd, stdio, env: childEnvironment(env), detached: true });
  } catch (thrown) {
    const never = Object.assign(new ChildProcess(), { spawnfile: program });
    process.nextTick(() => {
      never.emit('error', thrown);
      never.emit('close', null, null);
    });
    return never;
  }
}

/** To the program and everything that it started. */
export function signalGroup({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // Nothing of it is left.
  }
}
