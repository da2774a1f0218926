import type { ProcessSample, ProcessState } from '../../src/core/sample.ts';
import { type Known, nextProcess, type ProcessFacts } from '../../src/ground/facts/process_facts.ts';

const KEYS = { age: 'uptimeMs', code: 'exitCode', signal: 'exitSignal', cpu: 'cpuMs', bytes: 'bytesWritten' } as const;
const FLAGS: Readonly<Record<string, Partial<ProcessSample>>> = {
  on_purpose: { stoppedOnPurpose: true },
  halted: { halted: true },
  not_halted: { halted: false },
};

/** One look, as `2000 exited a code=3 on_purpose`: when, the state, the generation, and what else is reported. */
export function lookOf(text: string): ProcessSample {
  const [at, state, ...parts] = text.split(' ');
  const monoMs = Number(at);
  const untold = { pid: undefined, uptimeMs: undefined, cpuMs: undefined, halted: undefined, bytesWritten: undefined };
  const ends = { exitCode: undefined, exitSignal: undefined, stoppedOnPurpose: false };
  const who = { kind: 'process', channel: 'news', engine: 'local', source: 'table' } as const;
  const more = parts.map((part): Partial<ProcessSample> => {
    const [key, value] = part.split('=');
    if (value !== undefined) return { [KEYS[key as keyof typeof KEYS]]: Number(value) };
    return FLAGS[part] ?? { generation: part };
  });
  const base = { ...who, ...untold, ...ends, at: monoMs, monoMs, state: state as ProcessState, generation: undefined };
  return Object.assign(base, ...more);
}

/** What the process table has reported after these polls, which stand in one line with commas between them. */
export function factsAfter(looks: string, known: Known = { actedMs: undefined }): ProcessFacts {
  let facts: ProcessFacts | undefined;
  for (const look of looks.split(', ')) facts = nextProcess(facts, lookOf(look), known);
  return facts!;
}
