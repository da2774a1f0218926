/** The read models of incidents: their list, and the story of one. */
import type { Clock, MonoMs } from '../core/clock.ts';
import type { JournalEntry, JournalQuery } from '../core/journal.ts';
import { keyOfScope } from '../core/scope.ts';
import type { OpenIncident } from '../incident/lifecycle/state.ts';
import type { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';
import { runText } from './decision_text.ts';

export interface IncidentViewDeps {
  readonly clock: Clock;
  readonly pipeline: DecisionPipeline;
  /** Journal entries that match, as the ledger gives them. */
  readonly read: (query: JournalQuery) => Iterable<JournalEntry>;
  /** How many there are, for that none is parsed. */
  readonly count: (query: JournalQuery) => number;
}

/** Of a long story its beginning is told and, three times as long, how it stands. */
const STORY_FIRST = 500;
const STORY_NEWEST = 1_500;

type Filter = { readonly channel: string | undefined; readonly limit: number };

export class IncidentViews {
  readonly #deps: IncidentViewDeps;

  constructor(deps: IncidentViewDeps) {
    this.#deps = deps;
  }

  open(): readonly unknown[] {
    return this.#open.map((open) => this.#openView(open));
  }

  /** Newest first, from the journal; last those that are open and whose beginning retention has deleted. */
  list({ channel, limit }: Filter): readonly unknown[] {
    const fits = ({ scope, channels }: OpenIncident['incident']): boolean =>
      channel === undefined || (scope.kind === 'channel' ? scope.id === channel : channels.includes(channel));
    const found: unknown[] = [];
    const told = new Set<string>();
    for (const { fact } of this.#deps.read({ types: ['incident.opened'], newestFirst: true })) {
      if (found.length >= limit) return found;
      if (fact.type !== 'incident.opened') continue;
      told.add(fact.incident.id);
      if (fits(fact.incident)) found.push(this.#viewOf(fact.incident.id));
    }
    const older = this.#open.filter(({ incident }) => !told.has(incident.id) && fits(incident));
    older.sort((a, b) => b.incident.openedMs - a.incident.openedMs);
    return [...found, ...older.map((open) => this.#openView(open))].slice(0, limit);
  }

  /** All of a story that is short; of a long one its beginning and its end, and how much lies between. */
  story(id: string): unknown {
    const { read, count } = this.#deps;
    const entries = [...read({ incident: id, limit: STORY_FIRST })];
    const [first, last] = [entries[0], entries.at(-1)];
    const opened = this.#openOf(id)?.incident;
    const sinceMs = opened?.openedMs ?? first?.monoMs;
    if (sinceMs === undefined) return undefined;
    let [leftOut, leftOutAfter]: [number, number | null] = [0, null];
    if (last !== undefined && entries.length === STORY_FIRST) {
      const rest = { incident: id, sinceSeq: last.seq + 1 };
      const newest = [...read({ ...rest, newestFirst: true, limit: STORY_NEWEST })].reverse();
      const [next] = newest;
      if (next !== undefined) leftOut = count({ ...rest, throughSeq: next.seq - 1 });
      if (leftOut > 0) leftOutAfter = last.seq;
      entries.push(...newest);
    }
    return {
      ...(this.#viewOf(id) as object),
      leftOut,
      leftOutAfter,
      entries: entries.map(({ seq, at, monoMs, channel, run, fact }) => {
        return { seq, at, afterMs: monoMs - sinceMs, channel, run, fact };
      }),
    };
  }

  get #open(): readonly OpenIncident[] {
    return this.#deps.pipeline.incidents().open;
  }

  #openOf(id: string): OpenIncident | undefined {
    return this.#open.find(({ incident }) => incident.id === id);
  }

  #viewOf(id: string): unknown {
    const open = this.#openOf(id);
    if (open !== undefined) return this.#openView(open);
    const types = ['incident.opened', 'incident.closed', 'incident.reclassified'];
    const facts = [...this.#deps.read({ incident: id, types })];
    const opened = facts.find(({ fact }) => fact.type === 'incident.opened')?.fact;
    const closed = facts.find(({ fact }) => fact.type === 'incident.closed');
    if (opened?.type !== 'incident.opened') return { id, state: 'forgotten' };
    const last = facts.findLast(({ fact }) => fact.type === 'incident.reclassified')?.fact;
    const { incident } = opened;
    return {
      id,
      scope: keyOfScope(incident.scope),
      classification: last?.type === 'incident.reclassified' ? last.to : incident.classification,
      channels: incident.channels,
      state: 'closed',
      openedAt: incident.openedAt,
      closedAt: closed?.at ?? null,
      ending: closed?.fact.type === 'incident.closed' ? closed.fact.ending : null,
      openMs: closed?.fact.type === 'incident.closed' ? closed.fact.openMs : 0,
    };
  }

  #openView(open: OpenIncident): unknown {
    const { incident, last, running, runs, restarts } = open;
    const { pipeline, clock } = this.#deps;
    const nowMs: MonoMs = clock.monotonicMs();
    return {
      id: incident.id,
      scope: keyOfScope(incident.scope),
      classification: incident.classification,
      channels: incident.channels,
      state: running ? 'running' : (last?.kind ?? 'open'),
      because: runText(open, { control: pipeline.control(), guard: pipeline.guardState(), nowMs }),
      openedAt: incident.openedAt,
      closedAt: null,
      ending: null,
      openMs: nowMs - incident.openedMs,
      runs,
      restarts,
    };
  }
}
