/** The slow loop: reads the active insights in slices, and journals what becomes of them. */
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/id.ts';
import type { Append, Draft } from '../core/journal.ts';
import type { Insight } from './insight.ts';
import type { InsightTable } from './insight_table.ts';
import { type Merge, Pass } from './reflect.ts';

export interface ReflectionDeps {
  readonly insights: InsightTable;
  /** How far the graph has read the journal. */
  readonly throughSeq: () => number;
  readonly append: Append;
  /** Resolves when the graph holds everything that is in the journal now. */
  readonly caughtUp: () => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface Reflected {
  /** Insights that were archived. */
  readonly archived: number;
  /** Insights that were made of them; those of a pass may be archived by the next. */
  readonly merged: number;
  readonly passes: number;
}

/** Insights that one slice reads, and merges that one append writes: a few milliseconds each. */
const SLICE_INSIGHTS = 100;
const SLICE_MERGES = 4;
/** A group of 64 × 64 × 64 is one after three passes; more means that something is wrong. */
const PASSES_MAX = 8;
const BETWEEN_SLICES_MS = 1;

/** Merges until each claim is one insight. A second run changes nothing and journals nothing. */
export async function reflect(deps: ReflectionDeps): Promise<Reflected> {
  const { clock, ids, append } = deps;
  await deps.caughtUp();
  if (!deps.insights.hasTwins()) return { archived: 0, merged: 0, passes: 0 };
  const startMs = clock.monotonicMs();
  const task = ids.next('tsk');
  append([{ fact: { type: 'task.started', turn: task, task, step: 'reflection' } }]);
  let reflected: Reflected = { archived: 0, merged: 0, passes: 0 };
  while (reflected.passes < PASSES_MAX) {
    const merges = await onePass(deps);
    if (merges.length === 0) break;
    reflected = {
      archived: reflected.archived + merges.reduce((sum, { merged }) => sum + merged, 0),
      merged: reflected.merged + merges.length,
      passes: reflected.passes + 1,
    };
    await deps.caughtUp();
  }
  const summary = `${reflected.archived} insights became ${reflected.merged} in ${reflected.passes} passes`;
  const report = { turn: task, task, step: 'reflection', ok: true, summary, cites: [] } as const;
  append([{ fact: { type: 'task.reported', ...report, tookMs: clock.monotonicMs() - startMs } }]);
  return reflected;
}

/** Every merge that one reading of all active insights gives, written down in small appends. */
async function onePass(deps: ReflectionDeps): Promise<readonly Merge[]> {
  const throughSeq = deps.throughSeq();
  const pass = new Pass();
  const all: Merge[] = [];
  let waiting: Merge[] = [];
  const write = (): void => {
    const drafts: readonly Draft[] = waiting.map((fact) => ({ fact }));
    if (drafts.length > 0) deps.append(drafts);
    all.push(...waiting);
    waiting = [];
  };
  let last: Insight | undefined;
  for (;;) {
    const page = deps.insights.inClaimOrder(last, throughSeq, SLICE_INSIGHTS);
    if (page.length === 0) break;
    for (const insight of page) {
      const merge = pass.take(insight);
      if (merge !== undefined) waiting.push(merge);
      if (waiting.length < SLICE_MERGES) continue;
      write();
      await deps.clock.sleep(BETWEEN_SLICES_MS);
    }
    last = page.at(-1);
    await deps.clock.sleep(BETWEEN_SLICES_MS);
  }
  const merge = pass.end();
  if (merge !== undefined) waiting.push(merge);
  write();
  return all;
}
