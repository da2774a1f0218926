/** One turn from the question to what is shown: route, gate, tool, one answer. */
import { type Ask, dataOf, knownIn } from './engine.ts';
import type { Gate } from './gate.ts';
import { grounded } from './grounding.ts';
import { messageOf, type Response, type Session, type Stamp } from './message.ts';
import type { Proposed } from './proposal.ts';
import { RuleRouter, type RoutingDecision, targetsOf } from './router.ts';
import { outputOf, type Tool, type ToolArgs, type ToolResult } from './tool.ts';
import { ReeveError } from '../core/errors.ts';
import { toWire } from '../core/wire.ts';

/** What whoever asks wants to have looked up. */
export interface TurnFlags {
  readonly tool: string | undefined;
  readonly toolArgs: Readonly<Record<string, string>>;
  /** Undefined: nothing is routed. 0 to 1. */
  readonly routeThreshold: number | undefined;
  readonly verbose: boolean;
}

/** What was made of one question. */
export interface TurnResult {
  readonly response: Response;
  readonly cites: readonly string[];
  readonly uncited: number;
  readonly routing: RoutingDecision | undefined;
  readonly toolResults: readonly ToolResult[];
  /** What came of it where an action was asked for. */
  readonly proposal: Proposed | undefined;
}

/** A question that the daemon has recorded. */
export interface Recording {
  readonly recalled: readonly { readonly id: string; readonly text: string }[];
  end(answer: { text: string; cites: readonly string[]; model: string | undefined; ok: boolean }): Promise<void>;
}

export interface TurnDeps {
  readonly flags: TurnFlags;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly gate: Gate;
  /** Undefined: there is no model, and answers are made from data alone. */
  readonly ask: Ask | undefined;
  readonly stamp: Stamp;
  readonly redact: (text: string) => string;
  /** Undefined where the question asks for no action. */
  readonly propose: (prompt: string) => Promise<Proposed | undefined>;
  readonly begin: (prompt: string, session: Session | undefined) => Promise<Recording | undefined>;
  /** Ids of earlier answers that still exist. */
  readonly stillKnown: (session: Session) => Promise<readonly string[]>;
  /** Of the session, what is sent. */
  readonly newestOf: (session: Session, incoming: readonly string[]) => Session['messages'];
  /** For people, while it goes on. */
  readonly note: (text: string) => void;
}

export class Turns {
  readonly #deps: TurnDeps;
  readonly #router: RuleRouter | undefined;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
    const { routeThreshold } = deps.flags;
    this.#router = routeThreshold === undefined ? undefined : new RuleRouter(routeThreshold, deps.stamp);
  }

  /** Throws GateError for a tool that was not granted, and what the model's adapter throws. */
  async take(prompt: string, session: Session | undefined, onChunk?: (text: string) => void): Promise<TurnResult> {
    const { propose } = this.#deps;
    const proposal = await propose(prompt);
    if (proposal !== undefined) {
      const result = this.#without(prompt, session, proposal);
      onChunk?.(proposal.text);
      return { ...result, routing: undefined, toolResults: [], proposal };
    }
    const { routing, call } = this.#route(prompt);
    // The gate is asked before anything is looked up or recorded.
    if (call !== undefined) this.#deps.gate.check(call.tool);
    const recording = await this.#deps.begin(prompt, session);
    const results = call === undefined ? [] : [await this.#deps.gate.run(call.tool, call.args)];
    const recalled = this.#deps.gate.allows('memory-read') ? recalledIn(recording) : [];
    const toolResults = [...results, ...recalled];
    try {
      const answer = await this.#answer(prompt, session, { results, toolResults, onChunk });
      const { response, cites } = answer;
      const model = this.#deps.ask === undefined ? undefined : response.model_id;
      await recording?.end({ text: response.content, cites, model, ok: true });
      return { ...answer, routing, toolResults, proposal: undefined };
    } catch (thrown) {
      await recording?.end({ text: '', cites: [], model: undefined, ok: false });
      throw thrown;
    }
  }

  #route(prompt: string): { readonly routing: RoutingDecision | undefined; readonly call: Call | undefined } {
    const { flags, tools, note } = this.#deps;
    if (flags.tool !== undefined) {
      const args = {
        ...flags.toolArgs,
        ...(flags.tool === 'memory' && !flags.toolArgs.question && { question: prompt }),
      };
      return { routing: undefined, call: { tool: toolNamed(tools, flags.tool, flags.toolArgs), args } };
    }
    if (this.#router === undefined) return { routing: undefined, call: undefined };
    const routing = this.#router.route(prompt, targetsOf([...tools.values()]));
    note(routingText(routing, flags.verbose));
    const tool = routing.target === undefined ? undefined : tools.get(routing.target);
    return { routing, call: tool === undefined ? undefined : { tool, args: routing.args } };
  }

  async #answer(prompt: string, session: Session | undefined, { results, toolResults, onChunk }: Answering) {
    const { ask, newestOf, stillKnown } = this.#deps;
    // What is recalled helps a model; as an answer by itself it would only be noise.
    if (ask === undefined) return this.#fromData(prompt, session, { results, toolResults: results, onChunk });
    const known = session === undefined ? [] : await stillKnown(session);
    const history = session && newestOf(session, [...toolResults.map(dataOf), prompt]);
    return ask.execute(prompt, { session, history, toolResults, known, onChunk });
  }

  /** The lines that were looked up are the answer: each of them carries its id. */
  #fromData(prompt: string, session: Session | undefined, { toolResults, onChunk }: Answering) {
    const failed = toolResults.find(({ status }) => status === 'error');
    if (failed !== undefined) throw new ReeveError('USAGE', `${failed.tool_name}: ${failed.metadata.error_message}`);
    const lines = toolResults.flatMap(({ evidence }) => evidence);
    if (toolResults.length === 0)
      throw new ReeveError('MODEL_UNREACHABLE', 'there is no model to ask, and nothing was looked up', {
        hint: 'Let it look: --route --grant read. Or name a model: --backend ollama (reeve ask --list-models).',
      });
    const text = lines.length === 0 ? `${toolResults[0]?.tool_name}: there is nothing.` : outputOf(lines);
    const { cites } = grounded(text, { known: knownIn({ toolResults }), redact: this.#deps.redact });
    onChunk?.(text);
    return this.#without(prompt, session, { text, cites });
  }

  /** An answer that no model was asked for. */
  #without(prompt: string, session: Session | undefined, { text, cites }: Pick<Proposed, 'text' | 'cites'>) {
    const { stamp, redact } = this.#deps;
    const user = messageOf(stamp, 'user', redact(prompt));
    const assistant = messageOf(stamp, 'assistant', text);
    session?.messages.push(user, assistant);
    const response = {
      content: text,
      model_id: 'none',
      id: assistant.id,
      timestamp: assistant.timestamp,
      metadata: {},
    };
    return { response, cites, uncited: 0 };
  }
}

interface Call {
  readonly tool: Tool;
  readonly args: ToolArgs;
}

interface Answering {
  /** Of the tool alone. */
  readonly results: readonly ToolResult[];
  readonly toolResults: readonly ToolResult[];
  readonly onChunk: ((text: string) => void) | undefined;
}

/** Throws USAGE for a tool that there is not, or an argument that it does not take. */
export function toolNamed(tools: ReadonlyMap<string, Tool>, name: string, args: ToolArgs): Tool {
  const tool = tools.get(name);
  if (tool === undefined)
    throw new ReeveError('USAGE', `there is no tool ${JSON.stringify(name)}`, { hint: 'reeve ask --list-tools' });
  const stray = Object.keys(args).find((key) => !tool.args.includes(key));
  if (stray === undefined) return tool;
  const hint = tool.args.length === 0 ? 'it takes none' : `it takes ${tool.args.join(', ')}`;
  throw new ReeveError('USAGE', `${name} has no argument ${stray}`, { hint });
}

/** A turn as one document for programs, in wire form. */
export const answerDocument = (result: TurnResult): object => {
  const { response, cites, uncited, routing, toolResults, proposal } = result;
  return {
    ...response,
    ...{ cites, uncited },
    tool_results: toolResults.map(({ tool_name, status, metadata }) => ({ tool_name, status, metadata })),
    ...(routing !== undefined && { routing: { ...routing, target: routing.target ?? null } }),
    ...(proposal !== undefined && { proposal: toWire({ ok: proposal.ok, text: proposal.text }) }),
  };
};

/** What the memory recalls is shown as a tool's result is: for this turn alone. */
function recalledIn(recording: Recording | undefined): readonly ToolResult[] {
  const evidence = recording?.recalled ?? [];
  if (evidence.length === 0) return [];
  const metadata = { execution_time_ms: 0, checked_permissions: ['memory-read'] };
  return [{ tool_name: 'recall', output: outputOf(evidence), status: 'ok', metadata, evidence }];
}

/** For people, on stderr. */
function routingText(decision: RoutingDecision, verbose: boolean): string {
  const { target, confidence, reasoning, args, id, target_type } = decision;
  const reply =
    target === undefined
      ? `[Routing]: fallback, nothing is looked up (${reasoning})`
      : `[Routing]: ${target} (${confidence}, ${reasoning})`;
  return verbose ? `${reply} ${JSON.stringify({ target_type, confidence, args, id })}` : reply;
}
