/** The web that probes look at: playlists of channels and the sources that they read, without sockets. */
import { Readable } from 'node:stream';
import { type Clock, deadline } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import type { OpenedSource, OpenSource } from '../collect/probes/source.ts';
import type { BoundedFetch, HttpAnswer, HttpRequest } from '../resilience/http.ts';
import { httpAnswer } from './http_answer.ts';
import { fractionOf, numberOf } from './random_streams.ts';
import type { ServiceChannel, ServiceModel } from './service_model.ts';
import { NOISE, type ProbeMode } from './simulated_probes.ts';
import { type ChannelPlan, originOf } from './scenario.ts';

export interface SimulatedWebDeps {
  readonly seed: number;
  readonly clock: Clock;
  readonly service: ServiceModel;
  readonly probe: (channel: string) => ProbeMode;
  /** Called when something goes on that ends by promises alone. */
  readonly stir: () => void;
}

const ANSWER_MS = 15;
const SEGMENTS_LISTED = 5;
export const SEGMENT_BYTES = 50_000;
const PACKET = Buffer.alloc(188, 0xff);
PACKET.set([0x47, 0x01, 0x00, 0x10]);
/** More than a look at a source reads. */
const STREAM = Buffer.concat(Array.from({ length: 360 }, () => PACKET));

export const playlistUrl = (channel: string): string => `http://outputs/${channel}/index.m3u8`;
export const sourceUrl = (plan: ChannelPlan): string => `http://origin-${originOf(plan)}:443/${plan.id}`;

export class SimulatedWeb {
  readonly #deps: SimulatedWebDeps;

  constructor(deps: SimulatedWebDeps) {
    this.#deps = deps;
  }

  /** In place of a connection to a server of playlists. */
  readonly ask: BoundedFetch = Object.assign((request: HttpRequest) => this.#ask(request), {
    [Symbol.dispose]: () => undefined,
  });

  /** In place of a connection to the origin of a source. */
  readonly open: OpenSource = async (url, signal) => {
    const { clock, service, stir } = this.#deps;
    const channel = service.at(url.pathname.slice(1));
    if (this.#isLost(channel, 3)) return { error: await abortOf(signal) };
    try {
      await clock.sleep(ANSWER_MS, signal);
    } catch {
      return { error: signal.reason };
    }
    stir();
    if (service.isRefused(channel)) {
      return sending(service.origins.refusesCredentials(channel.plan.group) ? 401 : 403);
    }
    if (service.isOut(channel)) return { error: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) };
    return sending(200, STREAM);
  };

  async #ask(request: HttpRequest): Promise<HttpAnswer> {
    const { clock, service, stir } = this.#deps;
    const late = () => new ReeveError('TIMED_OUT', `no answer within ${request.timeoutMs} ms`);
    using limit = deadline(clock, request.timeoutMs, late, request.signal);
    const [, id = '', file = ''] = new URL(request.url).pathname.split('/');
    const channel = service.at(id);
    if (this.#isLost(channel, 2)) throw await abortOf(limit.signal);
    await clock.sleep(ANSWER_MS, limit.signal);
    stir();
    if (file !== 'index.m3u8') return httpAnswer(200, { 'content-length': String(SEGMENT_BYTES) });
    const written = this.#shown(channel);
    const etag = `"${written}"`;
    const isKnown = request.headers?.['if-none-match'] === etag;
    return isKnown ? httpAnswer(304, { etag }) : httpAnswer(200, { etag }, playlistOf(written));
  }

  #isLost({ plan: { id } }: ServiceChannel, salt: number): boolean {
    const { seed, clock, probe } = this.#deps;
    return probe(id) === 'noise' && fractionOf(seed, numberOf(id), clock.monotonicMs(), salt) < NOISE;
  }

  /** Segments that its server says were written. */
  #shown(channel: ServiceChannel): number {
    const { clock, service, probe } = this.#deps;
    const mode = probe(channel.plan.id);
    if (mode === 'says_still') return SEGMENTS_LISTED;
    return mode === 'says_moving' ? Math.floor(clock.monotonicMs() / 2_000) : service.segments(channel);
  }
}

function playlistOf(written: number): string {
  const first = Math.max(0, written - SEGMENTS_LISTED);
  const listed = Array.from({ length: written - first }, (_, at) => `#EXTINF:2.0,\nseg_${first + at}.ts\n`);
  return `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:${first}\n${listed.join('')}`;
}

/** A stream that goes on: it does not end by itself. */
function sending(status: number, bytes?: Buffer): OpenedSource {
  const stream = new Readable({ read: () => undefined });
  if (bytes !== undefined) stream.push(bytes);
  return { incoming: Object.assign(stream, { statusCode: status, headers: {} }) };
}

const abortOf = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
