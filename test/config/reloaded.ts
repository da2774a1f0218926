// A folder with a sound configuration, and what a watch on it reports.
import { expect, onTestFinished, vi } from 'vitest';
import { type Configuration, loadConfiguration } from '../../src/config/load.ts';
import { type Change, watchConfiguration } from '../../src/config/reload.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { persona } from './sound.ts';
import { aFolder, problemLines, TOOLS } from './support.ts';

export const CONFIG = `version: 1
persona: mine
engines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
channels:
  - { id: a, engine: e }
  - { id: b, engine: e }
`;

export const FILES = {
  'config/reeve.yaml': CONFIG,
  'config/personas/mine.yaml': persona('mine'),
  'config/rules/r.rule.yaml': 'id: r\ndescription: d\nclassification: unknown\nthen: [{ escalate: true }]\n',
  'config/patterns/p.yaml': 'patterns: []\n',
};

export const loadFrom = (cwd: string) => loadConfiguration({ cwd, env: {}, tools: TOOLS });

export function loaded(cwd: string): Configuration {
  const { configuration, problems } = loadFrom(cwd);
  if (!configuration) throw new Error(problemLines(problems).join('\n'));
  return configuration;
}

export function watching(clock: Clock = systemClock, cwd = aFolder(FILES)) {
  const changes: Change[] = [];
  const reloader = watchConfiguration({
    clock,
    load: () => loadFrom(cwd),
    current: loaded(cwd),
    onChange: (change) => changes.push(change),
  });
  onTestFinished(() => reloader[Symbol.dispose]());
  const change = async (index: number): Promise<Change> => {
    await vi.waitFor(() => expect(changes.length).toBeGreaterThan(index), { timeout: 30_000, interval: 20 });
    return changes[index]!;
  };
  return { cwd, reloader, changes, change };
}
