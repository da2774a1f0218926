/** What `GET /containers/NAME/json` says, and what it means (Docker Engine API, "Inspect a container"). */
import { z } from 'zod';
import { ReeveError } from '../../core/errors.ts';
import type { ProcessState } from '../../core/sample.ts';

/** The part of the answer that is read. What is missing here is no container. */
export const containerDocument = z.object({
  Id: z.string().regex(/^[0-9a-f]{12,64}$/),
  Name: z.string(),
  RestartCount: z.int().min(0).optional(),
  State: z.object({
    Status: z.string(),
    Running: z.boolean().optional(),
    Paused: z.boolean().optional(),
    Restarting: z.boolean().optional(),
    OOMKilled: z.boolean().optional(),
    Dead: z.boolean().optional(),
    Pid: z.int().min(0).optional(),
    ExitCode: z.int().optional(),
    Error: z.string().optional(),
    StartedAt: z.string().optional(),
    FinishedAt: z.string().optional(),
    Health: z.object({ Status: z.string() }).nullish(),
  }),
  Config: z.object({ Tty: z.boolean().optional() }).nullish(),
  HostConfig: z
    .object({
      RestartPolicy: z.object({ Name: z.string().optional(), MaximumRetryCount: z.int().optional() }).nullish(),
    })
    .nullish(),
});
export type Container = z.output<typeof containerDocument>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** A name or id of one container. Throws CONFIG_INVALID. */
export function containerNameOf(name: string): string {
  if (NAME.test(name)) return name;
  throw new ReeveError('CONFIG_INVALID', `"${name}" is not the name of a container`, {
    hint: 'letters, digits, "_", "." and "-", as docker ps shows it',
  });
}

/** As `docker ps` shows an id. */
const ID_LENGTH_MIN = 12;

/**
 * Whether it is the one that was asked for. Where no container has a name Docker answers with one whose id begins like
 * it, as any may that begins like `bbc` or `fade`: such a one is a stranger.
 */
export const isMeant = (name: string, { Name, Id }: Container): boolean =>
  Name === `/${name}` || (name.length >= ID_LENGTH_MIN && Id.startsWith(name));

/**
 * The state by the names that all engines share. Where the status and its flags contradict each other it is unknown:
 * never healthy. A container that its health check calls unhealthy still runs: that is for the probes to judge.
 */
export function stateOf(container: Container): ProcessState {
  const { State } = container;
  const { Status, Running, Restarting, Dead } = State;
  switch (Status) {
    case 'running':
      return Running === false || Dead === true || State.Pid === 0 ? 'unknown' : running(State);
    case 'paused':
      return 'running';
    case 'restarting':
      return Restarting === false ? 'unknown' : 'backoff';
    case 'created':
      return couldNotStart(container) ? 'exited' : 'stopped';
    case 'exited':
      if (Running === true) return 'unknown';
      return hasGivenUp(container) ? 'fatal' : 'exited';
    case 'removing':
      return 'stopping';
    case 'dead':
      return 'fatal';
    default:
      return 'unknown';
  }
}

const running = ({ Health }: Container['State']): ProcessState =>
  Health?.Status === 'starting' ? 'starting' : 'running';

const MS_PER_SECOND = 1_000;

/** `2026-11-23T12:00:00.123456789Z` in milliseconds; undefined for Docker's year 1, which means never. */
export function timeOf(written: string | undefined): number | undefined {
  const ms = written === undefined ? Number.NaN : Date.parse(written.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isFinite(ms) && ms > MS_PER_SECOND ? ms : undefined;
}

/** Docker gives 128 and the signal for a process that a signal ended, as shells do. */
const SIGNAL_BASE = 128;
const SIGNAL_MAX = 64;

export function exitOf({ State: { ExitCode } }: Container): { readonly code?: number; readonly signal?: number } {
  if (ExitCode === undefined) return {};
  const signal = ExitCode - SIGNAL_BASE;
  return signal > 0 && signal <= SIGNAL_MAX ? { signal } : { code: ExitCode };
}

/** Policies under which Docker starts a container again however it ended, unless somebody stopped it. */
const ALWAYS_BACK = new Set(['always', 'unless-stopped']);

/** SIGTERM and SIGKILL: how `docker stop` ends a container. */
const STOP_SIGNALS = new Set([15, 9]);

/** Restarts whose process has begun: Docker counts one when it decides on it, up to a minute before. */
export const restartsOf = ({ RestartCount, State }: Container): number | undefined =>
  RestartCount === undefined ? undefined : Math.max(0, RestartCount - (State.Status === 'restarting' ? 1 : 0));

/** Docker has started it as often as its policy lets it, in vain. */
const hasGivenUp = ({ RestartCount = 0, HostConfig, State }: Container): boolean => {
  const { Name, MaximumRetryCount = 0 } = HostConfig?.RestartPolicy ?? {};
  return Name === 'on-failure' && State.ExitCode !== 0 && MaximumRetryCount > 0 && RestartCount >= MaximumRetryCount;
};

/** One that could not be started the first time stays `created`. */
const couldNotStart = ({ State }: Container): boolean => (State.Error ?? '') !== '';

/**
 * Whether a person stopped it. Docker does not report that, so it is derived from what it would have done by itself: a
 * container that would have come back and is down was stopped. Where the policy decides nothing, an end by 0 or by the
 * signals of `docker stop` is taken for a stop: what a person may have stopped is not started against that person.
 */
export function isStoppedOnPurpose(container: Container): boolean {
  const { State, HostConfig } = container;
  if (State.Status === 'created') return !couldNotStart(container);
  const failed = State.OOMKilled === true || couldNotStart(container) || hasGivenUp(container);
  if (State.Status !== 'exited' || failed) return false;
  const policy = HostConfig?.RestartPolicy?.Name ?? '';
  if (ALWAYS_BACK.has(policy) || policy === 'on-failure') return true;
  return State.ExitCode === 0 || STOP_SIGNALS.has(exitOf(container).signal ?? 0);
}
