/** Answers a case that gives log lines and probes. */
import type { Clock, MonoMs } from '../core/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/duration.ts';
import type { Sample } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';
import type { LogReading, Symptom } from '../core/symptom.ts';
import type { Detector } from '../detect/detector.ts';
import { REPLAY_FROM_MS, Replica } from '../replay/replica.ts';
import { type Answer, answerOf } from './answer.ts';
import { incidentOf, NOON } from './by_envelope.ts';
import type { PastEvent } from './document.ts';
import type { Frame } from './frame.ts';
import { draftsOf } from './history.ts';
import { ScriptedEnvironment } from './scripted_environment.ts';

/** What the daemon's own detector needs to work in a replay. `notice`: a supervisor's log says to look at once. */
export interface DetectorPorts {
  readonly clock: Clock;
  /** `name`: what the logs call the channel. */
  readonly channels: readonly { readonly id: ChannelId; readonly name: string; readonly engine?: EngineId }[];
  /** Of sources that are an engine's log; default: none is. */
  readonly engines?: ReadonlyMap<string, EngineId>;
  readonly onSymptom: (symptom: Symptom) => void;
  readonly onSample: (sample: Sample) => void;
}
/** The detector, and what reads the last lines of a channel as a whole. */
export interface Recognising {
  readonly detector: Detector;
  readonly readLog: (channel: ChannelId) => LogReading;
}
export type CreateDetector = (ports: DetectorPorts) => Recognising;

/** All is well for this long before the trouble begins. */
const WELL_MS = 20 * SECOND_MS;
const ANSWER_MS_MAX = 5 * MINUTE_MS;

/**
 * What Reeve does about log lines and what its probes see: detector, board, classification, transitions, rulebook,
 * guard and run of the daemon, second by second.
 */
export async function answerByLogs(frame: Frame, createDetector: CreateDetector): Promise<Answer> {
  const { channel, given } = frame;
  const events = [...(given.history ?? [])].sort((a, b) => b.at - a.at);
  const leadMs = Math.max(WELL_MS, events[0]?.at ?? 0) + SECOND_MS;
  let world: ScriptedEnvironment | undefined;
  const imagined = { works: given.effect !== 'unchanged', onChange: (id: string | undefined) => world?.change(id) };
  let readLog: Recognising['readLog'] = () => undefined;
  const setup = { settings: frame.settings, channels: frame.channels, engines: [frame.engine], imagined };
  using replica = new Replica({ ...setup, at: NOON - leadMs, readLog: (id) => readLog(id) });
  const { clock, pipeline } = replica;
  world = new ScriptedEnvironment({ channel, given }, clock);
  const recognising = createDetector({
    clock,
    channels: [{ id: channel.id, name: channel.id }],
    onSymptom: (symptom) => pipeline.symptom(symptom),
    onSample: (sample) => pipeline.observe(sample),
  });
  const { detector } = recognising;
  readLog = recognising.readLog;
  const beginMs = REPLAY_FROM_MS + leadMs;
  await play(events, { frame, replica, beginMs });
  const look = (): void => {
    for (const sample of world.samples()) pipeline.take(sample);
    pipeline.settle();
  };
  pipeline.start();
  look();
  using _ = clock.every(SECOND_MS, look);
  await replica.runUntil(beginMs);
  const from = replica.entries.length;
  world.fail();
  look();
  feed(detector, given.logs ?? [], { clock, channel: channel.id });
  await replica.untilRunEnds(from, beginMs + ANSWER_MS_MAX);
  const asSeen = {
    classification: pipeline.watch.watched(channel.id)?.finding.classification,
    failures: replica.failures,
  };
  return answerOf(replica.entries.slice(from), classifiedBy(replica, from) ?? asSeen);
}

/** What has happened before. What has filled a window then may not have been absent for long enough since. */
async function play(
  events: readonly PastEvent[],
  { frame, replica, beginMs }: { readonly frame: Frame; readonly replica: Replica; readonly beginMs: MonoMs },
): Promise<void> {
  const { clock, pipeline } = replica;
  for (const event of events) {
    const tell = () => {
      replica.append(again(event, frame, replica));
      pipeline.contain();
    };
    clock.after(beginMs - event.at - clock.monotonicMs(), tell);
  }
  await replica.runUntil(Math.max(clock.monotonicMs(), beginMs - WELL_MS - HOUR_MS));
  using _ = clock.every(SECOND_MS, pipeline.contain);
  await replica.runUntil(beginMs - WELL_MS);
}

function feed(
  detector: Detector,
  lines: readonly string[],
  { clock, channel }: { readonly clock: Clock; readonly channel: ChannelId },
): void {
  if (lines.length === 0) return;
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
  detector.accept({ source: channel, channel, bytes, start: 0, end: bytes.length, backlog: false, ...moment });
}

/** The incident's first envelope says what it was taken for; without one, what is seen at the end does. */
function classifiedBy({ entries, failures }: Replica, from: number) {
  for (const { fact } of entries.slice(from)) {
    if (fact.type === 'envelope.taken') return { classification: fact.envelope.failureClassification, failures };
  }
  return undefined;
}

function again(event: PastEvent, frame: Frame, replica: Replica) {
  const { clock, ids, pipeline } = replica;
  const open = pipeline.incidents().open.find(({ incident }) => incident.scope.kind === frame.scope.kind);
  return draftsOf(event, {
    at: clock.now(),
    nowMs: clock.monotonicMs(),
    ids,
    limits: frame.settings.limits,
    guard: pipeline.guardState(),
    incident: open?.incident ?? incidentOf(frame, clock.monotonicMs()),
    channel: frame.channel,
    classification: frame.classification,
    fingerprint: frame.fingerprint,
  });
}
