/** What a text is about, by closed lists: software, symptoms, codecs, errors, and the names of hosts. */

const CONCEPT_KINDS = ['class', 'symptom', 'software', 'codec', 'error', 'host'] as const;
export type ConceptKind = (typeof CONCEPT_KINDS)[number];
/** `error:http_403`, `software:ffmpeg`. */
export type Concept = `${ConceptKind}:${string}`;

const SOFTWARE = (
  'ffmpeg ffprobe nginx icecast liquidsoap mediamtx supervisord systemd docker kubernetes ersatztv exstreamtv ' +
  'tunarr plex jellyfin kodi wowza srs owncast restreamer peertube ovenmediaengine zlmediakit janus livekit ' +
  'coturn frigate go2rtc red5 chrony postgres postgresql redis mysql sqlite haproxy varnish caddy traefik ' +
  'gstreamer vlc obs tvheadend hdhomerun kernel'
).split(' ');
const CODECS = (
  'h264 h265 hevc av1 vp8 vp9 mpeg2video mpegts aac ac3 eac3 mp3 opus vorbis flac nvenc qsv vaapi libx264 ' +
  'libx265 h264_nvenc hevc_nvenc h264_qsv h264_vaapi prores'
).split(' ');
const ERRNO = (
  'econnrefused econnreset etimedout ehostunreach enetunreach enospc emfile enfile eaddrinuse eacces eperm ' +
  'enoent epipe eio enomem eagain enotfound eai_again sigkill sigsegv sigabrt sigterm oom'
).split(' ');

/** How people spell an errno. */
const SPELT: readonly (readonly [RegExp, string])[] = [
  [/connection refused/i, 'econnrefused'],
  [/connection reset/i, 'econnreset'],
  [/timed? ?out/i, 'etimedout'],
  [/no route to host/i, 'ehostunreach'],
  [/no space left/i, 'enospc'],
  [/too many open files/i, 'emfile'],
  [/address already in use/i, 'eaddrinuse'],
  [/permission denied/i, 'eacces'],
  [/no such file/i, 'enoent'],
  [/broken pipe/i, 'epipe'],
  [/input\/output error/i, 'eio'],
  [/cannot allocate memory|out of memory/i, 'enomem'],
  [/signal 9\b/i, 'sigkill'],
  [/signal 11\b|segfault|segmentation fault/i, 'sigsegv'],
];
const CONCEPTS_BY_WORD = new Map<string, Concept>([
  ...SOFTWARE.map((name): [string, Concept] => [name, `software:${name}`]),
  ...CODECS.map((name): [string, Concept] => [name, `codec:${name}`]),
  ...ERRNO.map((name): [string, Concept] => [name, `error:${name}`]),
]);
const HTTP_STATUS = /(?:\bhttp[/ ][\d.]*|\bstatus(?: code)?|\berror|\bserver returned|\bhttp)\W{0,3}([45]\d\d)\b/gi;
/** Of an address only; a bare name in a text could be anything. */
const HOST =
  /\b(?:https?|rtmps?|rtsps?|srt|udp|tcp|hls|icecast):\/\/(?:[^\s/@]{1,64}@)?\[?([a-z0-9][a-z0-9.-]{0,62})/gi;
const CONCEPTS_MAX = 16;
const TEXT_CHARS_MAX = 4_000;

/** At most 16, sorted, each once. Only hosts come from the text itself: letters, digits, dots and dashes. */
export function conceptsOf(text: string): readonly Concept[] {
  const bounded = text.slice(0, TEXT_CHARS_MAX);
  const found = new Set<Concept>();
  for (const word of bounded.toLowerCase().match(/[a-z][a-z0-9_]{1,30}/g) ?? []) {
    const concept = CONCEPTS_BY_WORD.get(word);
    if (concept !== undefined) found.add(concept);
  }
  for (const [spelling, errno] of SPELT) if (spelling.test(bounded)) found.add(`error:${errno}`);
  for (const [, status] of bounded.matchAll(HTTP_STATUS)) found.add(`error:http_${status}`);
  for (const [, host] of bounded.matchAll(HOST)) found.add(`host:${host!.toLowerCase().replace(/[.-]+$/, '')}`);
  return [...found].sort().slice(0, CONCEPTS_MAX);
}

/** `ffmpeg_moov` was recognised in a line of ffmpeg: patterns are named by their software. */
export function softwareOfPattern(pattern: string): Concept | undefined {
  const [first = ''] = pattern.toLowerCase().split(/[_-]/);
  const concept = CONCEPTS_BY_WORD.get(first);
  return concept?.startsWith('software:') === true ? concept : undefined;
}

/** What stands for itself in a text that others may read as an instruction: everything but a host's name. */
export const isClosed = (concept: string): boolean => !concept.startsWith('host:');
