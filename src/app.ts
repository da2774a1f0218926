import { createAccounts } from './app_accounts.ts';
import { createDecisions, type Decisions } from './app_decisions.ts';
import { type Edges, openEdges } from './app_edges.ts';
import { openFaces } from './app_faces.ts';
import { createPeople, type People } from './app_people.ts';
import { keepHouse, noteChange } from './app_upkeep.ts';
import type { World } from './app_world.ts';
import type { Configuration } from './config/load.ts';
import { type Change, type Reloader, watchConfiguration } from './config/reload.ts';
import { messageOf } from './core/errors.ts';
import type { Read } from './core/journal.ts';
import { type OpenWork, openWorkProjection, recoveryDrafts } from './journal/recover.ts';
import { rehearse } from './lab/rehearsal.ts';

export type { Log, World } from './app_world.ts';

export interface App extends AsyncDisposable {
  readonly url: string;
  readonly metricsUrl: string;
  /** Reads the configuration anew and says what came of it. */
  reload(): Change;
}

/** What stopping may take: runs end by themselves, then are cut off (1 s), then pages go out. At most 10 s in all. */
const DRAIN_MS = 6_000;
const LAST_PAGES_MS = 2_000;
const HOUSEKEEPING_MS = 60_000;
const REHEARSED =
  'rehearsed in memory: what would be done if this channel died, its source well and nothing frozen or contained';

/** Builds the house, bottom storey first, and opens the door last. What was built is taken down in reverse. */
export async function createApp(configuration: Configuration, world: World): Promise<App> {
  await using building = new AsyncDisposableStack();
  const { config } = configuration;
  const { log } = world;

  const edges = openEdges(config, world, building);
  const people = createPeople(edges, world);
  const openWork = edges.ledger.register(openWorkProjection);
  const accounts = createAccounts(edges.ledger);
  const decisions = createDecisions(configuration, world, { edges, people });
  const house: House = { configuration, world, edges, people, decisions };

  recover(house, openWork, building);
  const reloader = building.use(watchEdits(house));
  // Before anybody can take Reeve for up: what happens from then on is seen.
  await tellRehearsal(house);
  const server = await openFaces({ config, world, edges, people, accounts, decisions, reloader }, building);
  begin(house, building);
  log.info({ url: server.url, channels: config.channels.length, entries: edges.ledger.lastSeq }, 'Reeve watches');

  const running = building.move();
  return {
    url: server.url,
    metricsUrl: server.metricsUrl,
    reload: () => reloader.reload(),
    async [Symbol.asyncDispose]() {
      await windDown(house);
      await running.disposeAsync();
    },
  };
}

interface House {
  readonly configuration: Configuration;
  readonly world: World;
  readonly edges: Edges;
  readonly people: People;
  readonly decisions: Decisions;
}

/** Opens the journal and writes down what the last life left open, before anything else is done (law S6). */
function recover(house: House, openWork: Read<OpenWork>, building: AsyncDisposableStack): void {
  const { configuration, world, edges, people, decisions } = house;
  const { ledger, clock } = edges;
  const { chain } = ledger.open();
  people.open(configuration.config, building);

  const broken = chain.ok ? ledger.broken : { because: chain.because ?? 'the chain is broken' };
  if (broken !== undefined) {
    decisions.spine.guard.distrustJournal(broken.because);
    people.fail(`journal: it is broken: ${broken.because} (reeve audit verify)`);
  }
  ledger.append([
    ...recoveryDrafts(openWork(), { at: clock.now(), nowMs: clock.monotonicMs(), ids: world.ids }),
    ...(broken === undefined ? people.recovered() : []),
    { fact: { type: 'reeve.started', version: world.version, configSha: configuration.sha256 } },
  ]);
}

function watchEdits({ configuration, world, edges, people, decisions }: House): Reloader {
  return watchConfiguration({
    clock: edges.clock,
    load: world.load,
    current: configuration,
    onChange: (change) => {
      if (change.ok) decisions.use(change.configuration);
      noteChange(change, { append: edges.ledger.append, log: world.log, fail: people.fail });
    },
  });
}

/** Nothing in memory may keep Reeve from watching what is real. */
async function tellRehearsal({ world: { log }, edges, decisions }: House): Promise<void> {
  const { collectors, spine, settings } = decisions;
  const setup = {
    clock: edges.clock,
    settings: { ...settings(), initialPhase: spine.phaseOf.bind(spine) },
    channels: collectors.channelSetups,
    engines: collectors.engineSetups,
    capabilities: (id: string) => edges.engines.get(id)?.capabilities ?? new Set<never>(),
  };
  try {
    const came = await rehearse(setup);
    if (came !== undefined) log.info(came, REHEARSED);
  } catch (thrown) {
    log.warn({}, `the rehearsal failed: ${messageOf(thrown)}`);
  }
}

/** Pages that wait go out first; then the watching begins. */
function begin({ configuration, edges, people, decisions }: House, building: AsyncDisposableStack): void {
  const { keepMs } = configuration.config.journal;
  building.use(edges.clock.every(HOUSEKEEPING_MS, () => keepHouse(edges.ledger, keepMs, people.fail)));
  people.courier().start();
  building.use(decisions.spine);
  decisions.spine.start();
  building.use(decisions.collectors);
  decisions.collectors.start();
}

/** Begins nothing new, lets what is under way come to an end, and gets the last pages out. */
async function windDown({ world: { log }, edges, people, decisions }: House): Promise<void> {
  decisions.spine[Symbol.dispose]();
  const left = await edges.lanes.drain(DRAIN_MS);
  if (left > 0) log.warn({ left }, 'runs were cut off; their channels count as UNKNOWN at the next start');
  try {
    if (edges.ledger.broken === undefined) {
      edges.ledger.append([{ fact: { type: 'reeve.stopped', because: 'asked to stop' } }]);
    }
  } catch (thrown) {
    log.error({}, `the stop could not be written down: ${messageOf(thrown)}`);
  }
  const told = await people.courier().settle(LAST_PAGES_MS);
  if (!told) log.warn({}, 'not every page was taken; they are sent after the next start');
}
