import { systemClock } from '../../src/core/clock.ts';
import { type Daemon, Rig, until } from '../support/rig.ts';

/**
 * The golden scenario, a few seconds long, with every durable hop in it: `news` dies and is started again by Reeve,
 * verified, and its incident closes; `film`, where Reeve may only look, dies, is paged, and is taken off the air by
 * somebody, which resolves the page.
 */
export const openScenario = (): Promise<Rig> =>
  Rig.open({
    channels: ['film', 'news'],
    more: { film: 'group: shown', news: 'group: live' },
    config: 'groups: [{ id: shown, phase: 1 }]',
  });

export interface Status {
  readonly channels: readonly {
    readonly id: string;
    readonly healthy: boolean | null;
    readonly unknown_outcome: boolean;
  }[];
  readonly incidents: readonly { readonly id: string; readonly scope: string; readonly state: string }[];
  readonly containment: readonly { readonly scope: string; readonly reason: string }[];
}

export const statusOf = (daemon: Daemon): Promise<Status> => daemon.get<Status>('/api/v1/status');

/** What waits for patience, for a spacing or for a busy machine comes all the same. */
const STEP_MS = 90_000;

/** A process of the daemon, and whether it is over, or cannot be expected to do anything any more. */
export interface DaemonProcess {
  readonly daemon: Daemon;
  readonly isOver: () => boolean;
}

/**
 * Plays the environment's part of the scenario from where it is. `gone`: this process is over; then the rest is for the
 * next. Throws when Reeve does not do its part in time.
 */
export async function play(rig: Rig, { daemon, isOver }: DaemonProcess, progress: Progress): Promise<'done' | 'gone'> {
  const wait = (what: string, holds: () => boolean | Promise<boolean>) =>
    until(what, async () => isOver() || (await holds()), STEP_MS);
  const healthy = (channel: string) => async () =>
    (await statusOf(daemon)).channels.some(({ id, healthy }) => id === channel && healthy === true);

  if (!progress.died) {
    await wait('both play', async () => (await healthy('news')()) && (await healthy('film')()));
    if (isOver()) return 'gone';
    progress.died = true;
    rig.die('news');
    rig.die('film');
  }
  await wait('film was paged', () => toldOf(rig, 'film', 'trigger'));
  await wait('news was started again, or paged', () => rig.isPlaying('news') || toldOf(rig, 'news', 'trigger'));
  if (isOver()) return 'gone';
  // What an earlier process sent without being able to write it down is sent again first: an end must not overtake it.
  await quiet({ daemon, isOver });
  if (isOver()) return 'gone';
  rig.stop('film');
  await wait('the page of film was resolved', () => toldOf(rig, 'film', 'resolve'));
  const untold = async () => {
    const { incidents } = await statusOf(daemon);
    return incidents.filter(({ id }) => !rig.delivered.some(({ incident }) => incident === id));
  };
  await wait('nothing is open but what a person has to see to', async () => (await untold()).length === 0).catch(
    async (thrown: unknown) => {
      throw new Error(`${String(thrown)}: ${JSON.stringify(await untold())}`);
    },
  );
  return isOver() ? 'gone' : 'done';
}

/** What the world has done already; survives the daemon. */
export interface Progress {
  died: boolean;
}

const toldOf = (rig: Rig, channel: string, what: 'trigger' | 'resolve'): boolean =>
  rig.delivered.some((one) => one.what === what && one.scope === `channel:${channel}`);

/** Waits until the journal has not grown for a while: what was due is done. */
export async function quiet({ daemon, isOver }: DaemonProcess, forMs = 700): Promise<void> {
  let seen = 0;
  let sinceMs = systemClock.monotonicMs();
  await until(
    'the journal comes to rest',
    async () => {
      if (isOver()) return true;
      const seq = await lastSeq(daemon, seen);
      if (seq !== seen) sinceMs = systemClock.monotonicMs();
      seen = seq;
      return systemClock.monotonicMs() - sinceMs >= forMs;
    },
    STEP_MS,
  );
}

async function lastSeq(daemon: Daemon, since: number): Promise<number> {
  const { entries } = await daemon.get<{ entries: readonly { seq: number }[] }>(`/api/v1/journal?since=${since}`);
  return entries.at(-1)?.seq ?? since;
}
