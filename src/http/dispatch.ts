/** Carries out what people command over HTTP. */
import {
  addWindow,
  answerApproval,
  endLease,
  endWindow,
  freeze,
  type Known,
  lease,
  releaseHeld,
  reset,
  setPhase,
  thaw,
  type CommandResult,
  no,
} from '../control/commands.ts';
import { addToken, revokeToken } from '../control/tokens.ts';
import type { Change } from '../config/reload.ts';
import { ACTING_PHASE } from '../core/control.ts';
import type { Clock } from '../core/clock.ts';
import type { CommandAnswer } from '../core/command_answer.ts';
import type { Ids } from '../core/id.ts';
import type { Append, PatternState, Read } from '../core/journal.ts';
import type { RuleState } from '../core/rule.ts';
import { parseScope, type Scope } from '../core/scope.ts';
import type { Dispatcher } from '../escalate/dispatcher.ts';
import { acknowledge } from '../escalate/escalator.ts';
import type { Outbox, Page } from '../escalate/outbox.ts';
import type { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { propose } from '../incident/runs/proposal.ts';
import type { Dialogue, Ended, Evicted } from '../memory/dialogue.ts';
import type { Learning } from '../rulebook/learning.ts';
import type { Teaching, TeachOrder } from '../rulebook/patterns/teaching.ts';
import type { Access } from './auth/access.ts';
import { newToken, sha256Of } from './auth/grants.ts';
import { butStill, refusedAllTheSame } from './but_still.ts';
import type { Command, CommandName } from './daemon.ts';
import { meantScope } from './unknown.ts';

export interface CommandDeps {
  readonly pipeline: Pick<
    DecisionPipeline,
    | 'control'
    | 'guard'
    | 'guardState'
    | 'onCommand'
    | 'incidents'
    | 'preview'
    | 'snapshots'
    | 'channelIndex'
    | 'factStore'
  >;
  /** What is configured: a command about anything else is refused. */
  readonly known: Known;
  readonly append: Append;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly outbox: Read<Outbox>;
  readonly dispatcher: Pick<Dispatcher, 'deliverTest' | 'status' | 'acknowledgeUnjournaled' | 'pages'>;
  readonly reload: () => Change;
  readonly learning: Pick<Learning, 'setState'>;
  readonly settings: () => Settings;
  readonly access: Pick<Access, 'state' | 'taken'>;
  readonly teaching: Pick<Teaching, 'teach' | 'setState'>;
  readonly dialogue: Dialogue;
  /** Undefined while the memory is off. */
  readonly reflect?: (() => Promise<CommandAnswer>) | undefined;
}

/** So many pages are named in an answer. */
const NAMED_MAX = 5;

/** Carries out what people ask for. Each command is checked, recorded with who and why, and takes effect at once. */
export const createCommands =
  (deps: CommandDeps) =>
  async (command: Command): Promise<CommandAnswer> =>
    CARRIED_OUT[command.name](command, deps);

type CarryOut = (command: Command, deps: CommandDeps) => CommandAnswer | Promise<CommandAnswer>;
type Build = (command: Command, deps: CommandDeps) => CommandResult;

/** A person's command: its facts are appended whole, and waiting runs are looked at again. */
const written =
  (build: Build): CarryOut =>
  (command, deps) => {
    const result = build(command, deps);
    if (!result.ok) {
      const { code, because } = result;
      return { ok: false, code, because, ...meantBy(command, code, deps) };
    }
    const refused = refusedAllTheSame(command, deps.pipeline);
    deps.append(result.drafts);
    deps.pipeline.onCommand();
    return { ok: true, said: (result.message ?? `done: ${command.name}`) + refused + butStill(command, deps.pipeline) };
  };

/** A name that was mistyped at night: the one that was probably meant. */
function meantBy({ fields }: Command, code: string, { known }: CommandDeps): { readonly hint?: string } {
  const { scope, group } = fields;
  const typed = typeof scope === 'string' ? scope : typeof group === 'string' ? `group:${group}` : undefined;
  const meant = code === 'target_unknown' && typed !== undefined ? meantScope(typed, known) : undefined;
  return meant === undefined ? {} : { hint: `did you mean ${meant}?` };
}

/** The same about a scope, which must be one. */
const onScope = (build: (scope: Scope, command: Command, deps: CommandDeps) => CommandResult): CarryOut =>
  written((command, deps) => {
    const scope = parseScope(text(command, 'scope'));
    if (scope !== undefined) return build(scope, command, deps);
    const because = `a scope is a channel, group:NAME, engine:NAME or fleet; got ${text(command, 'scope')}`;
    return { ok: false, code: 'target_unknown', because };
  });

/** Every command of the API: a name without its row does not compile. */
const CARRIED_OUT: Readonly<Record<CommandName, CarryOut>> = {
  freeze: written((command, { pipeline }) => freeze(pipeline.control(), command)),
  thaw: written((command, { pipeline }) => thaw(pipeline.control(), command)),
  lease: onScope((scope, command, { known }) => lease(known, { scope, forMs: number(command, 'for_ms') }, command)),
  unlease: onScope((scope, command, { pipeline }) => endLease(pipeline.control(), scope, command)),
  reset: onScope((scope, command, { known }) => reset(known, scope, command)),
  release: onScope((scope, command, { known, pipeline }) => {
    const held = Object.values(pipeline.guardState().containments);
    const isJournalBroken = pipeline.guard.journalError !== undefined;
    return releaseHeld({ known, held, isJournalBroken }, scope, command);
  }),
  phase: written((command, { known, dispatcher }) => {
    const { group } = command.fields;
    const order = { phase: number(command, 'phase'), group: typeof group === 'string' ? group : undefined };
    const isUnheard = order.phase >= ACTING_PHASE && dispatcher.status().length === 0;
    return isUnheard ? no('phase_invalid', unheard(order.phase)) : setPhase(known, order, command);
  }),
  approve: written((command, { pipeline, clock }) => {
    const order = { id: text(command, 'id'), yes: command.fields.yes === true, nowMs: clock.monotonicMs() };
    return answerApproval(pipeline.control(), order, command);
  }),
  window_add: onScope((scope, command, { ids, known }) => {
    const times = { startsInMs: number(command, 'starts_in_ms'), forMs: number(command, 'for_ms') };
    const rolling = command.fields.rolling === true;
    return addWindow(known, { id: ids.next('win'), scope, ...times, rolling }, command);
  }),
  window_end: written((command, { pipeline }) => endWindow(pipeline.control(), text(command, 'id'), command)),
  rule_state: written((command, { learning, settings }) => learning.setState(ruleMoveOf(command), settings().rulebook)),
  token_add: tokenAdded,
  token_revoke: written((command, { access }) => revokeToken(access.state(), text(command, 'name'), command)),
  teach: (command, { teaching }) => teaching.teach(teachOrderOf(command)),
  pattern_state: (command, { teaching }) => teaching.setState(patternStateOf(command)),
  reload: (_, { reload }) => reloaded(reload()),
  page_test: (_, { dispatcher }) => testPage(dispatcher),
  ack: acked,
  reflect: (_, { reflect }) => reflect?.() ?? MEMORY_OFF,
  propose: (command, deps) => propose(proposalOf(command), deps),
  ask_begin: (command, { dialogue }) => dialogue.begin(beganOf(command)),
  ask_end: ended,
};

/** As the configuration is refused where its own phase says so. */
const unheard = (phase: number): string =>
  `phase ${phase} changes things, and no receiver could call a person; add one under receivers: and start Reeve anew`;

/** The route has checked the types of all fields. */
function teachOrderOf({ who, fields }: Command): TeachOrder {
  const { incident, symptom, lines, write } = fields as unknown as Omit<TeachOrder, 'who'>;
  return { incident, symptom, lines, write, who };
}

const proposalOf = (command: Command) => ({
  ...{ channel: text(command, 'channel'), tool: text(command, 'tool'), who: command.who },
});

const beganOf = (command: Command) => ({
  ...{ question: text(command, 'question'), session: sessionOf(command), who: command.who },
});

const sessionOf = (command: Command): string | undefined => text(command, 'session') || undefined;

/** The route has checked the types of all fields. */
function ended(command: Command, { dialogue }: CommandDeps): CommandAnswer {
  const { evicted, turn, text: answer, cites, ok, model } = command.fields as unknown as Ended & { evicted: Evicted[] };
  return dialogue.end({ turn, text: answer, cites, ok, model }, evicted, sessionOf(command));
}

/** The route has checked the types of all fields. */
function ruleMoveOf({ who, because, fields }: Command) {
  const { rule, to } = fields as { readonly rule: string; readonly to: RuleState };
  return { rule, to, who, because };
}

function patternStateOf({ who, because, fields }: Command) {
  const { pattern, to } = fields as { readonly pattern: string; readonly to: PatternState };
  return { id: pattern, to, who, because };
}
const MEMORY_OFF: CommandAnswer = {
  ok: false,
  because: 'the memory of this daemon is off',
  hint: 'set memory: { enabled: true } in the configuration and start it again',
};

const text = ({ fields }: Command, name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
const number = ({ fields }: Command, name: string): number =>
  typeof fields[name] === 'number' ? fields[name] : Number.NaN;

function reloaded(change: Change): CommandAnswer {
  if (!change.ok) {
    const [first] = change.problems;
    const where = first === undefined ? '' : `${first.file}:${first.line}:${first.column}: ${first.message}`;
    const because = `${change.problems.length} problems; the last good set stays. First: ${where}`;
    return { ok: false, because, hint: 'reeve check lists them all' };
  }
  const rest = change.needsRestart.length === 0 ? '' : `; at the next start: ${change.needsRestart.join(', ')}`;
  return { ok: true, said: `applied: ${change.applied.join(', ') || 'nothing changed'}${rest}` };
}

async function testPage(dispatcher: CommandDeps['dispatcher']): Promise<CommandAnswer> {
  const deliveries = await dispatcher.deliverTest();
  const failed = deliveries.filter(({ ok }) => !ok);
  const took = deliveries.filter(({ ok }) => ok).map(({ receiver, tookMs }) => `${receiver} took it in ${tookMs} ms`);
  if (deliveries.length === 0) {
    return {
      ok: false,
      because: 'no receiver is configured: no person would be notified',
      hint: 'add one under receivers:',
    };
  }
  if (failed.length === 0) return { ok: true, said: took.join('; '), more: { deliveries } };
  const refused = failed.map(({ receiver, error }) => `${receiver} did not take it: ${error}`);
  return { ok: false, because: [...refused, ...took].join('; '), more: { deliveries } };
}

function acked(command: Command, { outbox, append, dispatcher }: CommandDeps): CommandAnswer {
  const key = text(command, 'key');
  const drafts = acknowledge(outbox(), key, command.who);
  if (drafts.length > 0) append(drafts);
  else if (!dispatcher.acknowledgeUnjournaled(key, command.who)) return noSuchPage(key, dispatcher.pages());
  return { ok: true, said: 'acknowledged: it is not repeated' };
}

function noSuchPage(key: string, pages: readonly Page[]): CommandAnswer {
  const open = pages.filter(({ resolved }) => resolved === undefined);
  const taken = open.find((page) => page.key === key)?.acked;
  if (taken !== undefined) {
    return { ok: false, code: 'nothing_to_do', because: `${taken.who} has acknowledged it already` };
  }
  const waiting = open.filter(({ acked: by }) => by === undefined);
  const keys = waiting.slice(0, NAMED_MAX).map((page) => page.key);
  const rest = waiting.length > NAMED_MAX ? ` and ${waiting.length - NAMED_MAX} more` : '';
  const which = keys.length === 0 ? 'none waits for that' : `these wait for that: ${keys.join(', ')}${rest}`;
  return { ok: false, code: 'target_unknown', because: `no page with this key is open and unacknowledged; ${which}` };
}

/** The token is in the answer and nowhere else: what is kept is its hash. */
function tokenAdded(command: Command, { access, append, clock }: CommandDeps): CommandAnswer {
  const token = newToken();
  const { scopes } = command.fields;
  const order = {
    name: text(command, 'name'),
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    forMs: number(command, 'for_ms'),
    sha256: sha256Of(token),
  };
  const result = addToken(access.state(), order, command, { clock, taken: access.taken });
  if (!result.ok) return result;
  append(result.drafts);
  const expiresAt = new Date(clock.now() + order.forMs).toISOString();
  return { ok: true, said: `added ${order.name}`, more: { name: order.name, token, expiresAt } };
}
