/** Reeve as a library: the rulebook for programs of your own (docs/library.md). */
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
