/** A planner that asks for anything at any time. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { Engine } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { Incident } from '../core/incident.ts';
import type { Persona } from '../core/persona.ts';
import type { Permit, ToolCall } from '../core/tool.ts';
import { isStaged, TOOL_SPECS } from '../remediation/catalog.ts';
import { createRunner, type Runner } from '../remediation/runner.ts';
import { createToolbox } from '../remediation/toolbox.ts';
import { anyCall, restartOf } from './planners.ts';
import type { ServiceModel } from './service_model.ts';
import type { SimulatedDaemon } from './simulated_daemon.ts';
import { type Stream, streamOf } from './random_streams.ts';
import type { Scenario } from './scenario.ts';

export interface AdversarialPlannerDeps {
  readonly script: Scenario;
  readonly daemonRun: number;
  readonly service: ServiceModel;
  /** Read for each question, as the decision path does: whose persona counts is nothing that a planner chooses. */
  readonly personaOf: (channel: string) => Persona;
  readonly reeve: SimulatedDaemon;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly quiet: () => boolean;
}

const EVERY_MS = 500;
const NEVER = new AbortController().signal;

/**
 * A planner without a controller: it asks the guard at any time, about any channel, with forged evidence, incidents
 * and approvals of its own making, keeps permits to use them late or twice, and reports nothing. What it is allowed to
 * do, it does through the production runner.
 */
export class AdversarialPlanner implements Disposable {
  readonly #deps: AdversarialPlannerDeps;
  readonly #stream: Stream;
  readonly #runner: Runner;
  readonly #ticking: Disposable;
  readonly #kept: Permit[] = [];
  readonly #runs: string[] = [];
  plans = 0;

  constructor(deps: AdversarialPlannerDeps) {
    this.#deps = deps;
    const { reeve, engines, script, daemonRun } = deps;
    this.#stream = streamOf(script.seed, `hammer:${daemonRun}`);
    const { clock } = reeve.ledger;
    const toolbox = createToolbox({
      channelOf: (id) => reeve.pipeline.factStore.view(id)?.setup,
      engineOf: (id) => engines.get(id),
      healthLine: () => 'unknown',
      clean: (text) => text,
    });
    this.#runner = createRunner({
      ...{ toolbox, specs: TOOL_SPECS, append: reeve.append, clock, clean: (text: string) => text },
      onUnknown: (terms) => reeve.pageUnknown(terms),
    });
    this.#ticking = clock.every(EVERY_MS, () => this.#strikeOnce());
  }

  [Symbol.dispose](): void {
    this.#ticking[Symbol.dispose]();
  }

  /** A disk that fails under it does not concern the adversarial planner. */
  #strikeOnce(): void {
    try {
      this.#strike();
    } catch (thrown) {
      if (!(thrown instanceof ReeveError)) throw thrown;
    }
  }

  #strike(): void {
    const { reeve, quiet } = this.#deps;
    if (!reeve.alive || reeve.ledger.broken !== undefined || quiet()) return;
    const stream = this.#stream;
    const kept = stream.chance(0.1) ? this.#kept.shift() : undefined;
    if (kept !== undefined) this.#use(kept);
    const incident = this.#incident();
    const envelope = this.#forged(reeve.pipeline.snapshots.envelope(incident));
    const run = this.#run();
    const about = { incident: incident.id, run };
    reeve.append([{ ...about, fact: { type: 'envelope.taken', envelope } }]);
    this.plans += 1;
    const call = this.#call({ ...envelope, scope: incident.scope });
    const decision = reeve.pipeline.guard.decide({
      call,
      envelope,
      incident,
      run,
      persona: this.#personaFor(call, incident),
      decider: { kind: 'model', model: 'hammer' },
      stepHighRiskUsed: false,
      approval: this.#anyApproval(),
    });
    if (decision.verdict === 'deny' || isStaged(call)) return;
    const { permit } = decision;
    if (stream.chance(0.15)) this.#kept.push(permit);
    else this.#use(permit);
  }

  /** The open incident of a channel that is down, or one that it makes up. */
  #incident(): Incident {
    const { reeve, service, script } = this.#deps;
    const stream = this.#stream;
    const open = reeve.pipeline.incidents().open.map(({ incident }) => incident);
    const down = script.channels.filter(({ id }) => !service.produces(service.at(id)));
    const wanted = down.length > 0 && stream.chance(0.9) ? stream.pick(down) : stream.pick(script.channels);
    const own = open.find(({ scope }) => scope.kind === 'channel' && scope.id === wanted.id);
    if (own !== undefined && stream.chance(0.8)) return own;
    const { clock } = reeve.ledger;
    const incident: Incident = {
      id: `inc-h${this.#deps.daemonRun}-${clock.monotonicMs()}`,
      scope: { kind: 'channel', id: wanted.id },
      group: wanted.group,
      engine: wanted.engine,
      openedAt: clock.now(),
      openedMs: clock.monotonicMs(),
      classification: 'process_crashed',
      channels: [],
    };
    if (own === undefined && stream.chance(0.2)) {
      reeve.append([{ channel: wanted.id, incident: incident.id, fact: { type: 'incident.opened', incident } }]);
    }
    return incident;
  }

  #forged(honest: GroundedContextEnvelope): GroundedContextEnvelope {
    const stream = this.#stream;
    const classification = { failureClassification: 'process_crashed', confidence: 1 } as const;
    switch (stream.int(0, 7)) {
      case 0:
        return { ...honest, takenMs: honest.takenMs - stream.int(100_000, 200_000) };
      case 1:
        return { ...honest, ...classification, signals: honest.signals.filter(({ origin }) => origin === 'log') };
      case 2: {
        const old = honest.signals.map((signal) => ({
          ...signal,
          monoMs: signal.monoMs - stream.int(90_000, 150_000),
        }));
        return { ...honest, ...classification, signals: old };
      }
      case 3:
        return { ...honest, failureClassification: stream.pick(['unknown', 'item_churn', 'upstream_unavailable']) };
      case 4:
        return { ...honest, scope: { kind: 'channel', id: stream.pick(this.#deps.script.channels).id } };
      case 5:
        return { ...honest, fingerprint: `made-up-${stream.int(0, 1e6)}` };
      default:
        return honest.failureClassification === undefined
          ? honest
          : { ...honest, fingerprint: `x${stream.int(0, 1e6)}` };
    }
  }

  #call(envelope: GroundedContextEnvelope): ToolCall {
    return this.#stream.chance(0.75) ? restartOf(envelope) : anyCall(this.#deps.script, this.#stream);
  }

  #personaFor({ target }: ToolCall, { scope }: Incident): Persona {
    const about = target.kind === 'channel' ? target : scope;
    return this.#deps.personaOf(about.kind === 'channel' ? about.id : '');
  }

  /** Mostly a new run; sometimes one that is over. */
  #run(): string {
    const old = this.#runs.at(-1);
    if (old !== undefined && this.#stream.chance(0.2)) return old;
    const run = `run-h${this.#deps.daemonRun}-${this.plans}`;
    this.#runs.push(run);
    return run;
  }

  #anyApproval(): string | undefined {
    const { approvals } = this.#deps.reeve.pipeline.control();
    return approvals.length === 0 ? undefined : this.#stream.pick(approvals).approval.id;
  }

  #use(permit: Permit): void {
    const { reeve, service } = this.#deps;
    const again = this.#stream.chance(0.3);
    const { terms } = permit;
    const id = terms.call.target.kind === 'channel' ? terms.call.target.id : undefined;
    const about = { channel: id, incident: terms.incident, run: terms.run };
    const judged = this.#stream.chance(0.7);
    const lie = this.#stream.chance(0.3);
    this.#runner
      .run(permit, NEVER)
      .then(async () => {
        if (again) await this.#runner.run(permit, NEVER);
        await reeve.ledger.clock.sleep(9_000);
        if (!judged || id === undefined) return;
        const cured = lie ? false : service.produces(service.at(id));
        const verification = { permit: terms.id, cured, because: 'as it was seen', waitedMs: 9_000 };
        const fingerprint = terms.fingerprint ?? '';
        reeve.append([{ ...about, fact: { type: 'attempt.verified', permit: terms, verification, fingerprint } }]);
      })
      .catch(() => undefined);
  }
}
