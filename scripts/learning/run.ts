/** One learning run: works off the virtual days, lets a person promote what is offered once a day, and counts by week. */
import { DAY_MS, MINUTE_MS } from '../../src/core/duration.ts';
import { messageOf } from '../../src/core/errors.ts';
import type { JournalEntry } from '../../src/core/journal.ts';
import type { RuleState } from '../../src/core/rule.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { offerOf } from '../../src/rulebook/record/maturity.ts';
import { patternOfferOf, patternUplift } from '../../src/rulebook/record/pattern_maturity.ts';
import { upliftOf } from '../../src/rulebook/record/uplift.ts';
import { type Core, openCore } from './core.ts';
import { PLANTED_PATTERNS, PLANTED_RULES } from './planted.ts';

export interface LearningOptions {
  readonly seed: number;
  readonly days: number;
  readonly recall?: boolean;
  readonly learns?: boolean;
}

/** What one week came to. */
export interface Week {
  readonly incidents: number;
  /** Of these: a model was asked during them or about them. */
  readonly asked: number;
  readonly viewerHours: number;
}

/** What became of something that was planted or learned. */
export interface Fate {
  readonly id: string;
  readonly state: string;
  readonly because: string;
  /** Calls that were judged, or fits without trouble, when it fell or now. */
  readonly n: number;
  /** Calls that the guard refused. */
  readonly denied?: number;
  /** Mean and lower end of the difference to doing nothing. */
  readonly uplift: number;
  readonly low: number;
}

export interface LearningReport {
  readonly weeks: readonly Week[];
  readonly modelCalls: number;
  readonly rules: readonly Fate[];
  readonly patterns: readonly Fate[];
  readonly refused: readonly { readonly id: string; readonly because: string }[];
  readonly entries: number;
}

const PERSON = { who: 'ann', because: 'it was offered' };
const RUN_UP_MS = 45_000;
const PLANTED_MS = 2 * DAY_MS;

const drained = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Plays `days` virtual days. The same options give the same report. */
export async function learn(
  { seed, days, recall = true, learns = true }: LearningOptions,
  onEntry: (entry: JournalEntry) => void = () => undefined,
): Promise<LearningReport> {
  await using building = new AsyncDisposableStack();
  const core = await openCore({ seed, days, recall, learns }, building);
  const counting = new Counting(core);
  building.use(core.ledger.subscribe((entry) => counting.onEntry(entry)));
  building.use(core.ledger.subscribe(onEntry));
  building.use(core.clock.every(MINUTE_MS, () => core.world.round()));
  core.pipeline.start();
  for (let day = 1; day <= days; day += 1) {
    core.agenda.add(core.host.monotonicMs() + day * DAY_MS - 1, () => {
      if (day % 7 === 0 || day === days) counting.week();
      if (learns) promote(core);
    });
  }
  if (learns) core.agenda.add(core.host.monotonicMs() + PLANTED_MS, () => plant(core, counting));
  await until(core, days * DAY_MS);
  return {
    weeks: counting.weeks,
    modelCalls: core.calls.all,
    rules: core.learning.records().records.map((record) => {
      const { mean, low } = upliftOf(record.treated, record.control);
      const n = record.treated.successes + record.treated.failures;
      const denied = counting.denied.get(record.rule) ?? 0;
      const state = record.state ?? 'shipped';
      return { id: record.rule, state, because: record.because ?? '', n, denied, uplift: mean, low };
    }),
    refused: [...counting.refused].map(([id, because]) => ({ id, because })),
    patterns: core.patternRecords().records.map((record) => {
      const { mean, low } = patternUplift(record);
      const n = record.treated.successes + record.treated.failures + record.aimless + record.idle;
      return { id: record.pattern, state: record.state, because: record.because, n, uplift: mean, low };
    }),
    entries: core.ledger.lastSeq,
  };
}

async function until(core: Core, endMs: number): Promise<void> {
  const { agenda, host, time } = core;
  for (;;) {
    const next = agenda.next();
    if (next === undefined) return;
    const atMs = host.worldMsAt(next.atMs);
    if (atMs > endMs) return;
    if (atMs > time.nowMs && leap(core, endMs)) continue;
    time.nowMs = Math.max(time.nowMs, atMs);
    const due = agenda.take()!;
    const before = time.active;
    due.run();
    if (!due.tick || time.active !== before) await drained();
  }
}

/** Skips whole minutes in which nothing can happen, as the simulation does. */
function leap({ agenda, host, time, world, pipeline, probes, clock }: Core, endMs: number): boolean {
  const isQuiet =
    world.quiet &&
    clock.monotonicMs() === probes.wholeLookMs &&
    clock.monotonicMs() >= probes.fastUntilMs &&
    pipeline.incidents().open.length === 0 &&
    Object.keys(pipeline.guardState().containments).length === 0 &&
    pipeline.watch.causes.length === 0 &&
    pipeline.watch.all().every(({ finding }) => !finding.trouble && finding.healthy === true);
  if (!isQuiet) return false;
  const singleMs = Math.min(host.worldMsAt(agenda.firstSingleMs()), endMs);
  const minutes = Math.floor((singleMs - RUN_UP_MS - time.nowMs) / MINUTE_MS);
  if (minutes < 1) return false;
  agenda.skipTicks(minutes * MINUTE_MS);
  time.nowMs += minutes * MINUTE_MS;
  probes.look(true);
  return true;
}

/** A person promotes whatever is offered, once a day, without looking twice. */
function promote(core: Core): void {
  const { learning, teaching } = core;
  learning.refresh();
  for (const record of learning.records().records) {
    const offer = offerOf(record);
    const proposal = learning.proposals.find(record.rule);
    if (offer === undefined || proposal === undefined) continue;
    if (record.state === 'shadow') core.useRule(proposal.text);
    ruleState(core, record.rule, offer.to);
  }
  for (const record of core.patternRecords().records) {
    const offer = patternOfferOf(record);
    if (offer === undefined) continue;
    const view = teaching.views().find((one) => (one as { id: string }).id === record.pattern) as { text: string };
    if (record.state !== 'staging') core.usePattern(record.pattern, view.text);
    teaching.setState({ id: record.pattern, to: offer.to, ...PERSON });
  }
}

function ruleState({ learning, ledger }: Core, rule: string, to: RuleState): void {
  const result = learning.setState({ rule, to, ...PERSON }, { rules: [] });
  if (!result.ok) throw new Error(result.because);
  ledger.append(result.drafts);
}

/** Somebody puts things into use that they should not have. */
function plant(core: Core, counting: Counting): void {
  for (const { id, text } of PLANTED_RULES) {
    try {
      core.learning.proposals.write(text);
    } catch (thrown) {
      counting.refused.set(id, messageOf(thrown));
      continue;
    }
    core.learning.refresh();
    core.useRule(text);
    ruleState(core, id, 'staging');
  }
  for (const { id, text } of PLANTED_PATTERNS) {
    mkdirSync(core.patternFolder, { recursive: true });
    writeFileSync(join(core.patternFolder, `${id}.yaml`), text);
    core.usePattern(id, text);
    const answer = core.teaching.setState({ id, to: 'production', ...PERSON });
    if (!answer.ok) throw new Error(answer.because);
  }
}

/** Incidents that closed in each week, and in which of them a model was asked. */
class Counting {
  readonly weeks: Week[] = [];
  /** Planted rules that were not let in, and why. */
  readonly refused = new Map<string, string>();
  /** Calls that the guard refused, by rule. */
  readonly denied = new Map<string, number>();
  readonly #core: Core;
  readonly #runs = new Map<string, string>();
  readonly #asked = new Set<string>();
  #incidents = 0;
  #askedCount = 0;
  #viewerS = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  onEntry({ fact, incident, run }: JournalEntry): void {
    if (incident === undefined) return;
    if (fact.type === 'plan.made' && run !== undefined && fact.plan.by.kind === 'rule')
      this.#runs.set(run, fact.plan.by.rule);
    if (fact.type === 'guard.decided' && fact.decision.verdict === 'deny') {
      const rule = this.#runs.get(run ?? '') ?? '';
      this.denied.set(rule, (this.denied.get(rule) ?? 0) + 1);
    }
    if (fact.type === 'model.called' && !this.#asked.has(incident)) {
      this.#asked.add(incident);
      this.#askedCount += 1;
    }
    if (fact.type === 'incident.closed') this.#incidents += 1;
  }

  week(): void {
    const viewerS = this.#core.world.service.downtime.viewerSeconds(this.#core.time.nowMs);
    const viewerHours = (viewerS - this.#viewerS) / 3_600;
    this.weeks.push({ incidents: this.#incidents, asked: this.#askedCount, viewerHours });
    this.#viewerS = viewerS;
    this.#incidents = 0;
    this.#askedCount = 0;
  }
}
