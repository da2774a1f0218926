/** Reads OTLP log exports as JSON. */
import { parseJson } from './json.ts';
import { ENTRIES_MAX, fromNanoseconds, IntakeRefused, isRecord, labelled, type SentLine } from './refused.ts';

type Named = ReadonlyMap<string, unknown>;

/**
 * `POST /v1/logs` as OTLP/HTTP JSON (opentelemetry.io/docs/specs/otlp): resourceLogs[] → scopeLogs[] → logRecords[].
 * The channel stands in an attribute of the record, else of its resource.
 */
export function otlpJson(body: Buffer, labels: readonly string[]): readonly SentLine[] {
  const request = parseJson(body, 'an export of logs');
  const resources = isRecord(request) ? (request.resourceLogs ?? request.resource_logs) : undefined;
  if (!Array.isArray(resources)) throw new IntakeRefused('expected {"resourceLogs": […]}');
  const lines: SentLine[] = [];
  for (const each of resources.filter(isRecord)) {
    const owner = isRecord(each.resource) ? attributesOf(each.resource.attributes) : new Map<string, unknown>();
    for (const scope of listOf(each.scopeLogs ?? each.scope_logs)) {
      for (const record of listOf(scope.logRecords ?? scope.log_records)) {
        if (lines.length >= ENTRIES_MAX) throw new IntakeRefused(`expected at most ${ENTRIES_MAX} records in one push`);
        lines.push(lineOf(record, { owner, labels }));
      }
    }
  }
  return lines;
}

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

function lineOf(
  record: Readonly<Record<string, unknown>>,
  { owner, labels }: { readonly owner: Named; readonly labels: readonly string[] },
): SentLine {
  const attributes = attributesOf(record.attributes);
  const level = typeof record.severityText === 'string' ? record.severityText : '';
  const body = textOf(record.body, 0);
  // OpenTelemetry's own convention for an error that was caught and logged.
  const exception = ['exception.type', 'exception.message'].flatMap((name) => {
    const value = attributes.get(name);
    return typeof value === 'string' && !body.includes(value) ? [value] : [];
  });
  const text = [...(level === '' || body.includes(level) ? [] : [`[${level.toUpperCase()}]`]), body, ...exception];
  return {
    channel: labelled(attributes, labels) ?? labelled(owner, labels),
    text: text.join(' '),
    at: fromNanoseconds(record.timeUnixNano) ?? fromNanoseconds(record.observedTimeUnixNano),
  };
}

function attributesOf(list: unknown): Named {
  const named = listOf(list).map(({ key, value }) => [plainText(key), textOf(value, 0)] as const);
  return new Map(named);
}

/** Numbers come as text or number. An object has no text: it might even hold a `toString` that is no function. */
const plainText = (value: unknown): string => (typeof value === 'object' ? '' : String(value));

const DEPTH_MAX = 8;

/** The text of an `AnyValue`: a plain one as it is, a list or map as JSON writes it. */
function textOf(value: unknown, depth: number): string {
  if (!isRecord(value) || depth > DEPTH_MAX) return '';
  if (typeof value.stringValue === 'string') return value.stringValue;
  const plain = value.intValue ?? value.doubleValue ?? value.boolValue ?? value.bytesValue;
  if (plain !== undefined) return plainText(plain);
  if (isRecord(value.kvlistValue)) {
    const members = listOf(value.kvlistValue.values).map(
      (each) => `${JSON.stringify(plainText(each.key))}:${quoted(each.value, depth)}`,
    );
    return `{${members.join(',')}}`;
  }
  if (!isRecord(value.arrayValue)) return '';
  const items = Array.isArray(value.arrayValue.values) ? value.arrayValue.values : [];
  return `[${items.map((item) => quoted(item, depth)).join(',')}]`;
}

function quoted(value: unknown, depth: number): string {
  const text = textOf(value, depth + 1);
  const isText = isRecord(value) && typeof value.stringValue === 'string';
  return isText ? JSON.stringify(text) : text === '' ? 'null' : text;
}
