import { fullestDisk } from './engine_facts.ts';
import { type Look, maybeKilled, told } from './look.ts';
import type { Match } from './row.ts';
import { OOM_NEAR_MS } from './setup.ts';
import { deadSignal, diskSignal, emptySignal, outputSignal, spoken, symptomSignal } from './witness.ts';

/** What a shell answers for a child that was killed. */
const SHELL_SIGKILL = 137;

/** The machine has no more of something that every channel needs: a restart would fail, or harm the neighbours. */
export function hostExhausted(look: Look): Match | undefined {
  return diskFull(look) ?? outOfMemory(look) ?? outOfDescriptors(look);
}

function diskFull(look: Look): Match | undefined {
  const disk = diskSignal(look);
  const empty = emptySignal(look);
  const words = told(look, 'disk_full');
  if (disk === undefined && empty === undefined && words.length === 0) return undefined;
  const sinceMs = words[0]?.firstMs ?? look.facts.output?.changedMs;
  const signals = spoken(disk, empty, deadSignal(look), ...words.map(symptomSignal));
  if (disk !== undefined && (look.troubled || empty !== undefined)) {
    return { because: disk.says, signals, symptom: 'disk_full', sinceMs };
  }
  if (words.length > 0 && (look.troubled || empty !== undefined)) {
    return { because: 'no space left on a disk', signals, symptom: 'disk_full', sinceMs };
  }
  const unseen = fullestDisk(look.context.host) === undefined;
  if (empty === undefined || !unseen) return undefined;
  return { because: `${empty.says}; no disk is looked at`, signals, symptom: 'disk_full', sinceMs, against: 1 };
}

function outOfMemory(look: Look): Match | undefined {
  const { process, context, troubled } = look;
  if (!troubled) return undefined;
  const words = told(look, 'process_killed_oom');
  const rose = context.host?.oomRoseMs;
  const end = process?.lastEnd;
  const endMs = end?.seen ? end.monoMs : undefined;
  const shot = end !== undefined && (maybeKilled(end) || end.exitCode === SHELL_SIGKILL);
  const near = shot && rose !== undefined && endMs !== undefined && Math.abs(rose - endMs) <= OOM_NEAR_MS;
  if (!near && words.length === 0) return undefined;
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
    signals: spoken(kernel, deadSignal(look), ...words.map(symptomSignal)),
    symptom: 'process_killed_oom',
    sinceMs: endMs ?? words[0]?.firstMs,
  };
}

/** Descriptors or threads. What one long-lived process used up is free again when it has died: that is a crash. */
function outOfDescriptors(look: Look): Match | undefined {
  const words = told(look, 'fd_exhaustion');
  const [first] = words;
  if (first === undefined || !look.troubled || diedOfItsOwnLeak(look)) return undefined;
  return {
    because: 'descriptors, connections or threads are used up',
    signals: spoken(deadSignal(look), outputSignal(look), ...words.map(symptomSignal)),
    symptom: 'fd_exhaustion',
    sinceMs: first.firstMs,
  };
}

export const diedOfItsOwnLeak = (look: Look): boolean =>
  look.process?.state === 'exited' && look.down && look.process.failedLives === 1 && look.recentEnds <= 1;

export function poolExhausted(look: Look): Match | undefined {
  const { engine, limits } = look.context;
  const { last } = engine;
  if (!look.troubled || last?.poolPressure === undefined || last.poolPressure < limits.poolPressureMax) {
    return undefined;
  }
  const says = `the pool is ${Math.round(last.poolPressure * 100)} % used`;
  const metric = { origin: 'metric', says, symptom: undefined, monoMs: last.monoMs } as const;
  return { because: says, signals: spoken(metric, deadSignal(look), outputSignal(look)) };
}

export function datastoreContention(look: Look): Match | undefined {
  const words = told(look, 'db_locked', 'db_pool_exhaustion');
  if (!look.troubled || words[0] === undefined) return undefined;
  return {
    because: 'the database is locked or out of connections',
    signals: spoken(deadSignal(look), outputSignal(look), ...words.map(symptomSignal)),
    symptom: words[0].kind,
    sinceMs: words[0].firstMs,
  };
}
