/** Reeve as a library: the rulebook for programs of your own (docs/rulebook.md). */

export { type Captured, captured } from './library/capture.ts';
export type { LibraryFact as Fact, LibraryRuleDocument as RuleDocument } from './library/document.ts';
export type { MarkOptions } from './library/mark.ts';
export type { Context } from './library/match.ts';
export { createReeve, type Reeve, type ReeveOptions } from './library/reeve.ts';
export type { ResolveOptions } from './library/resolver.ts';
export type { RoundsOptions, RoundsReport, Scout } from './library/rounds.ts';
export { Rule, type RuleAction as Action } from './library/rule.ts';
export type { Synced } from './library/rule_set.ts';
export type { LibraryStats } from './library/tally.ts';
export { defineTool, type Tool } from './library/tools.ts';
export { modelNamed } from './library/models.ts';
export type { Model, ModelAnswer, ModelMessage, ModelReply, ModelRequest } from './core/model.ts';
export { Ask, type AskOptions, type TurnAnswer, type TurnOptions } from './ask/engine.ts';
export { Gate, GateError, type GateOptions } from './ask/gate.ts';
export {
  type AnswerMetadata,
  type Message,
  newSession,
  type Response,
  type Session,
  type Stamp,
} from './ask/message.ts';
export { ModelReasoner, type ModelReasonerOptions, Reasoner } from './ask/reasoner.ts';
export {
  DEFAULT_CONFIDENCE_THRESHOLD,
  type Router,
  type RoutingDecision,
  type RoutingTarget,
  RuleRouter,
  targetsOf,
} from './ask/router.ts';
export { FileSessionStore, type SessionStore } from './ask/sessions.ts';
export {
  type Evidence,
  PERMISSIONS,
  type Permission,
  type Tool as AskTool,
  type ToolArgs,
  type ToolResult,
} from './ask/tool.ts';
export { type ToolDeps, toolsOver } from './ask/tools.ts';
