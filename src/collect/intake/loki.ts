import { bytesIn, fieldsOf, numberIn, textIn } from './protobuf.ts';
import {
  ENTRIES_MAX,
  fromNanoseconds,
  IntakeRefused,
  isRecord,
  labelled,
  parseJson,
  type SentLine,
} from './refused.ts';
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
    for (const [index, value] of each.values.entries()) {
      const [ns, text] = Array.isArray(value) ? value : [];
      const written = fromNanoseconds(ns);
      if (typeof text !== 'string' || (typeof ns !== 'string' && typeof ns !== 'number')) {
        throw new IntakeRefused(`streams[${at}].values[${index}]: expected ["<nanoseconds>", "<line>"]`);
      }
      add(lines, { channel, text, at: written });
    }
  }
  return lines;
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
  for (const field of fieldsOf(unsnappy(body, bytesMax))) {
    if (field.number === 1) readStream(bytesIn(field), labels, lines);
  }
  return lines;
}

function readStream(message: Buffer, labels: readonly string[], lines: SentLine[]): void {
  const fields = [...fieldsOf(message)];
  const written = fields.find(({ number }) => number === 1);
  const channel = labelled(labelsIn(written === undefined ? '' : textIn(written)), labels);
  for (const field of fields) if (field.number === 2) add(lines, { channel, ...entryIn(bytesIn(field)) });
}

function entryIn(message: Buffer): Pick<SentLine, 'text' | 'at'> {
  let text = '';
  let at: number | undefined;
  for (const field of fieldsOf(message)) {
    if (field.number === 1) at = timestampIn(bytesIn(field));
    else if (field.number === 2) text = textIn(field);
  }
  return { text, at };
}

function timestampIn(message: Buffer): number | undefined {
  let ms = 0;
  for (const field of fieldsOf(message)) {
    if (field.number === 1) ms += numberIn(field) * 1_000;
    else if (field.number === 2) ms += Math.floor(numberIn(field) / 1_000_000);
  }
  return ms > 0 ? ms : undefined;
}

function add(lines: SentLine[], line: SentLine): void {
  if (lines.length >= ENTRIES_MAX) throw new IntakeRefused(`expected at most ${ENTRIES_MAX} lines in one push`);
  lines.push(line);
}

const LABEL = /\s*([A-Za-z_][\w.:/-]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?/y;

/** `{job="x", channel="news"}` as Prometheus writes labels. What does not fit ends the reading. */
export function labelsIn(text: string): ReadonlyMap<string, string> {
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
