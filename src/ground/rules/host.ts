// Recognises exhausted machines, exhausted pools and contention in the datastore.
import { fullestDisk } from '../facts/engine_facts.ts';
import { type ClassifyInput, maybeKilled, reported } from './classify_input.ts';
import type { Match } from './rule.ts';
import { OOM_NEAR_MS } from '../facts/setup.ts';
import { deadSignal, diskSignal, emptySignal, outputSignal, spoken, symptomSignal } from './signals.ts';

/** What a shell answers for a child that was killed. */
const SHELL_SIGKILL = 137;

/** The machine has no more of something that every channel needs: a restart would fail, or harm the neighbours. */
export function hostExhausted(input: ClassifyInput): Match | undefined {
  return diskFull(input) ?? outOfMemory(input) ?? outOfDescriptors(input);
}

function diskFull(input: ClassifyInput): Match | undefined {
  const disk = diskSignal(input);
  const empty = emptySignal(input);
  const reports = reported(input, 'disk_full');
  if (disk === undefined && empty === undefined && reports.length === 0) return undefined;
  const sinceMs = reports[0]?.firstMs ?? input.facts.output?.changedMs;
  const signals = spoken(disk, empty, deadSignal(input), ...reports.map(symptomSignal));
  if (disk !== undefined && (input.troubled || empty !== undefined)) {
    return { because: disk.says, signals, symptom: 'disk_full', sinceMs };
  }
  if (reports.length > 0 && (input.troubled || empty !== undefined)) {
    return { because: 'no space left on a disk', signals, symptom: 'disk_full', sinceMs };
  }
  const unseen = fullestDisk(input.context.host) === undefined;
  if (empty === undefined || !unseen) return undefined;
  return { because: `${empty.says}; no disk is looked at`, signals, symptom: 'disk_full', sinceMs, against: 1 };
}

function outOfMemory(input: ClassifyInput): Match | undefined {
  const { process, context, troubled } = input;
  if (!troubled) return undefined;
  const reports = reported(input, 'process_killed_oom');
  const rose = context.host?.oomRoseMs;
  const end = process?.lastEnd;
  const endMs = end?.seen ? end.monoMs : undefined;
  const shot = end !== undefined && (maybeKilled(end) || end.exitCode === SHELL_SIGKILL);
  const near = shot && rose !== undefined && endMs !== undefined && Math.abs(rose - endMs) <= OOM_NEAR_MS;
  if (!near && reports.length === 0) return undefined;
  const kernel = near
    ? ({
        origin: 'host',
        says: 'the kernel killed for want of memory',
        symptom: 'process_killed_oom',
        monoMs: rose,
      } as const)
    : undefined;
  return {
    because: 'the kernel ended a process for want of memory',
    signals: spoken(kernel, deadSignal(input), ...reports.map(symptomSignal)),
    symptom: 'process_killed_oom',
    sinceMs: endMs ?? reports[0]?.firstMs,
  };
}

/** Descriptors or threads. What one long-lived process used up is free again when it has died: that is a crash. */
function outOfDescriptors(input: ClassifyInput): Match | undefined {
  const reports = reported(input, 'fd_exhaustion');
  const [first] = reports;
  if (first === undefined || !input.troubled || diedOfItsOwnLeak(input)) return undefined;
  return {
    because: 'descriptors, connections or threads are used up',
    signals: spoken(deadSignal(input), outputSignal(input), ...reports.map(symptomSignal)),
    symptom: 'fd_exhaustion',
    sinceMs: first.firstMs,
  };
}

export const diedOfItsOwnLeak = (input: ClassifyInput): boolean =>
  input.process?.state === 'exited' && input.down && input.process.failedProcesses === 1 && input.recentEnds <= 1;

export function poolExhausted(input: ClassifyInput): Match | undefined {
  const { engine, limits } = input.context;
  const { last } = engine;
  if (!input.troubled || last?.poolPressure === undefined || last.poolPressure < limits.poolPressureMax) {
    return undefined;
  }
  const says = `the pool is ${Math.round(last.poolPressure * 100)} % used`;
  const metric = { origin: 'metric', says, symptom: undefined, monoMs: last.monoMs } as const;
  return { because: says, signals: spoken(metric, deadSignal(input), outputSignal(input)) };
}

export function datastoreContention(input: ClassifyInput): Match | undefined {
  const reports = reported(input, 'db_locked', 'db_pool_exhaustion');
  if (!input.troubled || reports[0] === undefined) return undefined;
  return {
    because: 'the database is locked or out of connections',
    signals: spoken(deadSignal(input), outputSignal(input), ...reports.map(symptomSignal)),
    symptom: reports[0].kind,
    sinceMs: reports[0].firstMs,
  };
}
