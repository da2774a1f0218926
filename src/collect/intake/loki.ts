/** Reads Loki pushes, as JSON and as protobuf. */
import { parseJson } from './json.ts';
import { aFieldBudget, Message } from './protobuf.ts';
import { ENTRIES_MAX, fromNanoseconds, IntakeRefused, isRecord, labelled, type SentLine } from './refused.ts';
import { unsnappy } from './snappy.ts';

/**
 * `POST /loki/api/v1/push` as JSON: `{"streams":[{"stream":{label:value},"values":[["<ns>","line",{…}?]]}]}`
 * (grafana.com/docs/loki, HTTP API).
 */
export function lokiJson(body: Buffer, labels: readonly string[]): readonly SentLine[] {
  const push = parseJson(body, 'a push of streams');
  const streams = isRecord(push) ? push.streams : undefined;
  if (!Array.isArray(streams)) throw new IntakeRefused('expected {"streams": […]}');
  const lines: SentLine[] = [];
  for (const [at, each] of streams.entries()) {
    if (!isRecord(each) || !Array.isArray(each.values)) throw new IntakeRefused(`streams[${at}]: expected values: […]`);
    const channel = isRecord(each.stream) ? labelled(each.stream, labels) : undefined;
    each.values.forEach((value: unknown, index) => {
      add(lines, lineOf(value, { channel, at, index }));
    });
  }
  return lines;
}

interface Place {
  readonly channel: string | undefined;
  /** Of the stream. */
  readonly at: number;
  /** Of the value in its stream. */
  readonly index: number;
}

function lineOf(value: unknown, { channel, at, index }: Place): SentLine {
  const [ns, text] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (typeof text !== 'string' || (typeof ns !== 'string' && typeof ns !== 'number')) {
    throw new IntakeRefused(`streams[${at}].values[${index}]: expected ["<nanoseconds>", "<line>"]`);
  }
  return { channel, text, at: fromNanoseconds(ns) };
}

/**
 * The same as a snappy block of the protobuf `PushRequest` (loki/pkg/push/push.proto): streams = 1, of these labels = 1
 * and entries = 2, of these timestamp = 1 (seconds = 1, nanos = 2) and line = 2.
 */
export function lokiProtobuf(
  body: Buffer,
  { labels, bytesMax }: { readonly labels: readonly string[]; readonly bytesMax: number },
): readonly SentLine[] {
  const lines: SentLine[] = [];
  const push = new Message(unsnappy(body, bytesMax), aFieldBudget());
  while (push.next()) if (push.number === 1) readStream(push, labels, lines);
  return lines;
}

/** The stream that `field` holds. Its labels may stand behind its entries, so it is gone through twice. */
function readStream(field: Message, labels: readonly string[], lines: SentLine[]): void {
  const head = field.message();
  while (head.number !== 1 && head.next());
  const channel = labelled(labelsIn(head.number === 1 ? head.text() : ''), labels);
  const stream = field.message();
  while (stream.next()) if (stream.number === 2) add(lines, entryIn(stream.message(), channel));
}

function entryIn(entry: Message, channel: string | undefined): SentLine {
  let text = '';
  let at: number | undefined;
  while (entry.next()) {
    if (entry.number === 1) at = timestampIn(entry.message());
    else if (entry.number === 2) text = entry.text();
  }
  return { channel, text, at };
}

function timestampIn(timestamp: Message): number | undefined {
  let ms = 0;
  while (timestamp.next()) {
    if (timestamp.number === 1) ms += timestamp.value * 1_000;
    else if (timestamp.number === 2) ms += Math.floor(timestamp.value / 1_000_000);
  }
  return ms > 0 ? ms : undefined;
}

function add(lines: SentLine[], line: SentLine): void {
  if (lines.length >= ENTRIES_MAX) throw new IntakeRefused(`expected at most ${ENTRIES_MAX} lines in one push`);
  lines.push(line);
}

const LABEL = /\s*([A-Za-z_][\w.:/-]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?/y;

/** Loki itself takes 15 labels of 3 kB each. */
const LABELS_CHARS_MAX = 65_536;

/** `{job="x", channel="news"}` as Prometheus writes labels. What does not fit ends the reading. */
export function labelsIn(text: string): ReadonlyMap<string, string> {
  if (text.length > LABELS_CHARS_MAX) {
    throw new IntakeRefused(`expected at most ${LABELS_CHARS_MAX} characters of labels, got ${text.length}`);
  }
  const labels = new Map<string, string>();
  LABEL.lastIndex = text.startsWith('{') ? 1 : 0;
  for (let match = LABEL.exec(text); match !== null; match = LABEL.exec(text)) {
    labels.set(
      match[1]!,
      match[2]!.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)),
    );
  }
  return labels;
}
