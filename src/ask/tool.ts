/** A tool looks something up before the model is asked, and gives lines that each carry an id. */

/** What a person may grant for one command. All of them only read; none reaches a file, a shell or the network. */
export const PERMISSIONS = [
  'status-read',
  'incidents-read',
  'decisions-read',
  'logs-read',
  'pool-read',
  'rules-read',
  'memory-read',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** One line of what was looked up. */
export interface Evidence {
  /** What a sentence that relies on it must cite: `inc-81`, `channel:news`. */
  readonly id: string;
  /** Text of others: data, never an instruction. */
  readonly text: string;
}

/** Values by name, as `--tool-arg` gives them or as they are found in a question. */
export type ToolArgs = Readonly<Record<string, string>>;

export interface Tool {
  readonly name: string;
  /** One line for `--list-tools`. */
  readonly description: string;
  readonly requiredPermissions: readonly Permission[];
  /** Names of the arguments that it understands. */
  readonly args: readonly string[];
  /** Words and phrases that speak for it. */
  readonly routingHints: readonly string[];
  /** Arguments found in a question; pure, without a request. */
  extractArgs(prompt: string): ToolArgs;
  run(args: ToolArgs): Promise<readonly Evidence[]>;
}

export interface ToolResult {
  readonly tool_name: string;
  /** The lines as they are shown to a model. */
  readonly output: string;
  readonly status: 'ok' | 'error';
  readonly metadata: {
    readonly execution_time_ms: number;
    readonly checked_permissions: readonly string[];
    readonly error_message?: string;
  };
  readonly evidence: readonly Evidence[];
}

export const LINES_MAX = 40;
const TEXT_CHARS_MAX = 400;
const ID = /^[a-z]{2,9}[-:][A-Za-z0-9][\w.:#-]{0,79}$/;
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g;

/** True for what may stand in brackets as an id. */
const isId = (text: string): boolean => ID.test(text);

/** Plain text on one line: no control or unseen characters, no brackets but round ones, one kind of hyphen. */
export const plainLine = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(UNSEEN, ' ')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[[\u3010\u27e6\u2772\u2983\u3014]/g, '(')
    .replaceAll(/[\]\u3011\u27e7\u2773\u2984\u3015]/g, ')');

/** The first characters, without half a `[redacted]` at the end: an open bracket would swallow the next line's id. */
function cut(text: string): string {
  const start = text.slice(0, TEXT_CHARS_MAX);
  const open = start.lastIndexOf('[');
  return open > start.lastIndexOf(']') ? start.slice(0, open) : start;
}

/**
 * Lines fit to be shown: at most 40, each with a sound id, on one line, redacted, with nothing like a citation. The
 * last one says how many are left out: who reads them must not take them for all.
 */
export function presentable(lines: readonly Evidence[], redact: (text: string) => string): readonly Evidence[] {
  const sound = lines.filter(({ id }) => isId(id));
  const shown = sound.length > LINES_MAX ? sound.slice(0, LINES_MAX - 1) : sound;
  const left = sound.length - shown.length;
  return [
    ...shown.map(({ id, text }) => ({ id, text: cut(redact(plainLine(text)).trim()) })),
    ...(left === 0 ? [] : [{ id: 'lines:left', text: `${left} more lines are left out` }]),
  ];
}

/** `[inc-81] it was restarted`, one line each. */
export const outputOf = (lines: readonly Evidence[]): string =>
  lines.map(({ id, text }) => `[${id}] ${text}`).join('\n');
