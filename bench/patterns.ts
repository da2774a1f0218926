/** Defines the classes of the workload and their expressions for each tool. */

/** One class of the workload. `regex` is the subset that POSIX ERE, PCRE, RE2, Hyperscan and RegExp read alike. */
export interface BenchPattern {
  readonly id: string;
  readonly regex: string;
  /** What a failing line says; `#` becomes a random number. */
  readonly says: readonly string[];
}

/** First match wins. */
export const PATTERNS: readonly BenchPattern[] = [
  { id: 'token_expired', regex: 'token (has )?expired', says: ['publisher token expired', 'the token has expired'] },
  {
    id: 'http_denied',
    regex: 'HTTP error 40[13] (Unauthorized|Forbidden)',
    says: ['HTTP error 401 Unauthorized', 'HTTP error 403 Forbidden'],
  },
  {
    id: 'key_revoked',
    regex: 'stream key [a-z0-9]+ (revoked|rejected)',
    says: ['stream key k#a revoked', 'stream key q# rejected'],
  },
  { id: 'http_missing', regex: 'HTTP error 404 Not Found', says: ['HTTP error 404 Not Found'] },
  { id: 'http_gone', regex: 'HTTP error 410 Gone', says: ['HTTP error 410 Gone'] },
  {
    id: 'http_5xx',
    regex: 'Server returned 5(XX|[0-9]+)',
    says: ['Server returned 5XX Server Error reply', 'Server returned 503'],
  },
  { id: 'upstream_slow', regex: 'upstream timed out [(]110', says: ['upstream timed out (110: Connection timed out)'] },
  {
    id: 'upstream_refused',
    regex: 'connect[(][)] failed [(]111',
    says: ['connect() failed (111: Connection refused)'],
  },
  {
    id: 'refused',
    regex: '[Cc]onnection refused|ECONNREFUSED',
    says: ['Connection refused', 'connect ECONNREFUSED 10.1.2.3:#'],
  },
  { id: 'reset', regex: 'Connection reset by peer|ECONNRESET', says: ['Connection reset by peer', 'read ECONNRESET'] },
  { id: 'timed_out', regex: 'Connection timed out|ETIMEDOUT', says: ['Connection timed out', 'connect ETIMEDOUT'] },
  {
    id: 'dns',
    regex: 'getaddrinfo (EAI_AGAIN|ENOTFOUND)|Temporary failure in name resolution',
    says: ['getaddrinfo ENOTFOUND origin', 'Temporary failure in name resolution'],
  },
  {
    id: 'tls_expired',
    regex: 'certificate has expired|CERT_HAS_EXPIRED',
    says: ['certificate has expired', 'code CERT_HAS_EXPIRED'],
  },
  {
    id: 'tls_handshake',
    regex: 'SSL_do_handshake[(][)] failed|handshake failure',
    says: ['SSL_do_handshake() failed', 'sslv3 alert handshake failure'],
  },
  {
    id: 'publish_refused',
    regex: 'RTMP_Publish[a-zA-Z]*: .*(denied|already publishing)',
    says: ['RTMP_PublishStream: app=# denied', 'RTMP_Publish: name=# already publishing'],
  },
  {
    id: 'dts',
    regex: '[Nn]on-monotonous DTS in output stream [0-9]+:[0-9]+|non monotonically increasing dts',
    says: ['Non-monotonous DTS in output stream 0:#', 'non monotonically increasing dts'],
  },
  { id: 'timestamps', regex: 'Invalid (DTS|PTS): ?[0-9]+', says: ['Invalid DTS: #', 'Invalid PTS:#'] },
  { id: 'macroblock', regex: 'error while decoding MB [0-9]+ [0-9]+', says: ['error while decoding MB # #'] },
  {
    id: 'corrupt',
    regex: 'corrupt (input|decoded) (packet|frame)',
    says: ['corrupt input packet', 'corrupt decoded frame'],
  },
  {
    id: 'reference',
    regex: 'reference picture missing during reorder|Missing reference picture',
    says: ['reference picture missing during reorder', 'Missing reference picture'],
  },
  {
    id: 'keyframe',
    regex: 'no keyframe (seen|received) (for|in) [0-9]+ ?ms',
    says: ['no keyframe received in # ms', 'no keyframe seen for #ms'],
  },
  { id: 'encoder', regex: 'Error initializing output stream [0-9]+', says: ['Error initializing output stream #'] },
  {
    id: 'gpu',
    regex: 'CUDA_ERROR_OUT_OF_MEMORY|OpenEncodeSessionEx failed',
    says: ['CUDA_ERROR_OUT_OF_MEMORY', 'OpenEncodeSessionEx failed'],
  },
  { id: 'xrun', regex: '(ALSA|audio) buffer (underrun|xrun)', says: ['ALSA buffer xrun', 'audio buffer underrun'] },
  {
    id: 'segment',
    regex: 'segment [0-9]+ (late|missing) by [0-9.]+s',
    says: ['segment # late by #s', 'segment # missing by #.5s'],
  },
  {
    id: 'playlist',
    regex: 'playlist (unchanged|stale) for [0-9]+ ?s',
    says: ['playlist unchanged for #s', 'playlist stale for # s'],
  },
  { id: 'oom', regex: 'Out of memory: Killed process [0-9]+', says: ['Out of memory: Killed process # (ffmpeg)'] },
  { id: 'heap', regex: 'JavaScript heap out of memory', says: ['Allocation failed - JavaScript heap out of memory'] },
  { id: 'disk', regex: 'No space left on device|ENOSPC', says: ['No space left on device', 'ENOSPC: write'] },
  { id: 'io', regex: 'Input/output error', says: ['Input/output error'] },
  { id: 'read_only', regex: 'Read-only file system', says: ['Read-only file system'] },
  { id: 'descriptors', regex: 'Too many open files|EMFILE:', says: ['Too many open files', 'EMFILE: open'] },
  {
    id: 'db_pool',
    regex: 'remaining connection slots are reserved|pool (is )?exhausted|timeout acquiring (a )?connection',
    says: ['remaining connection slots are reserved', 'pool is exhausted', 'timeout acquiring a connection'],
  },
  { id: 'deadlock', regex: 'deadlock detected', says: ['deadlock detected'] },
  {
    id: 'redis',
    regex: 'MISCONF Redis|LOADING Redis is loading',
    says: ['MISCONF Redis is configured', 'LOADING Redis is loading'],
  },
  {
    id: 'rate',
    regex: 'rate limit(ed| exceeded).* retry(-after| in) [0-9]+',
    says: ['rate limited by ingest; retry in # s', 'rate limit exceeded, retry-after #'],
  },
  {
    id: 'crash',
    regex: 'panic: runtime error|segmentation fault|SIGSEGV',
    says: ['panic: runtime error: index', 'segmentation fault', 'killed by SIGSEGV'],
  },
  {
    id: 'exit',
    regex: 'process exited with (code [1-9][0-9]*|signal [A-Z]+)',
    says: ['process exited with code 1#', 'process exited with signal KILL'],
  },
  {
    id: 'watchdog',
    regex: 'watchdog: no (progress|frames) for [0-9]+ ?s',
    says: ['watchdog: no progress for #s', 'watchdog: no frames for # s'],
  },
  { id: 'edge_5xx', regex: 'HTTP/1[.]1" 50[234] [0-9]+', says: [] },
];

export const CHANNEL = '(/live/|[[]channel=|"channel":")(ch[0-9]+)';
export const CHANNELS = 500;
export const channelName = (at: number): string => `ch${String(at).padStart(4, '0')}`;
