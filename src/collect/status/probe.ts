/** Probes the status pages of streaming servers. */
import { peerName } from '../../core/peer.ts';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { ProbeFailure, ReachSample, Sample, SourceSample } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import { failureOf } from '../../resilience/failure.ts';
import type { BoundedFetch } from '../../resilience/http.ts';
import type { Probe } from '../probes/scheduled_probe.ts';
import { STATUS_MAPPINGS } from './kinds.ts';
import { ON_DEMAND_KINDS, PUBLISHED_TO_KINDS, type StatusKind, type StatusTarget } from './schema.ts';
import { PageUnreadable, StatusPages, TIMEOUT_MS } from './pages.ts';

export { STATUS_MAPPINGS } from './kinds.ts';

/** A look at one stream through the status page of its server. */
export interface StatusProbe extends StatusTarget {
  readonly channel: ChannelId;
  /** Of the channel's output, or of what it reads from. */
  readonly of: 'output' | 'source';
  readonly everyMs: number;
  /** What is present and has not moved for this long does not come in. */
  readonly stallAfterMs: number;
}

export interface StatusOptions {
  readonly clock: Clock;
  readonly ask: BoundedFetch;
  readonly onSample: (sample: Sample) => void;
  /** Hears once of each change: that a page cannot be read, and that it can again. */
  readonly report: (channel: ChannelId, because: string) => void;
}

const FAST_MS = 1_000;
/** Servers update their counters at their own pace, up to every ten seconds. */
const STUCK_MS = 12_000;

/**
 * One probe for each look. A stream that is listed but does not move is as good as none. A server that cannot be
 * reached has no streams, and the reading says that it is the server. A page that answers and is none (a wrong address,
 * a login) says nothing of any stream.
 */
export function statusProbes(looks: readonly StatusProbe[], options: StatusOptions): readonly Probe[] {
  const pages = new StatusPages(options.clock, options.ask);
  return looks.map((look) => {
    const run = looker(look, pages, options);
    const { channel: name, everyMs, url } = look;
    return { name, everyMs, peer: new URL(url).host, fastEveryMs: FAST_MS, timeoutMs: 2 * TIMEOUT_MS, run };
  });
}

/**
 * The address of the page: as written, else the usual place on that server. Where the usual page is written out, what
 * it needs to list every stream is added: SRS lists ten by itself.
 */
function pageUrl(url: string, kind: StatusKind): string {
  const written = new URL(url);
  const usual = new URL(STATUS_MAPPINGS[kind].path, url);
  if (written.pathname === '/' && written.search === '') return usual.href;
  const withoutSlash = ({ pathname }: URL): string => pathname.replace(/\/$/, '');
  if (!withoutSlash(written).endsWith(withoutSlash(usual))) return url;
  for (const [name, value] of usual.searchParams) {
    if (!written.searchParams.has(name)) written.searchParams.append(name, value);
  }
  return written.href;
}

function looker(look: StatusProbe, pages: StatusPages, options: StatusOptions): Probe['run'] {
  const { clock, onSample, report } = options;
  const mapping = STATUS_MAPPINGS[look.kind];
  const url = pageUrl(look.url, look.kind);
  const movement = new Movement(Math.max(look.stallAfterMs, mapping.stuckMs ?? STUCK_MS));
  const emit = emitter(look, options);
  const peer = peerName(url);
  let reported = '';
  const say = (because: string): void => {
    if (reported !== because)
      report(look.channel, because === '' ? `${peer} can be read again` : `${peer}: ${because}`);
    reported = because;
  };
  return async (signal) => {
    try {
      const page = await pages.get(url, mapping.format);
      if (signal.aborted) return;
      const reading = mapping.read(page, look.target);
      if (reading === undefined) throw new PageUnreadable(`expected the whole status page of ${look.kind}`);
      say('');
      const { present, position, viewers } = reading;
      if (viewers !== undefined && look.of === 'output') {
        const when = { at: clock.now(), monoMs: clock.monotonicMs(), source: look.kind };
        onSample({ kind: 'viewers', channel: look.channel, viewers, ...when });
      }
      const moved = present && position !== undefined ? movement.note(position, clock.monotonicMs()) : 'uncounted';
      if (!present) movement.forget();
      if (!present && ON_DEMAND_KINDS.has(look.kind)) return;
      if (!present) emit('unreachable', { absent: true });
      else if (moved === 'stands') emit('timeout');
      else if (moved !== undefined) emit(undefined, moved === 'uncounted' ? {} : moved);
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = thrown instanceof PageUnreadable ? 'invalid_answer' : failureOf(thrown);
      say(messageOf(thrown));
      const server = PUBLISHED_TO_KINDS.has(look.kind) ? { serverFailed: true as const } : {};
      if (!UNTOLD.has(failure)) emit(failure, server);
    }
  };
}

/** Something answered: the page is wrong, and of the stream nothing is known. */
const UNTOLD: ReadonlySet<ProbeFailure> = new Set(['http_status', 'invalid_answer', 'too_large', 'truncated', 'tls']);

function emitter({ channel, of, url, kind }: StatusProbe, { clock, onSample }: StatusOptions) {
  const { host } = new URL(url);
  return (failure: ProbeFailure | undefined, { serverFailed, absent, ...moved }: Evidence = {}): void => {
    const server = serverFailed === undefined ? {} : { serverFailed };
    const missing = absent === undefined ? {} : { absent };
    const verdict = failure === undefined ? { ok: true } : { ok: false, failure };
    const base = { at: clock.now(), monoMs: clock.monotonicMs(), source: kind, channel, ...verdict };
    onSample(
      of === 'output' ? { kind: 'reach', ...base, ...server } : { kind: 'source', host, ...base, ...missing, ...moved },
    );
  };
}

/** What a look has found besides its verdict. */
type Evidence = Partial<Moved> & Pick<ReachSample, 'serverFailed'> & Pick<SourceSample, 'absent'>;

/** When a counter last moved, as far as looks can tell: in a span that ended so long ago. */
type Moved = Required<Pick<SourceSample, 'silentMs' | 'spanMs'>>;

/** Distinguishes a counter that moves from one that stands. */
class Movement {
  readonly #stuckMs: number;
  #last: { position: number; movedMs: MonoMs; spanMs: number | undefined; lookedMs: MonoMs } | undefined;

  constructor(stuckMs: number) {
    this.#stuckMs = stuckMs;
  }

  /** Undefined while it is not known yet. A counter that falls belongs to a new stream, and moves. */
  note(position: number, nowMs: MonoMs): Moved | 'stands' | undefined {
    const last = this.#last;
    if (last === undefined) {
      this.#last = { position, movedMs: nowMs, spanMs: undefined, lookedMs: nowMs };
      return undefined;
    }
    if (position !== last.position) {
      this.#last = { position, movedMs: nowMs, spanMs: nowMs - last.lookedMs, lookedMs: nowMs };
      return { silentMs: 0, spanMs: this.#last.spanMs ?? 0 };
    }
    last.lookedMs = nowMs;
    if (nowMs - last.movedMs >= this.#stuckMs) return 'stands';
    return last.spanMs === undefined ? undefined : { silentMs: nowMs - last.movedMs, spanMs: last.spanMs };
  }

  forget(): void {
    this.#last = undefined;
  }
}
