/** Holds a log source back while a file system that it lies on owes an answer. */
import { SECOND_MS } from '../../core/duration.ts';
import type { PathCheck } from '../mounts/mount_checks.ts';

/** Slower than any file server that works. */
const SILENT_MS = 5 * SECOND_MS;

export interface MountWaitPorts {
  /** An answer came: reading may go on. */
  wake(): void;
  /** No answer for long. */
  silent(because: string): void;
  /** The first answer after that. */
  back(): void;
}

/** Asks before each read, and says once when the answer stays away. */
export class MountWait {
  readonly #check: PathCheck;
  readonly #ports: MountWaitPorts;
  readonly #wake: () => void;
  #isSilent = false;

  constructor(check: PathCheck, ports: MountWaitPorts) {
    this.#check = check;
    this.#ports = ports;
    this.#wake = () => ports.wake();
  }

  /** A call that blocks may be made now, or not: nothing is asked. */
  get isClear(): boolean {
    return this.#check.isClear();
  }

  /** As `isClear`; where it is not, it asks, and `wake` comes with the answer. */
  mayRead(): boolean {
    if (this.#check.isClear()) {
      if (this.#isSilent) this.#ports.back();
      this.#isSilent = false;
      return true;
    }
    this.#check.ask(this.#wake);
    const silent = this.#check.silent();
    if (!this.#isSilent && silent !== undefined && silent.ms >= SILENT_MS) {
      this.#isSilent = true;
      this.#ports.silent(`the file system at ${silent.point} does not answer`);
    }
    return false;
  }
}
