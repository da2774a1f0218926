/** The memory beside the daemon: fed by the journal, asked by people, never on the path of a decision. */
import { join } from 'node:path';
import type { Infrastructure } from './infrastructure.ts';
import type { HostEnvironment } from './host_environment.ts';
import type { Config } from '../config/config.ts';
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { messageOf, safely } from '../core/errors.ts';
import type { JournalEntry, JournalQuery } from '../core/journal.ts';
import type { Model } from '../core/model.ts';
import type { CommandAnswer } from '../core/command_answer.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { MemoryApi } from '../http/daemon.ts';
import { openOrBeginAnew } from '../journal/aside.ts';
import { DerivedFile } from '../journal/derived.ts';
import { createMemoryApi } from '../memory/api.ts';
import { Graph } from '../memory/graph.ts';
import { insightId } from '../memory/insight.ts';
import { GraphUpdater } from '../memory/graph_updater.ts';
import { recallForPlanner } from '../memory/recall.ts';
import { Reads } from '../memory/reads.ts';
import { reflect } from '../memory/reflection.ts';
import { MEMORY_SCHEMA } from '../memory/schema.ts';
import { rephraseInsight } from '../memory/wording.ts';

export interface Memory {
  readonly reads: Reads;
  readonly face: MemoryApi;
  /** Insights for a planner, each one sentence made by a template; none where the file cannot be read now. */
  insightsFor(envelope: GroundedContextEnvelope): readonly string[];
  /** Merges insights now. One at a time: a second call while one runs is refused. */
  reflect(): Promise<CommandAnswer>;
  /** Resolves when everything that is in the journal now can be recalled. */
  caughtUp(): Promise<void>;
}

export interface MemoryDeps {
  readonly config: Config;
  readonly infrastructure: Infrastructure;
  readonly host: HostEnvironment;
  /** Rephrases new insights, where that is configured. */
  readonly model: Model | undefined;
  /** A failure of the memory is reported, and stops nothing else. */
  readonly fail: (text: string) => void;
}

const FILE = 'memory.db';
const PRUNE_EVERY_MS = MINUTE_MS;

/** After the journal is open. Undefined where its file cannot be used: the daemon runs on without it. */
export function openMemory(deps: MemoryDeps, building: AsyncDisposableStack): Memory | undefined {
  const { ledger, rows, clock, state } = deps.infrastructure;
  let file: DerivedFile;
  try {
    const path = join(state, FILE);
    const open = () => DerivedFile.open(path, MEMORY_SCHEMA, { journal: rows });
    const onAside = (because: string) => deps.fail(`memory: ${because} and is made anew from the journal`);
    file = building.use(openOrBeginAnew(path, open, onAside));
  } catch (thrown) {
    deps.fail(`memory: it is off until the next start: ${messageOf(thrown)}`);
    return undefined;
  }
  const graph = new Graph(file);
  const otherJournal = file.otherJournal();
  if (otherJournal !== undefined)
    deps.host.log.warn({ because: otherJournal }, 'memory: all but insights is read anew from the journal');
  const startsOver = otherJournal === undefined ? undefined : rows;
  const read = (query: JournalQuery) => ledger.read(query);
  const keeper = building.use(new GraphUpdater({ graph, read, startsOver, clock, fail: deps.fail }));
  building.use(ledger.subscribe((entry) => noted(entry, { keeper, deps, graph })));
  building.use(clock.every(PRUNE_EVERY_MS, () => safely('memory', () => pruned(keeper, deps), deps.fail)));
  const memory = withReflection(graph, keeper, deps);
  const { reflectEveryMs } = deps.config.memory;
  building.use(clock.every(reflectEveryMs, () => void memory.reflect().catch((thrown) => failed(deps, thrown))));
  keeper.wake();
  return memory;
}

const failed = ({ fail }: MemoryDeps, thrown: unknown): void => fail(`memory: reflection failed: ${messageOf(thrown)}`);

interface Noting {
  readonly keeper: GraphUpdater;
  readonly deps: MemoryDeps;
  readonly graph: Graph;
}

/** In the wake of an append: only timers are set and, for a closed incident, a model may be asked later. */
function noted(entry: JournalEntry, { keeper, deps, graph }: Noting): void {
  keeper.wake();
  const { incident, fact } = entry;
  if (deps.model === undefined || !deps.config.memory.rephraseInsights) return;
  if (fact.type !== 'incident.closed' || incident === undefined) return;
  const { model } = deps;
  const rephrase = async (): Promise<void> => {
    await keeper.caughtUp();
    const insight = graph.insights.get(insightId(incident));
    const rephrased = insight === undefined ? undefined : await rephraseInsight(model, insight);
    if (rephrased !== undefined) deps.infrastructure.ledger.append([{ fact: rephrased }]);
  };
  void rephrase().catch((thrown) => deps.host.log.warn({}, `an insight was not rephrased: ${messageOf(thrown)}`));
}

function pruned(keeper: GraphUpdater, { infrastructure: { ledger } }: MemoryDeps): void {
  const [first] = ledger.read({ limit: 1 });
  if (first !== undefined) keeper.prune(first.seq);
}

/** What is recalled of incidents holds more than templates, so a planner gets the insights alone. */
function insightsFor(reads: Reads, envelope: GroundedContextEnvelope): readonly string[] {
  try {
    return recallForPlanner(reads, envelope).flatMap(({ kind, text }) => (kind === 'insight' ? [text] : []));
  } catch {
    return [];
  }
}

function withReflection(graph: Graph, keeper: GraphUpdater, { infrastructure, host }: MemoryDeps): Memory {
  const { ledger, clock } = infrastructure;
  const reads = new Reads(graph.store);
  let running = false;
  return {
    reads,
    face: createMemoryApi(reads),
    insightsFor: (envelope) => insightsFor(reads, envelope),
    caughtUp: () => keeper.caughtUp(),
    async reflect() {
      if (running) return { ok: false, because: 'a reflection is under way', hint: 'reeve insights shows its result' };
      running = true;
      try {
        const more = await reflect({
          ...{ insights: graph.insights, throughSeq: () => graph.store.cursor(), append: ledger.append },
          ...{ caughtUp: () => keeper.caughtUp(), clock, ids: host.ids },
        });
        const { archived, merged } = more;
        return { ok: true, said: merged === 0 ? 'nothing to merge' : `${archived} insights became ${merged}`, more };
      } finally {
        running = false;
      }
    },
  };
}
