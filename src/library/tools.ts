/** What a program registers: actions that rules call, and tools that a model calls. */
import { z } from 'zod';
import { ReeveError } from '../core/errors.ts';
import { createTextIndex } from '../core/similarity.ts';
import type { SessionTool } from '../rulebook/explore/session.ts';

/** A tool for a model. Its declaration is made from the zod schema of its input. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly run: (input: never) => unknown;
}

/** Checks the types of a tool's schema against its function. */
export const defineTool = <Input extends z.ZodType>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly run: (input: z.output<Input>) => unknown;
}): Tool => tool as Tool;

/** A function that rules call by name. */
export interface Action {
  readonly name: string;
  readonly description: string;
  readonly run: (params: Readonly<Record<string, unknown>>) => unknown;
}

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,79}$/;
const ACTIONS_MAX = 2_000;

/** Actions by name. Registered once: a name that is taken is refused, because rules rely on what it means. */
export class Actions {
  readonly #byName = new Map<string, Action>();
  readonly #index = createTextIndex(ACTIONS_MAX);

  register(action: Action): void {
    if (!NAME.test(action.name)) throw new ReeveError('USAGE', `${action.name} is no name for an action`);
    if (this.#byName.has(action.name)) throw new ReeveError('USAGE', `there is an action ${action.name} already`);
    this.#byName.set(action.name, action);
    this.#index.add(action.name, `${action.name.replaceAll(/[_.-]/g, ' ')} ${action.description}`);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()].sort();
  }

  search(query: string) {
    return this.#index.query(query, 10).map(({ id }) => ({ name: id, description: this.#byName.get(id)?.description }));
  }

  async call(name: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const action = this.#byName.get(name);
    if (action === undefined) throw new ReeveError('USAGE', `there is no action ${name}`);
    return action.run(params);
  }
}

/** The tool as a session calls it: its input is checked before it runs. */
export const sessionTool = ({ name, description, input, run }: Tool): SessionTool<never> => ({
  ...{ name, description },
  input: z.toJSONSchema(input, { io: 'input' }) as Record<string, unknown>,
  run: async (args) => {
    const read = input.safeParse(args);
    if (!read.success)
      return { say: { problems: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) } };
    return { say: await run(read.data as never) };
  },
});
