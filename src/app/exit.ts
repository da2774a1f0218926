/** Ends the process, whatever its threads wait for. */

/** What of a process it takes to end it. */
export type EndingProcess = Pick<NodeJS.Process, 'getActiveResourcesInfo' | 'execPath' | 'execve' | 'exit'>;

/** Questions to file systems and for addresses, which wait in threads. */
const IN_A_THREAD = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/**
 * Ends with the code. libuv waits for its threads as a process exits, and one that waits for a dead file server keeps
 * it for ever: no supervisor would see that it has ended. Replaced by a program that does nothing, it ends at once:
 * execve(2) ends every other thread.
 */
export function endProcess(code: number, own: EndingProcess = process): never {
  const waits = own.getActiveResourcesInfo().some((kind) => IN_A_THREAD.test(kind));
  if (waits && own.execve !== undefined) {
    try {
      own.execve(own.execPath, [own.execPath, '-e', `process.exit(${code})`], {});
    } catch {
      // Then it ends as it can.
    }
  }
  return own.exit(code);
}
