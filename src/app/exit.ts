/** Ends the process, whatever its threads wait for. */
import { type Clock, systemClock } from '../core/clock.ts';
import { SECOND_MS } from '../core/duration.ts';

/** What of a process it takes to end it. */
export type EndingProcess = Pick<NodeJS.Process, 'getActiveResourcesInfo' | 'execPath' | 'execve' | 'exit' | 'emit'>;

/** Questions to file systems and for addresses, which wait in threads; what is being logged is among them. */
const IN_A_THREAD = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;
const LOOK_MS = 20;
/** Longer than a disk that works takes. */
const PATIENCE_MS = SECOND_MS;

/**
 * Ends with the code, once the threads are done or have had a second. libuv waits for its threads as a process exits,
 * and one that waits for a dead file server keeps it for ever: no supervisor would see that it has ended.
 */
export function endProcess(code: number, own: EndingProcess = process, clock: Clock = systemClock): void {
  const endMs = clock.monotonicMs() + PATIENCE_MS;
  const look = (): void => {
    if (isWaited(own) && clock.monotonicMs() < endMs) clock.after(LOOK_MS, look);
    else endNow(code, own);
  };
  look();
}

/**
 * The same at once. Replaced by a program that does nothing, a process ends though threads of it wait: execve(2) ends
 * every other thread. It runs no exit handlers, so they are run before.
 */
export function endNow(code: number, own: EndingProcess = process): void {
  if (isWaited(own) && own.execve !== undefined) {
    try {
      own.emit('exit', code);
      own.execve(own.execPath, [own.execPath, '-e', `process.exit(${code})`], {});
    } catch {
      // Then it ends as it can.
    }
  }
  own.exit(code);
}

/** A reader that goes away (`reeve … | head`) is no error of ours; a disk that is full is told. */
export function endOnOutput(
  error: NodeJS.ErrnoException,
  own: Pick<NodeJS.Process, 'exit' | 'stderr'> = process,
): void {
  if (error.code === 'EPIPE') return own.exit(0);
  const hint = 'Make room there or send the output to another disk, and run it again: what is there is not whole.';
  own.stderr.write(`reeve: standard output could not be written: ${error.message}\n  ${hint}\n`);
  own.exit(74);
}

const isWaited = (own: EndingProcess): boolean => own.getActiveResourcesInfo().some((kind) => IN_A_THREAD.test(kind));
