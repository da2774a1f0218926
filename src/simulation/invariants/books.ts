/** The oracles that follow Reeve's journal: opened anew where Reeve is given another journal. */
import type { JournalEntry } from '../../core/journal.ts';
import type { Delivery } from '../effect_log.ts';
import { Breakers } from './breakers.ts';
import { Containments } from './containments.ts';
import type { InvariantContext, Oracle } from './context.ts';
import { Evidence } from './evidence.ts';
import { Heartbeats } from './heartbeats.ts';
import { LatePages } from './late_pages.ts';
import { OperatorCommands } from './operator_commands.ts';
import { Pages } from './pages.ts';
import { Proofs } from './proofs.ts';
import { Reasons } from './reasons.ts';
import { Runs } from './runs.ts';
import { Silence } from './silence.ts';
import type { Starts } from './starts.ts';
import type { Surroundings } from './unwritten.ts';

export interface Books {
  readonly proofs: Proofs;
  readonly breakers: Breakers;
  readonly containments: Containments;
  readonly operatorCommands: OperatorCommands;
  readonly runs: Runs;
  readonly pages: Pages;
  readonly latePages: LatePages;
  readonly heartbeats: Heartbeats;
  readonly silence: Silence;
  readonly reasons: Reasons;
  /** All of them, in the order in which they are asked. */
  readonly all: readonly Oracle[];
}

export function openBooks(world: InvariantContext, starts: Starts, surroundings: Surroundings): Books {
  const proofs = new Proofs(world);
  const own = {
    proofs,
    breakers: new Breakers(world),
    containments: new Containments(world, starts, proofs),
    operatorCommands: new OperatorCommands(world),
    evidence: new Evidence(world),
    runs: new Runs(world),
    pages: new Pages(world),
    latePages: new LatePages(world, surroundings),
    heartbeats: new Heartbeats(world, surroundings),
    silence: new Silence(world),
    reasons: new Reasons(world, undefined, {
      proofs,
      isFull: (plans) => starts.isFull(world.nowMs(), plans),
      isCapped: (channel, incident) => starts.isCapped(channel, incident),
    }),
  };
  return { ...own, all: Object.values(own) };
}

/** What a person has been sent stays sent, whatever the journal says of it now. */
export function replayInto(
  { all, pages, latePages, heartbeats }: Books,
  entries: readonly JournalEntry[],
  deliveries: readonly Delivery[],
  onBatch: (first: JournalEntry) => void,
): void {
  for (const batch of Map.groupBy(entries, ({ monoMs }) => monoMs).values()) {
    onBatch(batch[0]!);
    for (const entry of batch) for (const oracle of all) oracle.entry(entry, batch);
  }
  for (const delivery of deliveries) for (const oracle of [pages, latePages, heartbeats]) oracle.delivered(delivery);
}
