// Folds samples of engines and their machines into what is known of them.
import type { MonoMs } from '../../core/clock.ts';
import type { CredentialSample, EngineSample, HostSample } from '../../core/sample.ts';
import { DISK_FULL_RATIO } from './setup.ts';

/** What an engine has reported of itself. */
export interface EngineFacts {
  readonly last: EngineSample | undefined;
  readonly failStreak: number;
  readonly failSinceMs: MonoMs | undefined;
  readonly lastOkMs: MonoMs | undefined;
  readonly credential: CredentialSample | undefined;
}

export const NO_ENGINE_FACTS: EngineFacts = {
  last: undefined,
  failStreak: 0,
  failSinceMs: undefined,
  lastOkMs: undefined,
  credential: undefined,
};

/** A service that runs and knows Reeve no more is looked for elsewhere than one that is gone. */
export const failuresText = ({ failStreak, last }: EngineFacts): string =>
  last?.failure === 'refused_credentials'
    ? `the engine refused Reeve's credentials ${failStreak} times in a row`
    : `the engine failed ${failStreak} times in a row`;

export const nextEngine = (before: EngineFacts, sample: EngineSample): EngineFacts => ({
  ...before,
  last: sample,
  failStreak: sample.ok ? 0 : before.failStreak + 1,
  failSinceMs: sample.ok ? undefined : (before.failSinceMs ?? sample.monoMs),
  lastOkMs: sample.ok ? sample.monoMs : before.lastOkMs,
});

/** What the machine of an engine has reported. */
export interface HostFacts {
  readonly last: HostSample;
  /** When the kernel's count of out-of-memory kills was last seen to rise. */
  readonly oomRoseMs: MonoMs | undefined;
  /** The look before the last, where both found the machine well: its memory is counted and lasts, no disk is full. */
  readonly wellBeforeMs?: MonoMs | undefined;
}

export function nextHost(before: HostFacts | undefined, sample: HostSample): HostFacts {
  const known = before?.last.oomKills ?? Number.POSITIVE_INFINITY;
  const rose = (sample.oomKills ?? 0) > known;
  const isWell = !rose && isCountedWell(sample) && before !== undefined && isCountedWell(before.last);
  const wellBeforeMs = isWell ? before.last.monoMs : undefined;
  return { last: sample, oomRoseMs: rose ? sample.monoMs : before?.oomRoseMs, wellBeforeMs };
}

const isCountedWell = ({ oomKills, disks }: HostSample): boolean =>
  oomKills !== undefined && disks.every(({ usedRatio = 0 }) => usedRatio < DISK_FULL_RATIO);

/** The fullest disk, where any could be read. */
export function fullestDisk(
  host: HostFacts | undefined,
): { readonly path: string; readonly ratio: number } | undefined {
  const read = host?.last.disks.flatMap(({ path, usedRatio }) =>
    usedRatio === undefined ? [] : [{ path, ratio: usedRatio }],
  );
  return read?.sort((a, b) => b.ratio - a.ratio)[0];
}
