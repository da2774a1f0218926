/** Carries out what people command over HTTP. */
import type { Access } from './access.ts';
import type { Dialogue, Ended, Evicted } from './dialogue.ts';
import { propose } from './proposals.ts';
import type { TeachOrder, Teaching } from './teaching.ts';
import type { Collectors } from './collectors.ts';
import type { Learning } from './learning.ts';
import type { Change } from '../config/reload.ts';
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/id.ts';
import type { Append, PatternState, Read } from '../core/journal.ts';
import { parseScope, type Scope } from '../core/scope.ts';
import {
  addWindow,
  answerApproval,
  type Command as Word,
  endLease,
  endWindow,
  freeze,
  type Known,
  lease,
  release,
  reset,
  setPhase,
  thaw,
} from '../control/commands.ts';
import { addToken, revokeToken } from '../control/tokens.ts';
import type { Dispatcher } from '../escalate/dispatcher.ts';
import { acknowledge } from '../escalate/escalator.ts';
import type { Outbox } from '../escalate/outbox.ts';
import { newToken, sha256Of } from '../http/auth/grants.ts';
import type { Command, CommandAnswer, CommandName } from '../http/daemon.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import type { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';

export interface CommandDeps {
  readonly pipeline: DecisionPipeline;
  readonly append: Append;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly outbox: Read<Outbox>;
  readonly dispatcher: Dispatcher;
  readonly reload: () => Change;
  readonly learning: Pick<Learning, 'setState'>;
  readonly settings: () => Settings;
  readonly collectors: Pick<Collectors, 'channelSetups' | 'engineSetups'>;
  readonly access: Pick<Access, 'state' | 'taken'>;
  readonly teaching: Teaching;
  readonly dialogue: Dialogue;
  /** Undefined while the memory is off. */
  readonly reflect?: (() => Promise<CommandAnswer>) | undefined;
}

/** Carries out what people ask for. Each word is checked, written down with who and why, and takes effect at once. */
export function createCommands(deps: CommandDeps): (command: Command) => Promise<CommandAnswer> {
  const known: Known = {
    channels: new Set(deps.collectors.channelSetups.map(({ id }) => id)),
    groups: new Set(deps.collectors.channelSetups.map(({ group }) => group)),
    engines: new Set(deps.collectors.engineSetups.map(({ id }) => id)),
  };
  return async (command) => {
    if (command.name === 'reload') return reloaded(deps.reload());
    if (command.name === 'page_test') return testPage(deps.dispatcher);
    if (command.name === 'reflect') return deps.reflect === undefined ? MEMORY_OFF : deps.reflect();
    if (command.name === 'propose') return propose(proposalOf(command), deps);
    if (command.name === 'ask_begin') return deps.dialogue.begin(beganOf(command));
    if (command.name === 'ask_end') return ended(command, deps.dialogue);
    if (command.name === 'ack') return acked(command, deps);
    if (command.name === 'teach') return deps.teaching.teach(teachOrderOf(command));
    if (command.name === 'pattern_state') return deps.teaching.setState(patternStateOf(command));
    if (command.name === 'token_add') return tokenAdded(command, deps);
    const build = WORDS[command.name];
    if (build === undefined) return { ok: false, because: `${command.name} is not a command of the daemon` };
    const word = build(command, deps, known);
    if (!word.ok) return { ok: false, because: word.because };
    deps.append(word.drafts);
    deps.pipeline.heed();
    return { ok: true, said: word.said ?? `done: ${command.name}` };
  };
}

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
function ended(command: Command, dialogue: Dialogue): CommandAnswer {
  const { evicted, turn, text: said, cites, ok, model } = command.fields as unknown as Ended & { evicted: Evicted[] };
  return dialogue.end({ turn, text: said, cites, ok, model }, evicted, sessionOf(command));
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

type Build = (command: Command, deps: CommandDeps, known: Known) => Word;

const WORDS: Partial<Record<CommandName, Build>> = {
  freeze: (command, { pipeline }) => freeze(pipeline.control(), command),
  thaw: (command, { pipeline }) => thaw(pipeline.control(), command),
  lease: onScope((scope, command, _, known) => lease(known, { scope, forMs: number(command, 'for_ms') }, command)),
  unlease: onScope((scope, command, { pipeline }) => endLease(pipeline.control(), scope, command)),
  reset: onScope((scope, command, _, known) => reset(known, scope, command)),
  release: onScope((scope, command, _, known) => release(known, scope, command)),
  phase: (command, _, known) => {
    const { group } = command.fields;
    const order = { phase: number(command, 'phase'), group: typeof group === 'string' ? group : undefined };
    return setPhase(known, order, command);
  },
  approve: (command, { pipeline, clock }) => {
    const order = { id: text(command, 'id'), yes: command.fields.yes === true, nowMs: clock.monotonicMs() };
    return answerApproval(pipeline.control(), order, command);
  },
  window_add: onScope((scope, command, { ids }, known) => {
    const times = { startsInMs: number(command, 'starts_in_ms'), forMs: number(command, 'for_ms') };
    return addWindow(known, { id: ids.next('win'), scope, ...times }, command);
  }),
  token_revoke: (command, { access }) => revokeToken(access.state(), text(command, 'name'), command),
  rule_state: (command, { learning, settings }) => learning.setState(command, settings().rulebook.rules),
  window_end: (command, { pipeline }) => endWindow(pipeline.control(), text(command, 'id'), command),
};

function onScope(build: (scope: Scope, ...rest: Parameters<Build>) => Word): Build {
  return (command, deps, known) => {
    const scope = parseScope(text(command, 'scope'));
    if (scope !== undefined) return build(scope, command, deps, known);
    const because = `a scope is a channel, group:NAME, engine:NAME or fleet; got ${text(command, 'scope')}`;
    return { ok: false, code: 'target_unknown', because };
  };
}

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

async function testPage(dispatcher: Dispatcher): Promise<CommandAnswer> {
  const deliveries = await dispatcher.deliverTest();
  const failed = deliveries.filter(({ ok }) => !ok);
  const took = deliveries.filter(({ ok }) => ok).map(({ receiver, tookMs }) => `${receiver} took it in ${tookMs} ms`);
  if (deliveries.length === 0) {
    return { ok: false, because: 'no receiver is configured: nobody would be told', hint: 'add one under receivers:' };
  }
  if (failed.length === 0) return { ok: true, said: took.join('; '), more: { deliveries } };
  const refused = failed.map(({ receiver, error }) => `${receiver} did not take it: ${error}`);
  return { ok: false, because: [...refused, ...took].join('; ') };
}

function acked(command: Command, { outbox, append }: CommandDeps): CommandAnswer {
  const drafts = acknowledge(outbox(), text(command, 'key'), command.who);
  if (drafts.length === 0) return { ok: false, because: 'no page with this key is open and unacknowledged' };
  append(drafts);
  return { ok: true, said: 'acknowledged: it is not repeated' };
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
  const word = addToken(access.state(), order, command, { clock, taken: access.taken });
  if (!word.ok) return { ok: false, because: word.because };
  append(word.drafts);
  const expiresAt = new Date(clock.now() + order.forMs).toISOString();
  return { ok: true, said: `added ${order.name}`, more: { name: order.name, token, expiresAt } };
}
