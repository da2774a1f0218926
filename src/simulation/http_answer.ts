/** Makes the answers of servers that are within the simulation. */
import { type Clock, deadline } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import type { HttpAnswer, HttpRequest } from '../resilience/http.ts';

export const httpAnswer = (status: number, headers: HttpAnswer['headers'] = {}, text = ''): HttpAnswer => ({
  ...{ status, headers, wasCut: false },
  body: Buffer.from(text),
});

export interface AnsweringServer {
  /** Reeve's own clock: an answer reaches only a process of Reeve that still runs. */
  readonly clock: Clock;
  readonly engine: string;
  /** False: it does what it is asked, and the answer is lost. */
  readonly answers: () => boolean;
}

/** Its text as soon as there is one, within the time that the request allows. Throws as `boundedFetch` does. */
export async function answerInTime(
  { clock, engine, answers }: AnsweringServer,
  { timeoutMs, signal }: HttpRequest,
  text: Promise<string>,
): Promise<HttpAnswer> {
  const late = () => new ReeveError('TIMED_OUT', `${engine} did not answer within ${timeoutMs} ms`);
  using limit = deadline(clock, timeoutMs, late, signal);
  const ended = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
  });
  const heard = text.then((answered) => (answers() ? answered : ended));
  return httpAnswer(200, {}, await Promise.race([ended, heard]));
}
