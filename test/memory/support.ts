/** Histories for the memory: whole incidents as the decision pipeline writes them. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import type { Draft, JournalEntry } from '../../src/core/journal.ts';
import { DerivedFile } from '../../src/journal/derived.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { Graph } from '../../src/memory/graph.ts';
import { Reads } from '../../src/memory/reads.ts';
import { MEMORY_SCHEMA } from '../../src/memory/schema.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { aCall, anEnvelope, anIncident, aResult, aSymptom, aVerification, permitTerms } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';

export interface Story {
  readonly id: string;
  readonly channel?: string;
  /** What a line of its log said. */
  readonly line?: string;
  readonly cured?: boolean;
  readonly failureClass?: 'process_crashed' | 'upstream_auth_expired';
}

/** One incident from the first symptom to its end: nine facts with an action, in the order of the pipeline. */
export function incidentDrafts({
  id,
  channel = 'news',
  line = 'Server returned 403 Forbidden',
  cured = true,
  failureClass = 'process_crashed',
}: Story): readonly Draft[] {
  const scope = { kind: 'channel', id: channel } as const;
  const about = { channel, incident: id };
  const inRun = { ...about, run: `run-${id}` };
  const moment = { at: 0, monoMs: 0 };
  const call = aCall({ target: scope });
  const permit = permitTerms({ id: `per-${id}`, call, incident: id, run: `run-${id}` });
  const symptom = aSymptom(moment, {
    channel,
    kind: 'auth_denied',
    pattern: 'ffmpeg_http_403',
    evidence: [{ source: 'log', text: line }],
  });
  const plan = { kind: 'act', call, because: 'a rule says so', by: { kind: 'rule', rule: 'restart_crashed' } } as const;
  const verification = aVerification({ permit: permit.id, cured });
  const escalation = {
    ...{ id: `esc-${id}`, key: `incident/${id}`, severity: 'critical', reason: 'not_helping', scope, incident: id },
    ...{ classification: failureClass, summary: 'not cured', details: '', at: 0 },
  } as const;
  return [
    { ...about, fact: { type: 'incident.opened', incident: anIncident({ id, scope, classification: failureClass }) } },
    { ...about, fact: { type: 'symptom.raised', symptom } },
    { ...inRun, fact: { type: 'run.started', attempt: 1 } },
    {
      ...inRun,
      fact: {
        type: 'envelope.taken',
        envelope: anEnvelope({ channelId: channel, scope, failureClassification: failureClass }),
      },
    },
    { ...inRun, fact: { type: 'plan.made', plan } },
    {
      ...inRun,
      fact: {
        type: 'guard.decided',
        call: 'restart_channel',
        decision: { verdict: 'allow', permit, trace: [] },
        tookMs: 1,
      },
    },
    { ...inRun, fact: { type: 'tool.started', permit } },
    { ...inRun, fact: { type: 'tool.finished', permit, result: aResult({ permit: permit.id, call }) } },
    { ...inRun, fact: { type: 'attempt.verified', permit, verification, fingerprint: `${failureClass}|${channel}|` } },
    {
      ...inRun,
      fact: {
        type: 'run.ended',
        outcome: cured
          ? { kind: 'resolved', score: 1, because: 'cured' }
          : { kind: 'escalated', reason: 'not_helping', because: 'not cured', denial: undefined },
        steps: 1,
        tookMs: 5_000,
      },
    },
    ...(cured ? [] : [{ ...about, fact: { type: 'escalation.raised', escalation } } as Draft]),
    {
      ...about,
      fact: { type: 'incident.closed', ending: cured ? 'resolved' : 'by_person', because: 'done', openMs: 9_000 },
    },
  ];
}

export interface Bench {
  readonly clock: Clock;
  /** Lets time pass; timers do not run before it is awaited. */
  readonly advance: (ms: number) => Promise<unknown>;
  readonly ledger: Ledger;
  readonly rows: MemoryStore;
  readonly graph: Graph;
  readonly reads: Reads;
  /** Appends these and brings the graph up to date. */
  live(drafts: readonly Draft[]): readonly JournalEntry[];
  /** A graph in a new file. */
  another(): Graph;
}

/** An open ledger in memory and a graph in a file of its own. */
export function aMemory(): Bench {
  const { clock, advance } = fakeClock();
  const rows = new MemoryStore();
  const ledger = new Ledger(rows, clock, { snapshotEntries: 20 });
  ledger.open();
  const another = (): Graph => {
    const file = DerivedFile.open(join(temporaryDirectory(), 'memory.db'), MEMORY_SCHEMA);
    onTestFinished(() => file[Symbol.dispose]());
    return new Graph(file);
  };
  const graph = another();
  return {
    ...{ clock, advance, ledger, rows, graph, another, reads: new Reads(graph.store) },
    live: (drafts) => {
      const entries = ledger.append(drafts);
      const fresh = [...ledger.read({ sinceSeq: graph.store.cursor() + 1 })];
      graph.take(fresh, fresh.at(-1)?.seq ?? graph.store.cursor());
      return entries;
    },
  };
}
