/** The additional faults of the crueller world. */
import type { DiskFaults } from './disk_faults.ts';
import type { ServiceModel } from './service_model.ts';
import type { Injection } from './scenario.ts';
import { HOUR_MS } from '../core/duration.ts';

/** What the crueller kinds may do to the service, to the machine and to Reeve itself. */
export interface CruelControls {
  readonly service: ServiceModel;
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  /** Nothing more is begun once the world is healed. */
  readonly healed: () => boolean;
  /** Reeve is asked to stop, ends what it has begun, and begins again after `downMs`. */
  readonly stopReeve: (downMs: number) => void;
  /** The policy file is written anew: tighter, looser or broken, and as it was after `forMs`. */
  readonly reload: (variant: number, forMs: number) => void;
  /** Reeve's state goes on on another machine. */
  readonly move: (downMs: number) => void;
  readonly disk: DiskFaults;
  /** A second Reeve begins on the same engines, and ends after a while. */
  readonly second: (injection: Injection) => void;
}

const ROLL_EVERY_MS = 3_000;
const OTHER_TOOL_EVERY_MS = 10_000;
const LOOP_GENERATION_MS = 1_200;
/** Who stops a channel and forgets it is reminded by then. */
const FORGOTTEN_MS = HOUR_MS;

/** Does one of the kinds that happen once; false: it is none of them. */
export function inflict(injection: Injection, controls: CruelControls): boolean {
  const { kind, target, forMs, variant } = injection;
  const { service, stopReeve, reload, move, disk, second } = controls;
  if (kind === 'keen_engine') keenEngine(injection, controls);
  else if (kind === 'stopped_by_hand') stopByHand(injection, controls);
  else if (kind === 'rolled_by_hand') rollByHand(injection, controls);
  else if (kind === 'other_tool') otherTool(injection, controls);
  else if (kind === 'same_name') service.at(target).namesakeNext = true;
  else if (kind === 'graceful_stop') stopReeve(forMs);
  else if (kind === 'reload') reload(variant, forMs);
  else if (kind === 'moved') move(forMs);
  else if (kind === 'set_back') disk.setBack(injection);
  else if (kind === 'journal_busy') disk.hold(injection);
  else if (kind === 'journal_rot') disk.rot(injection);
  else if (kind === 'second_reeve') second(injection);
  else return false;
  return true;
}

/** The engine tries again every two seconds and for ever; half of the times one of its channels cannot live. */
function keenEngine({ target, forMs, variant }: Injection, { service }: CruelControls): void {
  service.retryForEver(target, forMs);
  if (variant >= 0.5) return;
  const own = [...service.channels.values()].filter(({ plan }) => plan.engine === target);
  service.unfit(own[Math.floor(variant * 2 * own.length)]!.plan.id, forMs, LOOP_GENERATION_MS);
}

/** A person stops a channel, and starts it again when done; or forgets, until somebody asks for it. */
function stopByHand({ target, forMs, variant }: Injection, { service, at, nowMs }: CruelControls): void {
  service.stop(target, 'human');
  const { process } = service.at(target);
  at(nowMs() + (variant < 0.6 ? forMs : FORGOTTEN_MS), () => {
    const { process: now, state } = service.at(target);
    if (now === process && state === 'stopped') service.restart(target, 'human');
  });
}

/** A person restarts all channels of a group, one after another, without announcing it. */
function rollByHand({ target }: Injection, { service, at, nowMs, healed }: CruelControls): void {
  const members = [...service.channels.values()].filter(({ plan }) => plan.group === target);
  for (const [index, { plan }] of members.entries()) {
    at(nowMs() + index * ROLL_EVERY_MS, () => {
      if (!healed() && service.at(plan.id).state !== 'stopped') service.restart(plan.id, 'human');
    });
  }
}

/** Another tool, a second Reeve or a script, starts whatever is not running on the engine. */
function otherTool({ target, forMs }: Injection, { service, at, nowMs, healed }: CruelControls): void {
  const untilMs = nowMs() + forMs;
  const look = (): void => {
    if (healed() || nowMs() >= untilMs) return;
    for (const { plan, state } of service.channels.values()) {
      if (plan.engine === target && (state === 'exited' || state === 'fatal')) service.restart(plan.id, 'human');
    }
    at(nowMs() + OTHER_TOOL_EVERY_MS, look);
  };
  look();
}
