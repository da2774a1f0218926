/** The read models behind the API. */
import { type Choice, numbered } from '../agent/choices.ts';
import { heldBelow, leaseOf, windowOf } from '../control/state.ts';
import { pendingApprovals } from '../control/approvals.ts';
import type { MonoMs } from '../core/clock.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { Problem } from '../core/errors.ts';
import type { Read } from '../core/journal.ts';
import { keyOfScope, type Scope, scopesOf } from '../core/scope.ts';
import { TOOL_NAMES, toolNamed } from '../core/tool.ts';
import { breakerOf } from '../guard/containment.ts';
import { subjectAt } from '../guard/state/state.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { type OpenIncident, openOn } from '../incident/lifecycle/state.ts';
import type { ChannelSetup } from '../ground/facts/setup.ts';
import type { Page } from '../escalate/outbox.ts';
import { type IncidentViewDeps, IncidentViews } from './incident_views.ts';
import { pageViews } from './pages.ts';
import { questionViews, refusedNow } from './questions.ts';
import { lastDecision, whyOf } from './why.ts';
import { windowViews } from './windows.ts';

export interface ViewDeps extends IncidentViewDeps {
  readonly version: string;
  readonly settings: () => Settings;
  readonly channels: readonly ChannelSetup[];
  /** Open ones, and those that are over and kept. */
  readonly pagesKept: Read<readonly Page[]>;
  readonly secondsSinceLastDeliveryOk: () => number | undefined;
  readonly receivers: Read<readonly { readonly id: string; readonly error: string | undefined }[]>;
  /** Why the last heartbeat did not leave or was not taken. */
  readonly heartbeat: Read<string | undefined>;
  /** Problems of the last reload that was refused; empty when all is well. */
  readonly problems: () => readonly Problem[];
  /** Keys of the configuration that were changed and wait for the next start. */
  readonly waiting: () => readonly string[];
}

/** What people and programs read, made at the moment of asking from the journal's projections. */
export class Views {
  readonly #deps: ViewDeps;
  readonly #incidents: IncidentViews;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#incidents = new IncidentViews(deps);
  }

  status(): unknown {
    const { pipeline, version, receivers, secondsSinceLastDeliveryOk } = this.#deps;
    const nowMs = this.#deps.clock.monotonicMs();
    const control = pipeline.control();
    return {
      version,
      phase: this.#phase(),
      frozen: control.frozen !== undefined,
      freeze: control.frozen,
      fleetBudget: pipeline.fleetBudget(),
      containment: Object.values(pipeline.guardState().containments).map((held) => ({
        scope: keyOfScope(held.scope),
        reason: held.reason,
        detail: held.detail,
        forMs: nowMs - held.raisedMs,
        releaseByPerson: held.releaseByPerson,
      })),
      channels: this.channels(),
      incidents: this.#incidents.open(),
      approvals: this.approvals(),
      pages: this.pages(),
      windows: windowViews(control, nowMs),
      lastDelivery: { secondsAgo: secondsSinceLastDeliveryOk() ?? null },
      receivers: receivers(),
      problems: this.#problems(),
    };
  }

  channels(): readonly { readonly id: string }[] {
    return this.#deps.channels.map((channel) => this.#channelView(channel));
  }

  approvals(): readonly unknown[] {
    return questionViews(this.#deps.pipeline, this.#deps.clock.monotonicMs());
  }

  pages(): readonly unknown[] {
    const { clock, pagesKept } = this.#deps;
    return pageViews(pagesKept(), { nowMs: clock.monotonicMs(), now: clock.now() });
  }

  /** Newest first: open and closed ones. */
  incidents(filter: { readonly channel: string | undefined; readonly limit: number }): readonly unknown[] {
    return this.#incidents.list(filter);
  }

  /** The story of one incident; undefined when there is none of that id. */
  incident(id: string): unknown {
    return this.#incidents.story(id);
  }

  /** The last decision of the guard about the channel; without one, why it had nothing to decide. */
  why(channel: string): unknown {
    const watched = this.#deps.pipeline.watch.watched(channel);
    if (watched === undefined) return undefined;
    const { pipeline, clock, read, count } = this.#deps;
    const [control, state, nowMs] = [pipeline.control(), pipeline.guardState(), clock.monotonicMs()];
    const open = this.#openAbout(channel);
    const last = lastDecision(read, channel, open);
    const isCut = open !== undefined && count({ incident: open.incident.id, types: ['incident.opened'] }) === 0;
    const asked = pendingApprovals(control, nowMs)
      .filter(({ incident }) => incident === open?.incident.id)
      .map((approval) => ({ ...approval, refused: refusedNow(approval, pipeline) }));
    const finding = watched.finding.because;
    const choices = this.#choices(channel);
    return whyOf({ state, control, channel, nowMs, now: clock.now(), finding, open, isCut, last, asked, choices });
  }

  /** Its own incident; else one of its group or engine that names it. */
  #openAbout(channel: string): OpenIncident | undefined {
    const incidents = this.#deps.pipeline.incidents();
    const own = openOn(incidents, { kind: 'channel', id: channel });
    return own ?? incidents.open.find(({ incident }) => incident.channels.includes(channel));
  }

  /** What a planner would be offered now: the calls that the guard would allow or ask a person about, and the ends. */
  #choices(channel: string): readonly Choice[] {
    const { pipeline } = this.#deps;
    return numbered(
      TOOL_NAMES.flatMap((tool) => {
        const preview = pipeline.preview(channel, tool);
        const needsApproval = preview?.code === 'approval_needed';
        return preview?.verdict === 'allow' || needsApproval
          ? [{ tool, target: `channel:${channel}`, needsApproval }]
          : [];
      }),
    );
  }

  /**
   * The exact text and choices that a model would be sent about the channel's open incident; the prompt is null where
   * there is none, or no model may choose.
   */
  prompt(channel: string): unknown {
    const { pipeline, settings } = this.#deps;
    if (pipeline.watch.watched(channel) === undefined) return undefined;
    const choices = this.#choices(channel);
    const open = openOn(pipeline.incidents(), { kind: 'channel', id: channel });
    const promptOf = settings().planner?.planner.promptOf;
    if (open === undefined || promptOf === undefined) {
      const because = open === undefined ? 'no incident is open on the channel' : 'no model may choose (planner.mode)';
      return { id: channel, prompt: null, because, choices };
    }
    const { incident } = open;
    const situation = { incident: incident.id, envelope: pipeline.snapshots.envelope(incident), attempts: [], choices };
    return { id: channel, incident: incident.id, prompt: promptOf(situation), choices };
  }

  /** What would be decided now, with the members that `why` has; undefined where there is no such channel or tool. */
  whyNot(channel: string, name: string): unknown {
    const tool = toolNamed(name);
    const preview = tool && this.#deps.pipeline.preview(channel, tool);
    return preview && { ...preview, code: preview.code ?? null };
  }

  #channelView(ref: ChannelSetup): { readonly id: string; readonly [field: string]: unknown } {
    const { pipeline, settings } = this.#deps;
    const nowMs = this.#deps.clock.monotonicMs();
    const scope: Scope = { kind: 'channel', id: ref.id };
    const watched = pipeline.watch.watched(ref.id);
    const subject = subjectAt(pipeline.guardState(), keyOfScope(scope));
    const breaker = breakerOf(subject, settings().limits, nowMs);
    const scopes = scopesOf(ref);
    const starts = pipeline
      .guardState()
      .starts.filter((mark) => mark.channel === ref.id && mark.atMs > nowMs - HOUR_MS);
    return {
      id: ref.id,
      group: ref.group,
      engine: ref.engine,
      persona: settings().personaOf(scope, ref.group).id,
      phase: pipeline.channelIndex.phaseOf(ref.group),
      healthy: watched?.finding.healthy ?? null,
      classification: watched?.finding.classification ?? null,
      because: watched?.finding.because ?? 'not looked at yet',
      restartCount: starts.length,
      breaker: breaker.state,
      poolPressure: pipeline.factStore.engineFacts(ref.engine).last?.poolPressure ?? null,
      unknownOutcome: subject.unknown !== undefined,
      leasedForMs: remaining(leaseOf(pipeline.control(), scopes, nowMs)?.untilMs, nowMs),
      maintenanceForMs: remaining(windowOf(pipeline.control(), scopes, nowMs)?.untilMs, nowMs),
    };
  }

  /** The phase that holds where no group has one of its own. */
  #phase(): number {
    return this.#deps.pipeline.channelIndex.phaseOf('');
  }

  #problems(): readonly string[] {
    const { problems, waiting, pipeline, receivers, heartbeat } = this.#deps;
    const journal = pipeline.guard.journalError;
    const below = heldBelow(pipeline.control(), this.#deps.settings().initialPhase(''));
    return [
      ...(below === undefined ? [] : [`${below.because}: held at phase ${below.held} until reeve phase N sets one`]),
      ...(journal === undefined ? [] : [`the journal cannot be trusted: ${journal}`]),
      ...problems().map(({ file, line, column, message }) => `edit refused: ${file}:${line}:${column}: ${message}`),
      ...waiting().map((key) => `${key}: was changed in the configuration; start Reeve anew for it`),
      ...receivers().flatMap(({ id, error }) => (error ? [`receiver ${id} does not take pages: ${error}`] : [])),
      ...[heartbeat()].filter((trouble) => trouble !== undefined),
    ];
  }
}

const remaining = (untilMs: MonoMs | undefined, nowMs: MonoMs): number =>
  untilMs === undefined ? 0 : Math.max(0, untilMs - nowMs);
