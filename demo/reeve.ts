/** Runs the real daemon as a process of its own, and asks it over HTTP. */
import { closeSync, openSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Clock, deadline, systemClock } from '../src/core/clock.ts';
import { ReeveError } from '../src/core/errors.ts';
import type { JournalEntry } from '../src/core/journal.ts';
import { fromWire } from '../src/core/wire.ts';
import { type Child, startChild, until } from './process.ts';
import type { ReeveConfigOptions } from './reeve_config.ts';
import type { Stage } from './stage.ts';

/** The real daemon as a process of its own, asked as anybody would: over HTTP with its token. */
export interface Reeve extends AsyncDisposable {
  readonly child: Child;
  readonly configPath: string;
  readonly logPath: string;
  readonly token: string;
  /** Everything in its journal so far, oldest first. */
  readonly entries: readonly JournalEntry[];
  /**
   * Waits until Reeve has seen every channel play: what is broken before is found dead, and who found something dead
   * did not see it die. False when that took too long.
   */
  sawAllPlay(): Promise<boolean>;
  /** Writes its configuration anew, and waits until it has read it. Throws TIMED_OUT. */
  configure(options: ReeveConfigOptions): Promise<void>;
  /** Reads what is new in the journal. */
  catchUp(): Promise<readonly JournalEntry[]>;
  get<T>(path: string): Promise<T>;
  /** The last lines that it logged. */
  logTail(): Promise<string>;
}

const READY_WITHIN_MS = 30_000;
const PLAYING_WITHIN_MS = 60_000;
const ASK_TIMEOUT_MS = 5_000;
const PAGE_OF_JOURNAL = 1_000;
const FULL_LOOP = 4;

/** The program beside this file, in a checkout and in the compiled package alike. */
export const MAIN = join(import.meta.dirname, `../src/main${extname(import.meta.filename)}`);

/** The shipped rules: the stage has a copy that may change. */
const RULES = join(import.meta.dirname, '../config/rules');

export interface ReeveOptions extends ReeveConfigOptions {
  readonly clock?: Clock;
  /** The program that runs; the one beside this file when left out. */
  readonly program?: string;
}

/** Writes the stage's configuration, starts Reeve on it and waits until it is ready. */
export async function startReeve(stage: Stage, options: ReeveOptions = {}): Promise<Reeve> {
  const { clock = systemClock, program = MAIN, ...configured } = options;
  const configPath = join(stage.paths.conf, 'reeve.yaml');
  const logPath = join(stage.paths.logs, 'reeve.log');
  await cp(RULES, join(stage.paths.conf, 'rules'), { recursive: true });
  await writeFile(configPath, stage.configYaml(configured), { mode: 0o600 });
  const child = await readyChild(stage, { program, configPath, logPath, clock });
  const token = (await readFile(join(stage.paths.dir, 'state', 'token'), 'utf8')).trim();
  await setPhase(stage, token, { phase: options.phase ?? FULL_LOOP, clock });
  const get = getter(stage, token, clock);
  const entries: JournalEntry[] = [];
  const reeve: Reeve = {
    ...{ child, configPath, logPath, token, entries, get, logTail: () => tail(logPath) },
    sawAllPlay: () =>
      until(
        async () => {
          const { channels } = await get<{ channels: readonly { healthy: boolean | null }[] }>('/api/v1/channels');
          return channels.every(({ healthy }) => healthy === true);
        },
        PLAYING_WITHIN_MS,
        { clock },
      ),
    catchUp: () => readNew(get, entries),
    async configure(options) {
      await reeve.catchUp();
      const known = entries.length;
      await writeFile(configPath, stage.configYaml({ ...configured, ...options }), { mode: 0o600 });
      const isRead = async () => {
        await reeve.catchUp();
        return entries.slice(known).some(({ fact }) => fact.type === 'config.loaded');
      };
      if (await until(isRead, READY_WITHIN_MS, { clock })) return;
      throw new ReeveError(
        'TIMED_OUT',
        `Reeve did not take its configuration; its log ends with\n${await tail(logPath)}`,
      );
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
  return reeve;
}

interface Start {
  readonly program: string;
  readonly configPath: string;
  readonly logPath: string;
  readonly clock: Clock;
}

/** What a person has exported for the own Reeve is not for the one on the stage: it would write in that journal. */
export const withoutOwnReeve = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('REEVE_')));

/** The daemon as a process that answers. Throws DAEMON_UNREACHABLE with the end of its log. */
async function readyChild(stage: Stage, { program, configPath, logPath, clock }: Start): Promise<Child> {
  const log = openSync(logPath, 'a');
  const child = startChild(process.execPath, [program, 'run', '--config', configPath], {
    stdio: ['ignore', log, log],
    env: withoutOwnReeve(process.env),
    cwd: stage.paths.dir,
    graceMs: 15_000,
    clock,
  });
  closeSync(log);

  const ready = () =>
    ask(`${stage.urls.reeve}/readyz`, {}, clock).then(
      ({ ok }) => ok,
      () => !child.isRunning(),
    );
  if (!(await until(ready, READY_WITHIN_MS, { clock })) || !child.isRunning()) {
    await child[Symbol.asyncDispose]();
    throw new ReeveError('DAEMON_UNREACHABLE', `Reeve did not become ready; its log ends with\n${await tail(logPath)}`);
  }
  return child;
}

/** The journal of the stage is empty: Reeve only looks, whatever is configured, until a person says how far it may go. */
async function setPhase(
  stage: Stage,
  token: string,
  { phase, clock }: { readonly phase: number; readonly clock: Clock },
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ phase, because: 'the demonstration begins with an empty journal' });
  const { ok, text } = await ask(`${stage.urls.reeve}/api/v1/phase`, { method: 'POST', headers, body }, clock);
  if (!ok) throw new ReeveError('DAEMON_UNREACHABLE', `the phase could not be set: ${text}`);
}

type Get = Reeve['get'];

const getter =
  (stage: Stage, token: string, clock: Clock): Get =>
  async <T>(path: string): Promise<T> => {
    const answer = await ask(stage.urls.reeve + path, { headers: { authorization: `Bearer ${token}` } }, clock);
    if (!answer.ok) throw new ReeveError('DAEMON_UNREACHABLE', `${path} answered ${answer.status}`);
    return JSON.parse(answer.text) as T;
  };

/** Adds what is new in the journal to `entries`. */
async function readNew(get: Get, entries: JournalEntry[]): Promise<readonly JournalEntry[]> {
  const fresh: JournalEntry[] = [];
  for (;;) {
    const since = entries.at(-1)?.seq ?? 0;
    const page = await get<{ entries: readonly unknown[] }>(`/api/v1/journal?since=${since}&limit=${PAGE_OF_JOURNAL}`);
    const read = page.entries.map((entry) => fromWire<JournalEntry>(entry)).filter(({ seq }) => seq > since);
    entries.push(...read);
    fresh.push(...read);
    if (read.length < PAGE_OF_JOURNAL) return fresh;
  }
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
}

async function ask(url: string, request: RequestInit, clock: Clock): Promise<Answer> {
  using patience = deadline(clock, ASK_TIMEOUT_MS, () => new ReeveError('TIMED_OUT', `${url} did not answer`));
  const response = await fetch(url, { ...request, signal: patience.signal });
  return { ok: response.ok, status: response.status, text: await response.text() };
}

async function tail(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-20).join('\n');
}
