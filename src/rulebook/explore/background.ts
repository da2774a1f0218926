/** Explores closed incidents that no rule cured: in the background, never inside a run, and behind two gates. */
import type { Learning } from '../learning.ts';
import { createPlannerText } from '../../classifier/planner_text.ts';
import { mayExplore } from '../../config/gates.ts';
import type { Configuration } from '../../config/load.ts';
import { compiledOf } from '../../config/patterns.ts';
import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Log } from '../../core/log.ts';
import type { Model } from '../../core/model.ts';
import type { Ledger } from '../../journal/ledger.ts';
import { TOOL_SPECS } from '../../remediation/catalog.ts';
import { EXPLORE_CAPS, ExploreBudget, type HeldSession } from './budget.ts';
import { Explorer } from './explorer.ts';
import { createRulebook } from '../rulebook.ts';
import { type IncidentStory, knowledgePorts, type ProposedRule, storyOf } from './incident.ts';

const WAITING_MAX = 20;
const ENTRIES_MAX = 500;
const HISTORY_MAX = 500;
/** Calls of models that are looked through for the explorations of the last day. */
const CALLS_MAX = 20_000;
/** The first look at a closed incident comes after the run has written everything down. */
const SETTLE_MS = 1_000;

export interface ExplorationParts {
  readonly infrastructure: { readonly ledger: Ledger; readonly clock: Clock };
  readonly learning: Pick<Learning, 'proposals' | 'onTrial' | 'refresh'>;
  readonly model: Model | undefined;
  readonly current: () => Configuration;
  readonly log: Log;
  /** REEVE_EXPLORE=1, from outside. */
  readonly gate?: () => boolean;
}

/** Follows the journal until it is disposed. Without a model nothing is subscribed. */
export function exploreInBackground(parts: ExplorationParts, building: AsyncDisposableStack): void {
  if (parts.model === undefined) return;
  const { ledger, clock } = parts.infrastructure;
  const controller = new AbortController();
  const explorer = explorerOf(parts);
  const waiting: string[] = [];
  let isBusy = false;
  const next = async (): Promise<void> => {
    if (isBusy || controller.signal.aborted) return;
    const incident = waiting.shift();
    if (incident === undefined) return;
    isBusy = true;
    try {
      await exploreOne(incident, parts, explorer);
    } catch (thrown) {
      parts.log.warn({ incident }, `the exploration failed: ${messageOf(thrown)}`);
    } finally {
      isBusy = false;
      clock.after(SETTLE_MS, () => void next());
    }
  };
  building.use(
    ledger.subscribe((entry) => {
      if (entry.incident === undefined || !isOver(entry) || !isOpen(parts)) return;
      if (waiting.length >= WAITING_MAX) waiting.shift();
      waiting.push(entry.incident);
      clock.after(SETTLE_MS, () => void next());
    }),
  );
  building.defer(() => controller.abort());
}

const isOver = ({ fact }: JournalEntry): boolean => fact.type === 'incident.closed' && fact.ending !== 'absorbed';

const isOpen = ({ current, gate = mayExplore }: ExplorationParts): boolean =>
  current().config.planner.explore && gate();

/** Worth it: a run came to a person because no rule fitted, or because an explorable rule did not cure. */
function isUncured(entries: readonly JournalEntry[], current: () => Configuration): boolean {
  const explorable = new Set(current().rules.flatMap(({ id, explorable: may }) => (may === true ? [id] : [])));
  let planner: string | undefined;
  return entries.some(({ fact }) => {
    if (fact.type === 'plan.made') planner = fact.plan.by.kind === 'rule' ? fact.plan.by.rule : undefined;
    const isEscalated = fact.type === 'run.ended' && fact.outcome.kind === 'escalated';
    return isEscalated && (planner === undefined || explorable.has(planner));
  });
}

async function exploreOne(incident: string, parts: ExplorationParts, explorer: Explorer<ProposedRule>): Promise<void> {
  const { infrastructure, current, log } = parts;
  const entries = [...infrastructure.ledger.read({ incident, limit: ENTRIES_MAX })];
  if (!isUncured(entries, current)) return;
  const story = storyOf(incident, entries, templatesOf(current()));
  if (story === undefined) return;
  const { rule, from, because, modelCalls } = await explorer.explore(story);
  log.info({ incident, from, modelCalls, rule: rule?.rule.id }, `explored: ${because}`);
}

/** The sessions of the last day, of this start and of those before it: an incident is explored in one of its own. */
function heldSessions(ledger: Ledger, clock: Clock): readonly HeldSession[] {
  const sinceMs = clock.monotonicMs() - DAY_MS;
  const held = new Map<string, HeldSession>();
  for (const { fact, incident, monoMs } of ledger.read({
    types: ['model.called'],
    newestFirst: true,
    limit: CALLS_MAX,
  })) {
    if (monoMs < sinceMs) break;
    if (fact.type !== 'model.called' || fact.purpose !== 'explore' || incident === undefined) continue;
    const { tokens, costMicros } = held.get(incident) ?? { tokens: 0, costMicros: 0 };
    held.set(incident, {
      startedMs: monoMs,
      tokens: tokens + fact.promptTokens + fact.replyTokens,
      costMicros: costMicros + fact.costMicros,
    });
  }
  return [...held.values()];
}

const templatesOf = ({ patterns }: Configuration) => createPlannerText(compiledOf(patterns).catalogue).templateOf;

function explorerOf(parts: ExplorationParts): Explorer<ProposedRule> {
  const { infrastructure, learning, current, model } = parts;
  const { ledger, clock } = infrastructure;
  const knowledge = {
    rules: () => [...current().rules, ...learning.proposals.list().map(({ rule }) => rule)],
    tools: [...TOOL_SPECS.values()],
    composites: () => current().composites,
    history: () => {
      const harmless = [...ledger.read({ types: ['incident.closed'], newestFirst: true, limit: HISTORY_MAX })].flatMap(
        ({ fact, incident }) =>
          fact.type === 'incident.closed' && fact.ending === 'self_healed' && incident !== undefined ? [incident] : [],
      );
      const among = new Set(harmless);
      const taken = ledger.read({ types: ['envelope.taken'], newestFirst: true, limit: HISTORY_MAX });
      return [...taken].flatMap(({ fact, incident }) =>
        fact.type === 'envelope.taken' && incident !== undefined && among.has(incident) ? [fact.envelope] : [],
      );
    },
  };
  return new Explorer<ProposedRule>({
    ...knowledgePorts(knowledge),
    model,
    budget: new ExploreBudget(EXPLORE_CAPS, clock, undefined, heldSessions(ledger, clock)),
    isOpen: () => isOpen(parts),
    // The rules in force had their say in the run; a rule on trial needs no twin.
    known: (situation) =>
      learning
        .onTrial()
        .find(({ rule }) => createRulebook([rule]).decide((situation as IncidentStory).envelope, [], () => true)),
    keep: ({ text }) => {
      learning.proposals.write(text);
      learning.refresh();
    },
  });
}
