/** Tells a source that icecast itself fetches from one that is sent to it. */
import type { Evidence } from './course.ts';
import type { ExcerptLine } from './lines.ts';

const RELAYED = /\bslave\/start_relay_stream Starting relayed source at mountpoint "([^"]{1,200})"/;
const BETWEEN = /[\s"]+/;

/** Nobody publishes a mount that is relayed: where it ends, its master has ended it or sends what is no stream. */
export function ofRelays(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const mounts = new Set(lines.flatMap(({ whole }) => RELAYED.exec(whole)?.[1] ?? []));
  if (mounts.size === 0) return evidence;
  const isRelayed = ({ at, symptom }: Evidence): boolean =>
    symptom === 'publisher_lost' && lines[at]!.whole.split(BETWEEN).some((word) => mounts.has(word));
  return evidence.map((one) => (isRelayed(one) ? { ...one, symptom: 'upstream_unreachable' } : one));
}
