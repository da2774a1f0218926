/** What `systemctl show` prints about a unit, and what it means (systemd.unit(5), org.freedesktop.systemd1(5)). */
import { ReeveError } from '../../core/errors.ts';
import type { ProcessState } from '../../core/sample.ts';

/** The properties that are asked for. */
export const PROPERTIES = [
  'Id',
  'Names',
  'LoadState',
  'ActiveState',
  'SubState',
  'Result',
  'Job',
  'MainPID',
  'InvocationID',
  'NRestarts',
  'Restart',
  'RestartPreventExitStatus',
  'ActiveExitTimestampMonotonic',
  'ExecMainCode',
  'ExecMainStatus',
  'ExecMainStartTimestampMonotonic',
  'ExecMainExitTimestampMonotonic',
] as const;
type Property = (typeof PROPERTIES)[number];

/** One unit. A property that was not printed is an empty text: unknown. */
export type Unit = Readonly<Record<Property, string>>;

const PROPERTY = new RegExp(`^(${PROPERTIES.join('|')})=(.*)$`);

/** A service and nothing else: no pattern, no template, nothing that looks like an option. Throws CONFIG_INVALID. */
export function unitNameOf(name: string): string {
  const full = /\.[a-z]+$/.test(name) ? name : `${name}.service`;
  const isService = /^[A-Za-z0-9_:.\\][A-Za-z0-9_:.\\@-]*\.service$/.test(full) && full.length <= 255;
  if (isService && !/@\.service$/.test(full)) return full;
  const isTemplate = /@\.service$/.test(full);
  throw new ReeveError('CONFIG_INVALID', `"${name}" is not the name of one service unit`, {
    hint: isTemplate ? 'name an instance of the template: name@instance.service' : 'such as channel-news.service',
  });
}

/**
 * The blocks of an answer, in the order of the names that were asked for. Throws ENGINE_ANSWER_INVALID when there are
 * more or fewer, or when one is about another unit: a state is never given to the wrong channel.
 */
export function parseUnits(stdout: string, names: readonly string[]): readonly Unit[] {
  const blocks = stdout
    .split(/\n\s*\n/)
    .map((block) => block.split('\n').flatMap((line) => [...[PROPERTY.exec(line)].filter((found) => found !== null)]))
    .filter((lines) => lines.length > 0);
  if (blocks.length !== names.length) {
    throw invalid(`expected the properties of ${names.length} units, got ${blocks.length}`);
  }
  return blocks.map((lines, index) => {
    const found = new Map(lines.map(([, key, value]) => [key, value?.trim() ?? '']));
    const unit = Object.fromEntries(PROPERTIES.map((key) => [key, found.get(key) ?? ''])) as Unit;
    const name = names[index]!;
    if (unit.Id !== name && !unit.Names.split(' ').includes(name)) throw invalid(`asked for ${name}, got ${unit.Id}`);
    return unit;
  });
}

const ACTIVE: Readonly<Record<string, ProcessState>> = { exited: 'exited', failed: 'exited' };

/** The state by the names that all engines share. Whatever is not known for certain is `unknown`, never healthy. */
export function stateOf(unit: Unit): ProcessState {
  const { LoadState, ActiveState, SubState } = unit;
  if (LoadState !== 'loaded') return 'unknown';
  switch (ActiveState) {
    case 'active':
    case 'reloading':
    case 'refreshing':
      return ACTIVE[SubState] ?? 'running';
    case 'activating':
      return SubState.startsWith('auto-restart') ? 'backoff' : 'starting';
    case 'deactivating':
      return 'stopping';
    case 'failed':
      return hasGivenUp(unit) ? 'fatal' : 'exited';
    case 'inactive':
      // A unit that does not run can only have a job that starts it, which may wait for another unit.
      return hasJob(unit) ? 'starting' : 'stopped';
    default:
      return 'unknown';
  }
}

/** Results after which systemd starts the unit no more by itself. */
const GAVE_UP = new Set(['start-limit-hit', 'resources', 'exec-condition', 'protocol']);

/** Results after which systemd starts a unit again by itself, by its `Restart=` (systemd.service(5)). */
const COMES_BACK: Readonly<Record<string, (result: string) => boolean>> = {
  always: () => true,
  'on-failure': (result) => result !== 'success',
  'on-success': (result) => result === 'success',
  'on-abnormal': (result) => ['signal', 'core-dump', 'watchdog', 'timeout', 'oom-kill'].includes(result),
  'on-abort': (result) => ['signal', 'core-dump'].includes(result),
  'on-watchdog': (result) => result === 'watchdog',
};

/**
 * systemd starts it no more by itself. One that hit its start limit keeps the result of its last failure; only where
 * that was none it is `start-limit-hit`.
 */
function hasGivenUp(unit: Unit): boolean {
  const { Result, Restart, RestartPreventExitStatus, NRestarts } = unit;
  if (GAVE_UP.has(Result)) return true;
  if (RestartPreventExitStatus !== '' || !COMES_BACK[Restart]?.(Result)) return false;
  return (numberOf(NRestarts) ?? 0) > 0 && (Result === 'watchdog' || endedByItself(unit));
}

/** A stop ends the active state before the process ends; what ends by itself does so after, or was never active. */
function endedByItself(unit: Unit): boolean {
  const left = numberOf(unit.ActiveExitTimestampMonotonic);
  const [began, ended] = [unit.ExecMainStartTimestampMonotonic, unit.ExecMainExitTimestampMonotonic].map(numberOf);
  if (left === undefined || began === undefined || ended === undefined) return false;
  return left >= ended || left < began;
}

/**
 * Whether a person stopped it. systemd does not report that, so it is derived from what it would have done by itself:
 * a unit that would have come back and is down was stopped. Where `Restart=` decides nothing, a clean end is taken for
 * a stop: what a person may have stopped is not started against that person.
 */
export function isStoppedOnPurpose(unit: Unit): boolean {
  const { ActiveState, Result, Restart, RestartPreventExitStatus } = unit;
  if (ActiveState === 'inactive') return !hasJob(unit);
  if (ActiveState !== 'failed' || hasGivenUp(unit) || RestartPreventExitStatus !== '') return false;
  return COMES_BACK[Restart]?.(Result) ?? false;
}

/**
 * Nobody stops it: its process has ended, or its watchdog ends it, and systemd sees to what is left (other processes,
 * ExecStopPost=). Whoever stops a unit does so by a job.
 */
export function isClearingUp(unit: Unit): boolean {
  if (unit.ActiveState !== 'deactivating' || hasJob(unit)) return false;
  const [began, ended] = [unit.ExecMainStartTimestampMonotonic, unit.ExecMainExitTimestampMonotonic].map(numberOf);
  return unit.Result === 'watchdog' || (began !== undefined && ended !== undefined && ended > 0 && ended >= began);
}

/** How the main process ended: `CLD_EXITED`, `CLD_KILLED` and `CLD_DUMPED` of waitid(2). */
export function exitOf({ ExecMainCode, ExecMainStatus }: Unit): { readonly code?: number; readonly signal?: number } {
  const status = numberOf(ExecMainStatus);
  if (status === undefined) return {};
  if (ExecMainCode === '1') return { code: status };
  return ExecMainCode === '2' || ExecMainCode === '3' ? { signal: status } : {};
}

/** A whole number of 0 or more; undefined for anything else, such as `[not set]`. */
export const numberOf = (text: string): number | undefined => (/^\d{1,19}$/.test(text) ? Number(text) : undefined);

/** A job waits or runs for the unit: somebody is at it. */
export const hasJob = ({ Job }: Unit): boolean => (numberOf(Job.split(' ')[0] ?? '') ?? 0) > 0;

const invalid = (message: string) => new ReeveError('ENGINE_ANSWER_INVALID', `systemctl show: ${message}`);
