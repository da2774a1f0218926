/** Opens the journal, the other files of the state directory, and the engines. */
import { join } from 'node:path';
import type { HostEnvironment } from './host_environment.ts';
import { readProcess } from '../collect/probes/process.ts';
import type { Config, EngineConfig } from '../config/config.ts';
import type { CheckpointStore } from '../core/chunk.ts';
import type { Clock } from '../core/clock.ts';
import type { Engine } from '../core/engine.ts';
import { messageOf } from '../core/errors.ts';
import type { EngineId } from '../core/scope.ts';
import { createEngines } from '../engine/factory.ts';
import { openCheckpoints } from '../journal/checkpoints.ts';
import { type Damage, openJournal } from '../journal/damage.ts';
import type { JournalRows } from '../journal/derived.ts';
import { notMade } from '../journal/files.ts';
import { Ledger } from '../journal/ledger.ts';
import { probeJournal } from '../journal/recovery.ts';
import { setBackBy, witnessedHead } from '../journal/set_back.ts';
import { makeDirectory } from '../resilience/make_directory.ts';
import { createKeyedQueues, type KeyedQueues } from '../resilience/keyed_queues.ts';

/** Where Reeve touches the disk and the engines. */
export interface Infrastructure {
  /** The state directory. */
  readonly state: string;
  readonly ledger: Ledger;
  /** The journal's rows, for files that follow from them. */
  readonly rows: JournalRows;
  /** How it was seen that the journal is older than a head of it that was sent out; undefined: nothing says so. */
  readonly setBack: string | undefined;
  /** The journal's file was damaged and is kept aside: this journal is a new one. */
  readonly damage: Damage | undefined;
  /** Throws while the journal's disk takes nothing, or another process holds the journal. */
  readonly probeJournal: () => void;
  /** Monotonic time continued over restarts: everything above uses this one. */
  readonly clock: Clock;
  readonly checkpoints: CheckpointStore;
  /** What a person has to know about other files than the journal. */
  readonly troubles: readonly string[];
  readonly engines: ReadonlyMap<EngineId, Engine>;
  readonly lanes: KeyedQueues;
}

/** Opens them, to be closed by `building`. Throws JOURNAL_UNWRITABLE or JOURNAL_BROKEN: without a record, no daemon. */
export async function openInfrastructure(
  config: Config,
  host: HostEnvironment,
  building: AsyncDisposableStack,
): Promise<Infrastructure> {
  const onUnreadable = (because: string) =>
    host.log.error({ because }, 'the witness file cannot be read: a journal that was set back is not noticed');
  const head = await witnessedHead(config.journal.witness, host.clock, onUnreadable);
  const state = prepareState(config.stateDirectory);
  const path = join(state, 'journal.db');
  const { store, damage } = openJournal(path, host.clock.now());
  const onSubscriberError = (thrown: unknown) =>
    host.log.error({ error: messageOf(thrown) }, 'a reader of the journal failed');
  const setBack = setBackBy(store, head, onUnreadable);
  const ledger = building.use(new Ledger(store, host.clock, { onSubscriberError, isSetBack: setBack !== undefined }));
  const { clock } = ledger;
  const { store: checkpoints, trouble } = openCheckpoints(join(state, 'collect.db'));
  building.use(checkpoints);
  const troubles = trouble === undefined ? [] : [trouble];
  const engines = building.use(createEngines(enginesOf(config), { clock, secret: host.secret, readProcess }));
  const lanes = createKeyedQueues({}, clock);
  const opened = { state, ledger, rows: store, setBack, damage, clock, checkpoints, troubles, lanes };
  return { ...opened, engines: engines.byId, probeJournal: () => probeJournal(path) };
}

/**
 * A new directory is readable by its owner only. One that is there stays as it is: it may be somebody else's, and
 * the journal refuses to lie where others may write.
 */
function prepareState(directory: string): string {
  try {
    makeDirectory(directory, 0o700);
    return directory;
  } catch (thrown) {
    throw notMade(directory, thrown);
  }
}

function enginesOf(config: Config) {
  return config.engines.map((document: EngineConfig) => ({
    document,
    channels: config.channels.filter(({ engine }) => engine === document.id).map(({ id, name }) => ({ id, name })),
  }));
}
