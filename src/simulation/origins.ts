/** The simulated sources of channels. */

interface Trouble {
  outUntilMs: number;
  refusesUntilMs: number;
  staleUntilMs: number;
}

const WELL: Trouble = { outUntilMs: 0, refusesUntilMs: 0, staleUntilMs: 0 };

/**
 * Where the channels of each group come from: out of reach for a while, or refusing whoever asks. Groups that read from
 * one origin share its trouble.
 */
export class Origins {
  readonly #nowMs: () => number;
  readonly #troubles = new Map<string, Trouble>();

  /** `groups`: each with the name of its origin. */
  constructor(groups: Iterable<readonly [group: string, origin: string]>, nowMs: () => number) {
    this.#nowMs = nowMs;
    const byOrigin = new Map<string, Trouble>();
    for (const [group, origin] of groups) {
      const trouble = byOrigin.get(origin) ?? { ...WELL };
      byOrigin.set(origin, trouble);
      this.#troubles.set(group, trouble);
    }
  }

  areShared(group: string, other: string): boolean {
    return this.#troubles.get(group) === this.#troubles.get(other);
  }

  /** Gives until when it is out of reach: a second outage does not end the first one early. */
  cutOff(group: string, forMs: number): number {
    const trouble = this.#troubles.get(group)!;
    trouble.outUntilMs = Math.max(trouble.outUntilMs, this.#nowMs() + forMs);
    return trouble.outUntilMs;
  }

  /** Gives until when it refuses the credentials. */
  refuse(group: string, forMs: number): number {
    const untilMs = this.#nowMs() + forMs;
    this.#troubles.get(group)!.refusesUntilMs = untilMs;
    return untilMs;
  }

  /** It refuses no client any more. */
  admit(group: string): void {
    this.#troubles.get(group)!.refusesUntilMs = 0;
  }

  /** Gives until when it refuses the addresses that the engine keeps: only new ones are good. */
  outdate(group: string, forMs: number): number {
    const untilMs = this.#nowMs() + forMs;
    this.#troubles.get(group)!.staleUntilMs = untilMs;
    return untilMs;
  }

  /** The engine asks for new addresses. */
  renew(group: string): void {
    this.#troubles.get(group)!.staleUntilMs = 0;
  }

  isOut(group: string): boolean {
    return this.#troubles.get(group)!.outUntilMs > this.#nowMs();
  }

  refusesCredentials(group: string): boolean {
    return this.#troubles.get(group)!.refusesUntilMs > this.#nowMs();
  }

  refusesAddresses(group: string): boolean {
    return this.#troubles.get(group)!.staleUntilMs > this.#nowMs();
  }

  refuses(group: string): boolean {
    return this.refusesCredentials(group) || this.refusesAddresses(group);
  }

  heal(): void {
    for (const trouble of this.#troubles.values()) Object.assign(trouble, WELL);
  }
}
