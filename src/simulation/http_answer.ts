/** Makes the answers of servers that are within the simulation. */
import type { HttpAnswer } from '../resilience/http.ts';

export const httpAnswer = (status: number, headers: HttpAnswer['headers'] = {}, text = ''): HttpAnswer => ({
  ...{ status, headers, wasCut: false },
  body: Buffer.from(text),
});
