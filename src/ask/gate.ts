/** The gate: no tool runs without what a person granted for this command. It is asked before the tool. */
import { messageOf } from '../core/errors.ts';
import {
  outputOf,
  PERMISSIONS,
  type Permission,
  presentable,
  type Tool,
  type ToolArgs,
  type ToolResult,
} from './tool.ts';

/** A tool asked for a permission that was not granted; it did not run. */
export class GateError extends Error {
  override readonly name = 'GateError';
  readonly tool: string;
  readonly missing: readonly string[];

  constructor(tool: string, missing: readonly string[]) {
    super(`${tool} needs ${missing.join(', ')}: give ${missing.map((each) => `--grant ${each}`).join(' ')}`);
    this.tool = tool;
    this.missing = missing;
  }
}

export interface GateOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
  /** Cuts secrets out of what a tool gives. */
  readonly redact: (text: string) => string;
}

/** Denies by default: a tool runs when all that it needs is allowed. */
export class Gate {
  readonly #allowed: ReadonlySet<string>;
  readonly #options: GateOptions;

  constructor(allowed: Iterable<string>, options: GateOptions) {
    this.#allowed = new Set(allowed);
    this.#options = options;
  }

  /** Allows everything: for tests. */
  static permissive(options: GateOptions): Gate {
    return new Gate(PERMISSIONS, options);
  }

  allows(permission: Permission): boolean {
    return this.#allowed.has(permission);
  }

  /** Throws GateError. */
  check({ name, requiredPermissions }: Tool): void {
    const missing = requiredPermissions.filter((each) => !this.#allowed.has(each));
    if (missing.length > 0) throw new GateError(name, missing);
  }

  /** Checks, then runs. What the tool throws becomes a result with the status `error`. */
  async run(tool: Tool, args: ToolArgs): Promise<ToolResult> {
    this.check(tool);
    const { monotonicMs, redact } = this.#options;
    const startMs = monotonicMs();
    const about = () => ({
      execution_time_ms: Math.round(monotonicMs() - startMs),
      checked_permissions: [...tool.requiredPermissions],
    });
    try {
      const evidence = presentable(await tool.run(args), redact);
      return { tool_name: tool.name, output: outputOf(evidence), status: 'ok', metadata: about(), evidence };
    } catch (thrown) {
      const error_message = redact(messageOf(thrown)).slice(0, 400);
      const metadata = { ...about(), error_message };
      return { tool_name: tool.name, output: '', status: 'error', metadata, evidence: [] };
    }
  }
}
