import { controlProjection, type ControlState } from '../../src/control/state.ts';
import type { Draft, JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits.ts';
import { Permit } from '../../src/core/tool.ts';
import { guardProjection } from '../../src/guard/state/fold.ts';
import { Guard } from '../../src/guard/guard.ts';
import type { GuardState } from '../../src/guard/state/state.ts';
import { aChannel, aPersona, anEnvelope, anIncident, aResult, aVerification } from '../support/a.ts';

/** What may happen next. The number is the channel; waiting and the crash are of both. */
export type Happening =
  | { readonly kind: 'ask' | 'go' | 'cured' | 'failed' | 'foreign'; readonly channel: 0 | 1 }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'crash' };

export interface Broken {
  readonly law: string;
  readonly because: string;
  readonly path: readonly string[];
}

export interface Exploration {
  /** Orders of events that were lived through. */
  readonly paths: number;
  readonly starts: number;
  readonly broken: Broken | undefined;
}

const CHANNELS = ['a', 'b'] as const;
const WAITS_MS = [31_000, 61_000, 121_000];
/** Small numbers, so that seven events reach every limit. `narrow_group`: what the window would hide otherwise. */
const VARIANTS = {
  narrow_window: { windowStartsMax: 2, breakerFailuresMax: 1, dailyRestartCap: 2, restartCap: 3 },
  narrow_group: { highRiskPerGroupMax: 1, breakerFailuresMax: 9, dailyRestartCap: 1, restartCap: 3 },
  narrow_incident: { breakerFailuresMax: 9, dailyRestartCap: 9, restartCap: 1 },
} as const;
export type Variant = keyof typeof VARIANTS;
export const EXPLORED = Object.keys(VARIANTS) as readonly Variant[];

let LIMITS: Limits = DEFAULT_LIMITS;
let RESTART_CAP = 3;

/** What really happened to one channel, kept on paper. */
interface Sheet {
  readonly begun: readonly number[];
  readonly endedMs: number | undefined;
  readonly underWay: boolean;
  readonly unknown: boolean;
  /** Restarts are refused until then: one failure opens the breaker, and each failed probe doubles it. */
  readonly openUntilMs: number;
  readonly trips: number;
}

interface Node {
  readonly state: GuardState;
  readonly control: ControlState;
  readonly nowMs: number;
  readonly seq: number;
  readonly permits: readonly (Permit | undefined)[];
  readonly sheets: readonly Sheet[];
  readonly foreign: readonly number[];
  readonly crashed: boolean;
  readonly path: readonly string[];
}

const blank: Sheet = { begun: [], endedMs: undefined, underWay: false, unknown: false, openUntilMs: 0, trips: 0 };

/**
 * Every order of at most `depth` events on two channels that share a group, a window and at most one crash, against
 * the guard itself: its states are immutable, so every branch goes on from the very state in which it left.
 */
export function explore(depth: number, variant: Variant = 'narrow_window'): Exploration {
  const { restartCap, ...limits } = VARIANTS[variant];
  LIMITS = { ...DEFAULT_LIMITS, fingerprintMemoryMs: 1, ...limits };
  RESTART_CAP = restartCap;
  let paths = 0;
  let starts = 0;
  let broken: Broken | undefined;
  let live: Node = {
    state: guardProjection.initial,
    control: controlProjection.initial,
    nowMs: 1_000_000,
    seq: 0,
    permits: [undefined, undefined],
    sheets: [blank, blank],
    foreign: [],
    crashed: false,
    path: [],
  };

  const append = (drafts: readonly Draft[]): readonly JournalEntry[] => {
    const entries: JournalEntry[] = [];
    for (const draft of drafts) {
      const entry = { ...draft, seq: live.seq + 1, at: live.nowMs, monoMs: live.nowMs, boot: 'boot-1+0' };
      entries.push(entry);
      const state = guardProjection.apply(live.state, entry);
      live = { ...live, seq: entry.seq, state, control: controlProjection.apply(live.control, entry) };
    }
    return entries;
  };
  let ids = 0;
  const guard = new Guard({
    append,
    guardState: () => live.state,
    control: () => live.control,
    clock: {
      bootId: 'boot-1',
      now: () => live.nowMs,
      monotonicMs: () => live.nowMs,
      after: () => ({ [Symbol.dispose]: () => undefined }),
      every: () => ({ [Symbol.dispose]: () => undefined }),
      sleep: () => Promise.resolve(),
    },
    ids: { next: (prefix) => `${prefix}-${++ids}` },
    limits: () => LIMITS,
    onEscalate: () => [],
    channelOf: (id) => aChannel({ id, group: 'g', engine: 'local' }),
    capabilitiesOf: () => new Set(['restart']),
    liveFacts: () => ({ poolPressure: undefined, reportsPool: false, viewers: undefined }),
    initialPhase: () => 4,
  });
  const persona = aPersona({ restart_cap: RESTART_CAP });

  const breaks = (law: string, because: string): void => {
    broken ??= { law, because, path: live.path };
  };
  const put = (channel: 0 | 1, change: Partial<Sheet>): void => {
    live = { ...live, sheets: live.sheets.with(channel, { ...live.sheets[channel]!, ...change }) };
  };

  const ask = (channel: 0 | 1): boolean => {
    const id = CHANNELS[channel];
    const scope = { kind: 'channel', id } as const;
    const { nowMs } = live;
    const fresh = anEnvelope();
    const decision = guard.decide({
      call: { tool: 'restart_channel', target: scope, channels: [] },
      envelope: {
        ...fresh,
        channelId: id,
        scope,
        group: 'g',
        engine: 'local',
        takenMs: nowMs,
        fingerprint: `f${live.seq}`,
        signals: fresh.signals.map((signal) => ({ ...signal, monoMs: nowMs })),
      },
      persona,
      incident: anIncident({ id: `inc-${id}`, scope, group: 'g', engine: 'local' }),
      run: `run-${live.seq}`,
      decider: { kind: 'model', model: 'any' },
      stepHighRiskUsed: false,
    });
    if (decision.verdict === 'deny') return false;
    // The window is asked with the reservation: what others start after it cannot be taken back.
    const own = live.sheets.flatMap((sheet) => sheet.begun);
    const held = live.permits.filter((permit, at) => isHeld(permit, nowMs) && !live.sheets[at]!.underWay).length;
    const starts = recent([...own, ...live.foreign], LIMITS.windowMs, nowMs) + held + 1;
    if (starts > LIMITS.windowStartsMax) breaks('S2', `start ${starts} of the window`);
    live = { ...live, permits: live.permits.with(channel, decision.permit) };
    return true;
  };

  /** The permit is redeemed, and the laws are asked of the paper. */
  const go = (channel: 0 | 1): boolean => {
    const permit = live.permits[channel]!;
    const { nowMs } = live;
    // Each branch holds a permit of its own: one that was used in a sibling is not used here.
    if (!Permit.grant(permit.terms).redeem(nowMs)) return false;
    starts += 1;
    const sheet = live.sheets[channel]!;
    judgeStart(sheet, { nowMs, all: live.sheets }, breaks);
    append([{ channel: CHANNELS[channel], fact: { type: 'tool.started', permit: permit.terms } }]);
    put(channel, { begun: [...sheet.begun, nowMs], underWay: true });
    return true;
  };

  const end = (channel: 0 | 1, cured: boolean): void => {
    const { terms } = live.permits[channel]!;
    const about = { channel: CHANNELS[channel], incident: terms.incident, run: terms.run };
    const verification = aVerification({ permit: terms.id, cured });
    const facts: readonly JournalFact[] = [
      { type: 'tool.finished', permit: terms, result: aResult({ permit: terms.id }) },
      { type: 'attempt.verified', permit: terms, verification, fingerprint: terms.fingerprint ?? '' },
    ];
    append(facts.map((fact) => ({ ...about, fact })));
    live = { ...live, permits: live.permits.with(channel, undefined) };
    put(channel, { endedMs: live.nowMs, underWay: false, ...after(live.sheets[channel]!, cured, live.nowMs) });
  };

  const crash = (): void => {
    const { permits, sheets, nowMs } = live;
    const lost = permits.flatMap((permit, at) => (permit !== undefined && sheets[at]!.underWay ? [permit.terms] : []));
    const unknowns = lost.map((permit): Draft => {
      const channel = permit.call.target.kind === 'channel' ? permit.call.target.id : undefined;
      return { channel, incident: permit.incident, fact: { type: 'tool.unknown', permit, because: 'a crash' } };
    });
    append([...unknowns, { fact: { type: 'reeve.started', version: '0', configSha: '' } }]);
    for (const channel of [0, 1] as const) {
      const sheet = sheets[channel]!;
      if (!sheet.underWay) continue;
      put(channel, { underWay: false, unknown: true, endedMs: nowMs, ...after(sheet, false, nowMs) });
    }
    live = { ...live, permits: [undefined, undefined], crashed: true };
  };

  const happen = (event: Happening): boolean => {
    if (event.kind === 'wait') live = { ...live, nowMs: live.nowMs + event.ms };
    else if (event.kind === 'crash') crash();
    else if (event.kind === 'ask') return ask(event.channel);
    else if (event.kind === 'go') return go(event.channel);
    else if (event.kind === 'foreign') {
      const generation = `l${live.seq}`;
      const fact = { type: 'start.observed', origin: 'engine', generation, engine: 'local' } as const;
      append([{ channel: CHANNELS[event.channel], fact }]);
      live = { ...live, foreign: [...live.foreign, live.nowMs] };
    } else end(event.channel, event.kind === 'cured');
    return true;
  };

  const walk = (left: number): void => {
    if (left === 0 || broken !== undefined) {
      paths += 1;
      return;
    }
    const here = live;
    for (const event of nextOf(here)) {
      live = { ...here, path: [...here.path, describe(event)] };
      // A refusal changes nothing but the journal: what comes after it comes without it, too.
      if (happen(event)) walk(left - 1);
      live = here;
      if (broken !== undefined) return;
    }
    paths += 1;
  };
  walk(depth);
  return { paths, starts, broken };
}

const isHeld = (permit: Permit | undefined, nowMs: number): boolean =>
  permit !== undefined && nowMs < permit.terms.expiresMs;

function nextOf({ permits, sheets, crashed, path, nowMs }: Node): readonly Happening[] {
  const events: Happening[] = [];
  for (const channel of [0, 1] as const) {
    // Both channels are alike: the first to be asked is always the first.
    if (channel === 1 && path.length === 0) continue;
    const { underWay } = sheets[channel]!;
    if (underWay) events.push({ kind: 'cured', channel }, { kind: 'failed', channel });
    else events.push({ kind: isHeld(permits[channel], nowMs) ? 'go' : 'ask', channel });
  }
  events.push({ kind: 'foreign', channel: 0 });
  if (!path.at(-1)?.startsWith('wait')) for (const ms of WAITS_MS) events.push({ kind: 'wait', ms });
  if (!crashed && path.length > 0) events.push({ kind: 'crash' });
  return events;
}

const describe = (event: Happening): string =>
  event.kind === 'wait' ? `wait ${event.ms}` : event.kind === 'crash' ? 'crash' : `${event.kind} ${event.channel}`;

/** S3 by hand: one failure opens; the next that begins after the time is the probe, whose failure doubles it. */
function after({ trips }: Sheet, cured: boolean, nowMs: number): Partial<Sheet> {
  if (cured || LIMITS.breakerFailuresMax > 1) return { trips: 0 };
  const next = trips + 1;
  const openMs = Math.min(LIMITS.breakerOpenMs * 2 ** (next - 1), LIMITS.breakerOpenMsMax);
  return { trips: next, openUntilMs: nowMs + openMs };
}

interface Around {
  readonly nowMs: number;
  readonly all: readonly Sheet[];
}

const recent = (times: readonly number[], ms: number, nowMs: number): number =>
  times.filter((one) => one > nowMs - ms).length;

function judgeStart(sheet: Sheet, { nowMs, all }: Around, breaks: (law: string, because: string) => void): void {
  const { begun, endedMs, underWay, unknown, openUntilMs } = sheet;
  const gapMs = endedMs === undefined ? Number.POSITIVE_INFINITY : nowMs - endedMs;
  if (underWay) breaks('S6', 'a second start while the first is under way');
  if (unknown) breaks('S6', 'a start although the last one is UNKNOWN');
  if (gapMs < LIMITS.restartCooldownMs) breaks('S1', `${gapMs} ms after the last end`);
  if (gapMs < LIMITS.highRiskSpacingMs) breaks('S4', `${gapMs} ms after the last high risk of the channel`);
  if (nowMs < openUntilMs) breaks('S3', `${openUntilMs - nowMs} ms before the breaker may be probed`);
  if (begun.length + 1 > Math.min(RESTART_CAP, LIMITS.dailyRestartCap)) breaks('S5', `restart ${begun.length + 1}`);
  const own = all.flatMap((one) => one.begun);
  const inWindow = recent(own, LIMITS.windowMs, nowMs) + 1;
  if (inWindow > LIMITS.windowStartsMax) breaks('S2', `start ${inWindow} of the window`);
  const inGroup = recent(own, LIMITS.highRiskSpacingMs, nowMs) + 1;
  if (inGroup > LIMITS.highRiskPerGroupMax) breaks('S4', `high-risk action ${inGroup} of the group`);
}
