/** Fields of policy test files. */
import { parseDuration } from '../core/document/duration.ts';
import { checked, type Meaning } from '../config/validate.ts';
import { parseScope, type Scope } from '../core/scope.ts';
import { TOOL_ALIASES, TOOL_NAMES, type ToolName, toolNamed } from '../core/tool.ts';

/** A time before now: `20s ago`, or `0s ago` for this very moment. */
export const agoField = (description: string) =>
  checked(
    (input): Meaning<number> => {
      const [, text] = typeof input === 'string' ? (/^(\S+) ago$/.exec(input.trim()) ?? []) : [];
      if (text === undefined) return { no: `expected a time such as 20s ago`, hint: 'write a duration and then ago' };
      return span(text);
    },
    { type: 'string', pattern: '^[0-9]+(ms|s|m|h|d) ago$', examples: ['20s ago', '29999ms ago'], description },
  );

/** A stretch of time that may be none: `0s` is allowed. */
export const spanField = (description: string) =>
  checked((input): Meaning<number> => span(input), {
    type: 'string',
    pattern: '^[0-9]+(ms|s|m|h|d)$',
    examples: ['60s', '0s'],
    description,
  });

const span = (input: unknown): Meaning<number> =>
  typeof input === 'string' && /^0+(ms|s|m|h|d)$/.test(input) ? { ok: 0 } : parseDuration(input);

/** `channel:news` (or `news`), `group:pull`, `engine:local`, `fleet`. */
export const scopeField = (description: string) =>
  checked(
    (input): Meaning<Scope> => {
      const scope = typeof input === 'string' ? parseScope(input) : undefined;
      if (scope !== undefined) return { ok: scope };
      return { no: 'expected a scope', hint: 'write channel:NAME, group:NAME, engine:NAME or fleet' };
    },
    { type: 'string', examples: ['channel:news', 'group:encoders', 'fleet'], description },
  );

/** A tool by its name or alias. */
export const toolField = (description: string) =>
  checked(
    (input): Meaning<ToolName> => {
      const tool = typeof input === 'string' ? toolNamed(input) : undefined;
      if (tool !== undefined) return { ok: tool };
      return { no: 'expected the name of a tool', hint: `the tools are ${TOOL_NAMES.join(', ')}` };
    },
    { enum: [...TOOL_NAMES, ...Object.keys(TOOL_ALIASES)], description },
  );
