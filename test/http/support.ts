import type { JournalEntry } from '../../src/core/journal.ts';
import type { Command, Daemon } from '../../src/http/daemon.ts';

/** A daemon that writes down what it was asked for, and answers what the test gives it. */
export function aDaemon(with_: Partial<Daemon> = {}) {
  const commands: Command[] = [];
  const listeners = new Set<(entry: JournalEntry) => void>();
  const daemon: Daemon = {
    status: () => ({}),
    channels: () => [],
    incidents: () => [],
    incident: () => undefined,
    exportIncident: () => undefined,
    approvals: () => [],
    tokens: () => [],
    personas: () => [],
    rules: () => [],
    stats: () => ({}),
    patterns: () => [],
    blindSpots: () => [],
    why: () => undefined,
    prompt: () => undefined,
    whyNot: () => undefined,
    journal: () => [],
    command: async (command) => {
      commands.push(command);
      return { ok: true, said: 'done' };
    },
    metrics: async () => ({ contentType: 'text/plain', text: 'reeve_up 1\n' }),
    readiness: () => ({ ready: true, because: [] }),
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    ...with_,
  };
  return { daemon, commands, listeners };
}
