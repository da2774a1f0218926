/** When the newest sample of each kind was taken. */
import type { MonoMs } from '../../core/clock.ts';
import type { Sample } from '../../core/sample.ts';
import type { EngineFacts, HostFacts } from './engine_facts.ts';
import type { OutputFacts, ProgressFacts, ReachFacts, SourceFacts } from './output_facts.ts';
import type { ProcessFacts } from './process_facts.ts';

export type EngineLevelSample = Extract<Sample, { readonly kind: 'engine' | 'host' | 'credential' }>;
export type ChannelSample = Exclude<Sample, EngineLevelSample>;

interface OfChannel {
  readonly output?: OutputFacts | undefined;
  readonly process?: Pick<ProcessFacts, 'lastMs' | 'unreadableSinceMs'> | undefined;
  readonly source?: SourceFacts | undefined;
  readonly reach?: ReachFacts | undefined;
  readonly progress?: ProgressFacts | undefined;
  readonly viewers?: { readonly monoMs: MonoMs } | undefined;
}

interface OfEngine {
  readonly facts: EngineFacts;
  readonly host?: HostFacts | undefined;
}

/**
 * What was taken before the newest of its kind, and comes after it, tells nothing new. It would turn facts back: a
 * process that has ended would run again, a picture that stands would have moved. Of the same moment is not older.
 *
 * That a source, a stream or an engine did not answer counts whenever it comes: between two good looks it shows that
 * these prove nothing together (law S8).
 */
export const comesLate = (facts: OfChannel, sample: ChannelSample): boolean =>
  sample.monoMs < newestOf(facts, sample) && !((sample.kind === 'source' || sample.kind === 'reach') && !sample.ok);

function newestOf(facts: OfChannel, { kind }: ChannelSample): MonoMs {
  switch (kind) {
    case 'playlist':
      return facts.output?.last.monoMs ?? NEVER;
    case 'process':
      return Math.max(facts.process?.lastMs ?? NEVER, facts.process?.unreadableSinceMs ?? NEVER);
    case 'source':
      return facts.source?.last.monoMs ?? NEVER;
    case 'reach':
      return facts.reach?.last.monoMs ?? NEVER;
    case 'progress':
      return facts.progress?.lastMs ?? NEVER;
    case 'viewers':
      return facts.viewers?.monoMs ?? NEVER;
  }
}

/** The same of an engine and its machine. */
export function comesLateOfEngine({ facts, host }: OfEngine, sample: EngineLevelSample): boolean {
  const newest = { engine: facts.last, host: host?.last, credential: facts.credential }[sample.kind];
  return newest !== undefined && sample.monoMs < newest.monoMs && !(sample.kind === 'engine' && !sample.ok);
}

const NEVER = Number.NEGATIVE_INFINITY;
