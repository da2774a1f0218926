/** The `fetch` that a client library is given: bounded, checked line by line, without redirects. */
import { ReeveError } from '../core/errors.ts';
import { invalidAnswer, type ModelWire, plainText } from './wire.ts';

/**
 * Requests of one exchange. An answer that is no success, or no JSON, never reaches the client: the client would
 * print it to the daemon's own output.
 */
export function clientFetch(wire: ModelWire, signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = typeof init?.body === 'string' ? init.body : undefined;
    const request = { url, method: init?.method ?? 'GET', body, signal };
    if (body !== undefined && isStreamed(body)) return new Response(streamOf(wire, request));
    const answer = await wire.send(request);
    const text = answer.body.toString('utf8');
    if (objectIn(text) === undefined) throw invalidAnswer(wire.server.id, 'the answer is no JSON object');
    return new Response(text);
  };
}

const isStreamed = (body: string): boolean => (JSON.parse(body) as { stream?: unknown }).stream === true;

/** Whole lines, each of them one JSON object; a line that says `error` ends the stream as the server's failure. */
function streamOf(wire: ModelWire, request: Parameters<ModelWire['send']>[0]): ReadableStream<Uint8Array> {
  const { id } = wire.server;
  return new ReadableStream({
    start(controller) {
      let rest = Buffer.alloc(0);
      let isDone = false;
      const onData = (piece: Buffer): void => {
        rest = Buffer.concat([rest, piece]);
        const end = rest.lastIndexOf(0x0a) + 1;
        if (end === 0) return;
        const lines = rest.subarray(0, end);
        isDone = checkLines(id, lines.toString('utf8')) || isDone;
        rest = rest.subarray(end);
        if (!request.signal.aborted) controller.enqueue(lines);
      };
      wire.send({ ...request, onData }).then(
        () => {
          if (request.signal.aborted) return;
          try {
            isDone = checkLines(id, rest.toString('utf8')) || isDone;
            if (!isDone) throw invalidAnswer(id, 'the stream ended before the reply did');
            if (rest.length > 0) controller.enqueue(rest);
            controller.close();
          } catch (thrown) {
            controller.error(thrown);
          }
        },
        (thrown: unknown) => controller.error(thrown),
      );
    },
  });
}

/** True when a line says that it is the last one. */
function checkLines(id: string, text: string): boolean {
  let isDone = false;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = objectIn(line);
    if (value === undefined) throw invalidAnswer(id, 'a line of the stream is no JSON object');
    if ('error' in value) throw new ReeveError('MODEL_UNREACHABLE', `${id}: ${plainText(value.error)}`);
    isDone ||= value.done === true;
  }
  return isDone;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
