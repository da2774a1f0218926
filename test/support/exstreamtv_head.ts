import { serve } from './servers.ts';

export interface HeadChannel {
  readonly id: number;
  number: string;
  enabled: boolean;
  /** Has put out something since the service began: from then on channel health is broken for all. */
  streamed: boolean;
  items: number;
}

export interface HeadRequest {
  readonly method: string;
  readonly path: string;
  readonly apiKey: string | undefined;
}

/**
 * A stand-in that answers as ExStreamTV's published code does, with its faults: 200 for failures, a channel health that
 * breaks once a channel has played, pool figures that are constants, metrics with repeated TYPE lines, no restart
 * route, tokens in answers, and a rebuild that only deletes when its media source does not answer.
 */
export class ExstreamtvHead {
  url = '';
  readonly requests: HeadRequest[] = [];
  readonly channels = new Map<number, HeadChannel>();
  plexWorks = true;
  /** The route that a small patch adds; undefined as published. */
  restartRoute: ((id: number) => boolean) | undefined;
  rejected = 0;
  cache = new Set([
    'epg:full',
    'm3u:all',
    'dashboard:stats',
    'stream:channel:7:url',
    'stream:channel:70:url',
    'ffprobe:x',
  ]);
  logLines: string[] = [];
  /** What channel health answers instead. */
  healthAnswer: unknown;

  async start(): Promise<this> {
    this.url = await serve((request, response) => {
      const url = new URL(request.url!, 'http://head');
      const apiKey = request.headers['x-api-key'];
      this.requests.push({ method: request.method!, path: url.pathname, apiKey: apiKey?.toString() });
      const answer = this.#answer(`${request.method} ${url.pathname}`, url.searchParams);
      if (typeof answer === 'string') return void response.setHeader('content-type', 'text/plain').end(answer);
      if (answer !== undefined)
        return void response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      return void response.writeHead(404).end('{"detail":"Not Found"}');
    });
    return this;
  }

  add(id: number, overrides: Partial<HeadChannel> = {}): void {
    this.channels.set(id, { id, number: `${id}.1`, enabled: true, streamed: false, items: 1, ...overrides });
  }

  #answer(route: string, query: URLSearchParams): unknown {
    const [, id] = /\/(\d+)(?=\/|$)/.exec(route) ?? [];
    const channel = this.channels.get(Number(id));
    switch (route.replace(/\/\d+(?=\/|$)/, '/N')) {
      case 'GET /api/channels':
        return [...this.channels.values()].map(({ id, number, enabled }) => ({
          id,
          number,
          name: `Channel ${id}`,
          group: null,
          enabled,
          has_content: false,
          playout_mode: 'continuous',
        }));
      case 'GET /channels':
        return '<!DOCTYPE html><html>a page for people</html>';
      case 'GET /api/health/channels':
        return this.healthAnswer ?? this.#health();
      case 'GET /metrics':
        return this.#metrics();
      case 'POST /api/settings/plex/test':
        return this.plexWorks
          ? { success: true, server_info: { friendlyName: 'plex', machineIdentifier: 'x' }, dvrs_count: 1 }
          : { success: false, error: 'Plex server returned status 401 for http://plex/?X-Plex-Token=abc123' };
      case 'POST /api/settings/plex/refresh-urls':
        return { success: true, message: 'ok', stats: { urls_cleared: 4, cache_cleared: true, errors: [] } };
      case 'POST /api/settings/plex/rebuild-channel-playout/N':
        return this.#rebuild(channel);
      case 'GET /api/playouts':
        return [{ id: 40, channel_id: Number(query.get('channel_id')), program_schedule_id: 1, is_active: true }];
      case 'GET /api/playouts/N/now-playing':
        return { current: [...this.channels.values()][0]!.items > 0 ? { id: 1, title: 'x' } : null, next: null };
      case 'GET /api/performance/cache':
        return { backend: 'memory', hits: 1, misses: 1, hit_rate: 0.5, entry_count: this.cache.size };
      case 'POST /api/performance/cache/clear':
        return this.#clear(query.get('pattern') ?? '*');
      case 'GET /api/logs/entries':
        return {
          entries: this.logLines.map((raw) => ({ raw, level: 'INFO', message: raw })),
          total_lines: 1,
          showing: 1,
        };
      case 'POST /api/channels/N/restart':
        return this.restartRoute && { success: this.restartRoute(Number(id)) };
      default:
        return undefined;
    }
  }

  #health(): unknown {
    const all = [...this.channels.values()];
    if (all.some(({ streamed }) => streamed)) {
      return { status: 'error', error: "can't subtract offset-naive and offset-aware datetimes" };
    }
    const channels = Object.fromEntries(
      all.map(({ id }) => [id, { last_output_seconds_ago: null, restart_count: 0, error_count_5min: 0 }]),
    );
    return { status: 'healthy', total_channels: all.length, unhealthy_channels: 0, channels, timestamp: 'now' };
  }

  #metrics(): string {
    const rejected = ['memory', 'fd', 'capacity'].map((reason, index) => [
      '# TYPE exstreamtv_ffmpeg_spawn_rejected_total counter',
      `exstreamtv_ffmpeg_spawn_rejected_total{reason="${reason}"} ${index === 0 ? this.rejected : 0}`,
    ]);
    return [
      '# TYPE exstreamtv_ffmpeg_processes_active gauge',
      'exstreamtv_ffmpeg_processes_active 0',
      ...rejected.flat(),
    ].join('\n');
  }

  #rebuild(channel: HeadChannel | undefined): unknown {
    if (channel === undefined) return { success: false, error: 'Channel not found' };
    const removed = channel.items;
    channel.items = this.plexWorks ? 12 : 0;
    return {
      success: true,
      channel_name: 'x',
      items_removed: removed,
      items_added: channel.items,
      message: 'Rebuilt with token=abc123',
    };
  }

  #clear(pattern: string): unknown {
    const glob = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
    const matching = [...this.cache].filter((key) => glob.test(key));
    for (const key of matching) this.cache.delete(key);
    return { cleared: matching.length, pattern };
  }
}
