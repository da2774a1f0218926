/** How a command that asks the daemon for a change ends. */

export interface Answered {
  readonly ok: boolean;
  /** What kind of no it is, in one word. */
  readonly code?: string | undefined;
}

const UNKNOWN: ReadonlySet<string> = new Set(['target_unknown', 'approval_unknown']);

/** 0, or 1 where the answer is no; 64 where there is nothing of the name, as of the commands that only read. */
export function exitOf({ ok, code }: Answered): number {
  if (ok) return 0;
  return code !== undefined && UNKNOWN.has(code) ? 64 : 1;
}
