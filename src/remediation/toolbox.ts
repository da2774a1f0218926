/** The tools' bodies, bound to one set of ports. */
import type { ActionContext } from '../core/engine.ts';
import type { EngineId, Scope } from '../core/scope.ts';
import type { ToolName } from '../core/tool.ts';
import { TOOLS } from './catalog.ts';
import type { ToolPorts } from './tool.ts';

export type { ToolPorts } from './tool.ts';

/** A tool that is ready to run: does one thing and says in one line what came of it. */
export type BoundTool = (target: Scope, context: ActionContext, engine?: EngineId) => Promise<string>;

/** All tools, each a few lines over an engine's own verbs. Which may run is for the guard to say, not for them. */
export function createToolbox(ports: ToolPorts): ReadonlyMap<ToolName, BoundTool> {
  return new Map(
    Object.values(TOOLS).map(({ spec, run }) => [
      spec.name,
      (target, context, engine) => run(ports, target, context, engine),
    ]),
  );
}
