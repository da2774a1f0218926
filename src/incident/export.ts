// Exports one incident from the journal as one file that can be replayed on another machine.
import type { EpochMs, MonoMs } from '../core/clock.ts';
import type { Phase } from '../core/control.ts';
import { DAY_MS } from '../core/duration.ts';
import type { Incident } from '../core/incident.ts';
import type { FactType, JournalEntry, JournalQuery } from '../core/journal.ts';
import type { Limits } from '../core/limits.ts';
import type { Persona } from '../core/persona.ts';
import type { ChannelRef, EngineId } from '../core/scope.ts';
import type { Capability } from '../core/tool.ts';

/** One incident as one file: what the journal holds of it, and all that its decisions rested on. Replayed elsewhere. */
export interface IncidentExport {
  readonly format: typeof EXPORT_FORMAT;
  readonly version: typeof EXPORT_VERSION;
  readonly exportedAt: EpochMs;
  readonly reeve: string;
  /** Of the configuration that held when the incident was opened. */
  readonly configSha256: string;
  readonly incident: Incident;
  readonly persona: Persona;
  readonly limits: Limits;
  readonly phase: Phase;
  /** The channels of its group and engine. */
  readonly channels: readonly ChannelRef[];
  readonly capabilities: readonly { readonly engine: EngineId; readonly can: readonly Capability[] }[];
  /** What the journal holds of the incident, oldest first; envelopes included. */
  readonly entries: readonly ExportedEntry[];
  /** Newer ones that did not fit. Absent in a file of an earlier version. */
  readonly leftOut?: number;
  /** What the guard counted besides: of other incidents and of none, from a day before to the last entry. */
  readonly context: readonly ExportedEntry[];
  /** Older entries of the context that did not fit. */
  readonly contextDropped: boolean;
}

export type ExportedEntry = Pick<JournalEntry, 'seq' | 'at' | 'monoMs' | 'channel' | 'incident' | 'run' | 'fact'>;

export const EXPORT_FORMAT = 'reeve-incident';
export const EXPORT_VERSION = 1;

/** What an export is made of. */
export interface ExportDeps {
  readonly version: string;
  readonly at: EpochMs;
  readonly read: (query: JournalQuery) => Iterable<JournalEntry>;
  /** How many records match. */
  readonly count: (query: JournalQuery) => number;
  readonly personaOf: (incident: Incident) => Persona;
  readonly limits: Limits;
  readonly phaseOf: (incident: Incident) => Phase;
  readonly channels: readonly ChannelRef[];
  readonly capabilities: ReadonlyMap<EngineId, ReadonlySet<Capability>>;
}

const ENTRIES_MAX = 5_000;
const CONTEXT_MAX = 5_000;

/** What the guard's and the control state are folded from. */
const COUNTED: readonly FactType[] = [
  'reeve.started',
  'clock.jumped',
  'start.observed',
  'incident.opened',
  'incident.closed',
  'guard.decided',
  'tool.started',
  'tool.finished',
  'tool.unknown',
  'attempt.verified',
  'attempt.relapsed',
  'unknown.settled',
  'containment.raised',
  'containment.cleared',
  'control.frozen',
  'control.thawed',
  'control.leased',
  'control.lease_ended',
  'control.phase_set',
  'control.phase_held',
  'control.window_added',
  'control.window_ended',
  'control.reset',
  'control.released',
];

/** Undefined when the journal knows no incident of this id (any more). */
export function exportIncident(id: string, deps: ExportDeps): IncidentExport | undefined {
  const entries = [...deps.read({ incident: id, limit: ENTRIES_MAX })].map(exported);
  const opened = entries.find(({ fact }) => fact.type === 'incident.opened');
  if (opened?.fact.type !== 'incident.opened') return undefined;
  const { incident } = opened.fact;
  const lastSeq = entries.at(-1)?.seq ?? opened.seq;
  const context = contextOf(id, { fromMs: opened.monoMs - DAY_MS, throughSeq: lastSeq }, deps);
  const near = deps.channels.filter(({ group, engine }) => group === incident.group || engine === incident.engine);
  return {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    exportedAt: deps.at,
    reeve: deps.version,
    configSha256: shaAt(opened.seq, deps),
    incident,
    persona: deps.personaOf(incident),
    limits: deps.limits,
    phase: deps.phaseOf(incident),
    channels: near.map(({ id: channel, group, engine, expected, hasSource, hasOutputProbe }) => ({
      id: channel,
      group,
      engine,
      expected,
      hasSource,
      hasOutputProbe,
    })),
    capabilities: [...deps.capabilities].map(([engine, can]) => ({ engine, can: [...can] })),
    entries,
    leftOut: entries.length < ENTRIES_MAX ? 0 : deps.count({ incident: id, sinceSeq: lastSeq + 1 }),
    context: context.slice(-CONTEXT_MAX),
    contextDropped: context.length > CONTEXT_MAX,
  };
}

const exported = ({ seq, at, monoMs, channel, incident, run, fact }: JournalEntry): ExportedEntry => ({
  seq,
  at,
  monoMs,
  channel,
  incident,
  run,
  fact,
});

/** Oldest first; at most one more than fits, so that it is known whether there was more. */
function contextOf(
  id: string,
  span: { readonly fromMs: MonoMs; readonly throughSeq: number },
  { read }: ExportDeps,
): readonly ExportedEntry[] {
  const found: ExportedEntry[] = [];
  for (const entry of read({ types: COUNTED, throughSeq: span.throughSeq, newestFirst: true })) {
    if (entry.monoMs < span.fromMs || found.length > CONTEXT_MAX) break;
    const isRefusal = entry.fact.type === 'guard.decided' && entry.fact.decision.verdict === 'deny';
    if (entry.incident !== id && !isRefusal) found.push(exported(entry));
  }
  return found.reverse();
}

function shaAt(throughSeq: number, { read }: ExportDeps): string {
  for (const { fact } of read({ types: ['reeve.started', 'config.loaded'], throughSeq, newestFirst: true, limit: 1 })) {
    if (fact.type === 'reeve.started' || fact.type === 'config.loaded') return fact.configSha;
  }
  return '';
}
