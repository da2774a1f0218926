/** Assembles the daemon and starts it. */
import { createAccess } from '../http/auth/access.ts';
import { createStatistics } from '../incident/statistics.ts';
import { createDecisions, type Decisions } from './decisions.ts';
import { type Infrastructure, openInfrastructure } from './infrastructure.ts';
import { createHints } from './hints.ts';
import type { SeenDead } from '../ground/facts/facts.ts';
import { exploreInBackground } from '../rulebook/explore/background.ts';
import { createLearning } from '../rulebook/learning.ts';
import { nameInBackground } from './naming.ts';
import type { Recall } from './planner.ts';
import type { PatternTrust, Teaching } from '../rulebook/patterns/teaching.ts';
import { createTeaching } from './teaching_setup.ts';
import { openServers, type Shown } from './servers.ts';
import { notifyServiceManager } from './service_manager.ts';
import { openConfiguredModels } from './models.ts';
import { createPaging, type Paging } from './paging.ts';
import { draftsOfHold } from '../control/held_phase.ts';
import type { Draft } from '../core/journal.ts';
import { bootAheadOf } from '../guard/clock_watch.ts';
import { noteChange } from '../config/change_note.ts';
import { runHousekeeping } from '../journal/housekeeping.ts';
import { startHeartbeat, unfitness } from '../escalate/heartbeat.ts';
import { createHeadWitness } from '../journal/head_witness.ts';
import { watchForRecovery } from '../journal/recovery.ts';
import type { Damage } from '../journal/damage.ts';
import type { HostEnvironment } from './host_environment.ts';
import type { Memory } from './memory.ts';
import type { Configuration } from '../config/load.ts';
import { type Change, type Reloader, takenOver, watchConfiguration } from '../config/reload.ts';
import { ACTING_PHASE } from '../core/control.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { messageOf } from '../core/errors.ts';
import type { Model } from '../core/model.ts';
import { rehearse } from '../policy_tests/rehearsal.ts';

export type { HostEnvironment } from './host_environment.ts';

export interface App extends AsyncDisposable {
  readonly url: string;
  readonly metricsUrl: string;
  /** Reads the configuration anew and says what came of it. */
  reload(): Change;
  /** What is in force. */
  configuration(): Configuration;
  /**
   * Resolves when a journal that could not be written can be opened anew: dispose of this app and create another, and
   * tell that whose processes this one saw die.
   */
  readonly journalWritableAgain: Promise<readonly SeenDead[]>;
}

/** What stopping may take: runs end by themselves, then are cut off (1 s), then pages go out. At most 10 s in all. */
const DRAIN_MS = 6_000;
const LAST_PAGES_MS = 2_000;
/** A run that has ended writes it down in the same moment; one that cannot be cut off is not waited for. */
const LAST_WORDS_MS = 500;
const HOUSEKEEPING_MS = MINUTE_MS;
const REHEARSED =
  'rehearsed in memory: what would be done if this channel died, its source well and nothing frozen or contained';

/** Builds the house, bottom storey first, and opens the door last. What was built is taken down in reverse. */
export async function createApp(configuration: Configuration, host: HostEnvironment): Promise<App> {
  await using building = new AsyncDisposableStack();
  const { config } = configuration;
  const infrastructure = await openInfrastructure(config, host, building);
  const paging = createPaging(infrastructure, host);
  const statistics = createStatistics(infrastructure.ledger);
  const models = await openConfiguredModels(config, { ...infrastructure, log: host.log }, building);
  const access = createAccess(config, { ...infrastructure, log: host.log });
  const learning = createLearning(infrastructure, () => current().composites);
  let teaching: Teaching | undefined;
  const onUnrecognised = (text: string, channel: string | undefined): void => teaching?.heard(text, channel);
  const trustIn = (pattern: string): PatternTrust => teaching?.trustIn(pattern) ?? 'full';
  const recall: Recall = (envelope) => memory?.insightsFor(envelope) ?? [];
  const { hintFor, ...hints } = createHints({ config, infrastructure, host, fail: paging.fail });
  const parts = { infrastructure, paging, learning, models, recall, hintFor, onUnrecognised, trustIn };
  const decisions = createDecisions(configuration, host, parts);
  const current = () => reloader.current();
  const taught = createTeaching({ infrastructure, paging, decisions, current });
  teaching = taught;
  const house: House = { configuration, host, infrastructure, paging, decisions };

  recover(house, building);
  const reloader: Reloader = building.use(watchEdits(house));
  learning.start(building, paging.fail);
  building.use(taught.start());
  building.use(infrastructure.ledger.subscribe((entry) => taught.onEntry(entry)));
  nameInBackground(
    { models, teaching: taught, host, infrastructure, wanted: () => reloader.current().config.planner },
    building,
  );
  exploreInBackground({ infrastructure, learning, model: models.model, current, log: host.log }, building);
  // Before anybody can take Reeve for up: what happens from then on is seen.
  await logRehearsal(house);
  const elsewhere = tellElsewhere(house, building);
  const memory: Memory | undefined = await openConfiguredMemory(house, models.model, building);
  await hints.start(building, models.model !== undefined);
  const known = { statistics, models, learning, decisions, teaching: taught, memory, hints };
  const server = await openServers(
    { config, host, infrastructure, paging, access, reloader, ...elsewhere, ...known },
    building,
  );
  begin(house, building);
  const journalWritableAgain = untilWritableAgain(house, building);
  host.log.info(
    { url: server.url, channels: config.channels.length, entries: infrastructure.ledger.lastSeq },
    'Reeve watches',
  );
  const running = building.move();
  return {
    ...{ url: server.url, metricsUrl: server.metricsUrl },
    reload: () => reloader.reload(),
    configuration: current,
    journalWritableAgain,
    async [Symbol.asyncDispose]() {
      await windDown(house);
      await running.disposeAsync();
    },
  };
}

/** Who is told elsewhere of the head of the journal, and that Reeve lives. */
function tellElsewhere(house: House, building: AsyncDisposableStack): Pick<Shown, 'witness' | 'heartbeat'> {
  const { host, infrastructure, paging, decisions } = house;
  const { heartbeat, journal } = house.configuration.config;
  const { ledger, clock } = infrastructure;
  const { log } = host;
  const unfit = () => {
    const { keptUpMs } = decisions.pipeline;
    return unfitness({ keptUpMs, nowMs: clock.monotonicMs(), ...paging.dispatcher().reception() });
  };
  const witness = building.use(createHeadWitness(journal.witness, { ledger, clock, log }));
  void witness.tell();
  return {
    witness,
    heartbeat: heartbeat && building.use(startHeartbeat(heartbeat, { clock, log, unfit })),
  };
}

/** Opens everything anew. An edit that is not sound must not keep Reeve down: it goes on as it was, and says so. */
export async function startAnew(
  app: App,
  { load, start }: { load: HostEnvironment['load']; start: (wanted: Configuration) => Promise<App> },
): Promise<App> {
  const running = app.configuration();
  await app[Symbol.asyncDispose]();
  const taken = takenOver(load(), running);
  const next = await start(taken);
  if (taken === running) next.reload();
  return next;
}

interface House {
  readonly configuration: Configuration;
  readonly host: HostEnvironment;
  readonly infrastructure: Infrastructure;
  readonly paging: Paging;
  readonly decisions: Decisions;
}

/** Loaded only where it is switched on. */
async function openConfiguredMemory(
  { configuration: { config }, infrastructure, host, paging }: House,
  model: Model | undefined,
  building: AsyncDisposableStack,
): Promise<Memory | undefined> {
  if (!config.memory.enabled) return undefined;
  const { openMemory } = await import('./memory.ts');
  return openMemory({ config, infrastructure, host, model, fail: paging.fail }, building);
}

/** Opens the journal and writes down what the previous process left open, before anything else is done (law S6). */
function recover(house: House, building: AsyncDisposableStack): void {
  const { configuration, host, infrastructure, paging, decisions } = house;
  const { ledger } = infrastructure;
  const { chain } = ledger.open();
  paging.open(configuration.config, building);

  const broken = chain.ok ? ledger.broken : { because: chain.because ?? 'the chain is broken' };
  if (broken !== undefined) {
    decisions.pipeline.guard.distrustJournal(broken.because);
    paging.fail(`journal: it is broken: ${broken.because} (reeve audit verify)`);
  }
  const held = heldPhase(house, broken === undefined);
  const { phase = 0 } = decisions.pipeline.control();
  if (configuration.config.receivers.length === 0 && phase >= ACTING_PHASE)
    host.log.error({ phase }, 'no receiver could call a person: nothing is changed, as in phase 1, until there is one');
  ledger.append([
    ...decisions.recover(),
    ...(broken === undefined ? paging.recovered() : []),
    ...held,
    {
      fact: {
        ...{ type: 'reeve.started', version: host.version, configSha: configuration.sha256 },
        ...bootAheadOf(ledger.clock),
      },
    },
  ]);
  const { damage, troubles } = infrastructure;
  for (const trouble of troubles) paging.fail(trouble);
  // Where a phase is held, its own page says so.
  if (damage !== undefined && held.length === 0) paging.fail(`journal: it was damaged: ${describeDamage(damage)}`);
}

const describeDamage = ({ because, keptAs }: Damage): string => `${because}; it is kept as ${keptAs}`;

/** A broken journal is distrusted as a whole. */
function heldPhase({ configuration, host, infrastructure, decisions }: House, isWhole: boolean): readonly Draft[] {
  const { ledger, setBack, damage } = infrastructure;
  const damaged = damage && describeDamage(damage);
  if (damage !== undefined) host.log.error(damage, 'the journal was damaged: a new one is begun');
  if (setBack !== undefined) host.log.error({ setBack }, 'the journal was set back: it is not the one last witnessed');
  const phase = decisions.pipeline.control().phase ?? configuration.config.phase;
  return isWhole ? draftsOfHold({ isEmpty: ledger.lastSeq === 0, setBack, damaged }, phase) : [];
}

function watchEdits({ configuration, host, infrastructure, paging, decisions }: House): Reloader {
  return watchConfiguration({
    clock: infrastructure.clock,
    load: host.load,
    current: configuration,
    onChange: (change) => {
      if (change.ok) decisions.use(change.configuration);
      if (change.ok) paging.use(change.configuration.config);
      if (change.ok) host.setLogLevel(change.configuration.config.log.level);
      noteChange(change, { append: infrastructure.ledger.append, log: host.log, fail: paging.fail });
      if (change.ok) decisions.pipeline.onCommand();
    },
  });
}

/** Nothing in memory may keep Reeve from watching what is real. */
async function logRehearsal({ host: { log }, infrastructure, decisions }: House): Promise<void> {
  const { collectors, pipeline, settings } = decisions;
  const setup = {
    clock: infrastructure.clock,
    settings: {
      ...settings(),
      planner: undefined,
      initialPhase: pipeline.channelIndex.phaseOf.bind(pipeline.channelIndex),
    },
    channels: collectors.channelSetups,
    engines: collectors.engineSetups,
    capabilities: (id: string) => infrastructure.engines.get(id)?.capabilities ?? new Set<never>(),
  };
  try {
    const came = await rehearse(setup);
    if (came !== undefined) log.info(came, REHEARSED);
  } catch (thrown) {
    log.warn({}, `the rehearsal failed: ${messageOf(thrown)}`);
  }
}

/** Pages that wait go out first; then the watching begins. */
function begin(house: House, building: AsyncDisposableStack): void {
  const { configuration, host, infrastructure, paging, decisions } = house;
  const { keepMs } = configuration.config.journal;
  building.use(
    infrastructure.clock.every(HOUSEKEEPING_MS, () => runHousekeeping(infrastructure.ledger, keepMs, paging.fail)),
  );
  paging.dispatcher().start();
  decisions.compareRules();
  building.use(decisions.pipeline);
  decisions.pipeline.start();
  building.use(decisions.collectors);
  decisions.collectors.start();
  if (host.serviceManager !== undefined) building.use(notifyServiceManager(host.serviceManager, host));
}

const untilWritableAgain = (
  { infrastructure, host, decisions }: House,
  building: AsyncDisposableStack,
): Promise<readonly SeenDead[]> =>
  new Promise((done) => {
    const { ledger, clock, probeJournal } = infrastructure;
    const onWritable = (): void => {
      host.log.warn({}, 'the disk of the journal takes entries again: everything is opened anew');
      done(decisions.pipeline.factStore.seenDead(clock.monotonicMs()));
    };
    building.use(watchForRecovery({ clock, broken: () => ledger.broken, probe: probeJournal, onWritable }));
  });

/** Begins nothing new, lets what is under way come to an end, and gets the last pages out. */
async function windDown({ host: { log }, infrastructure, paging, decisions }: House): Promise<void> {
  decisions.pipeline[Symbol.dispose]();
  const left = await infrastructure.lanes.drain(DRAIN_MS);
  // Their pages are among the last.
  await Promise.race([decisions.pipeline.written(), infrastructure.clock.sleep(LAST_WORDS_MS)]);
  if (left > 0) log.warn({ left }, 'runs were cut off; their channels count as UNKNOWN at the next start');
  try {
    if (infrastructure.ledger.broken === undefined) {
      infrastructure.ledger.append([{ fact: { type: 'reeve.stopped', because: 'asked to stop' } }]);
    }
  } catch (thrown) {
    log.error({}, `the stop could not be written down: ${messageOf(thrown)}`);
  }
  const allTaken = await paging.dispatcher().settle(LAST_PAGES_MS);
  if (!allTaken) log.warn({}, 'not every page was taken; they are sent after the next start');
}
