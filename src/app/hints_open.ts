/** Opens the hints: their file, their bundle, and what keeps both up with the journal. */
import type { Infrastructure } from './infrastructure.ts';
import type { HostEnvironment } from './host_environment.ts';
import type { Config } from '../config/config.ts';
import { redact } from '../collect/redact.ts';
import { safeText } from '../collect/clean.ts';
import { HINT_FACTS } from '../core/hints.ts';
import { messageOf } from '../core/errors.ts';
import { Hints } from '../hints/hints.ts';
import { figuresOf, type HintFigures } from '../hints/outcomes.ts';
import { PlannerHints } from '../hints/planner.ts';
import { hasSources } from '../hints/sources.ts';
import { HINTS_SCHEMA, HintStore } from '../hints/store.ts';
import { openOrBeginAnew } from '../journal/aside.ts';
import { DerivedFile } from '../journal/derived.ts';

export interface HintsDeps {
  readonly config: Pick<Config, 'hints' | 'planner'>;
  readonly infrastructure: Infrastructure;
  readonly host: HostEnvironment;
  /** A failure of the hints is reported, and stops nothing else. */
  readonly fail: (text: string) => void;
}

export interface OpenHints extends Disposable {
  readonly hints: Hints;
  readonly planner: PlannerHints;
  /** For metrics. */
  figures(): HintFigures;
}

/** Ten a second, by all clients together. */
const FACTS_PER_MINUTE_MAX = 600;

/** Throws DERIVED_BROKEN or JOURNAL_UNWRITABLE for its file where `router: store` insists on it. */
export function openHints(deps: HintsDeps, path: string): OpenHints {
  const { config, infrastructure, host, fail } = deps;
  const { ledger, clock } = infrastructure;
  using cleanup = new DisposableStack();
  const file = cleanup.use(openFile(path, deps));
  const store = new HintStore(file, (query) => ledger.read(query));
  startOverWhereOther(file, store, deps);
  const types = [...HINT_FACTS];
  for (const entry of ledger.read({ sinceSeq: store.cursor() + 1, types })) store.take(entry);
  const {
    folder,
    files,
    router,
    similarityFloor,
    blindSpotWindowMs: windowMs,
    blindSpotThreshold: threshold,
  } = config.hints;
  const hints = new Hints({
    ...{
      store,
      clock,
      ids: host.ids,
      append: ledger.append,
      sources: { folder, files },
      similarityFloor,
      factsPerMinuteMax: FACTS_PER_MINUTE_MAX,
      version: host.version,
    },
    redact: (text) => redact(safeText(text)),
    backend: router === 'memory' ? 'memory' : 'store',
    blindSpots: { windowMs, threshold },
  });
  if (hasSources({ folder, files })) {
    try {
      hints.reload();
    } catch (thrown) {
      fail(`hints: the bundle is not used: ${messageOf(thrown)}`);
    }
  }
  const planner = new PlannerHints({ hints, store, read: (query) => ledger.read(query) });
  cleanup.use(ledger.subscribe((entry) => hints.onEntry(entry)));
  cleanup.use(ledger.subscribe((entry) => planner.onEntry(entry)));
  const open = cleanup.move();
  const figures = (): HintFigures => figuresOf(hints.health(), hints.statistics());
  return { hints, planner, figures, [Symbol.dispose]: () => open[Symbol.dispose]() };
}

/** The file follows from the journal: a damaged one that no configuration requires is put aside and made anew. */
function openFile(path: string, { config, infrastructure, fail }: HintsDeps): DerivedFile {
  const open = () => DerivedFile.open(path, HINTS_SCHEMA, { journal: infrastructure.rows });
  if (config.hints.router === 'store') return open();
  return openOrBeginAnew(path, open, (because) => fail(`hints: ${because} and is made anew from the journal`));
}

/** What was read of another journal would hide what this one says under the same numbers. */
function startOverWhereOther(file: DerivedFile, store: HintStore, { infrastructure, host }: HintsDeps): void {
  const other = file.otherJournal();
  if (other === undefined) return;
  const [first] = infrastructure.rows.read({ limit: 1 });
  store.startOver(first?.seq ?? 1);
  host.log.warn({ because: other }, 'hints: what came of them is read anew from the journal');
}
