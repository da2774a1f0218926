/** Sessions on disk: one JSON file each, written whole or not at all. */
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, ReeveError } from '../core/errors.ts';
import { makeDirectory } from '../resilience/make_directory.ts';
import { writeWhole } from '../resilience/write_whole.ts';
import type { Session } from './message.ts';

/** Where sessions are kept; a name is a person's handle and says nothing of a session's id. */
export interface SessionStore {
  save(session: Session, name: string): void;
  /** Throws USAGE where there is none, or what is there is no session. */
  load(name: string): Session;
  has(name: string): boolean;
  /** Names, sorted. */
  list(): readonly string[];
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const ENDING = '.json';
const FILE_BYTES_MAX = 16 * 1_024 * 1_024;

const document = z.strictObject({
  id: z.uuid(),
  created_at: z.number().min(0),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant']),
      content: z.string(),
      id: z.uuid(),
      timestamp: z.number().min(0),
    }),
  ),
});

/** Files `NAME.json` in one directory, which is made when it is needed. */
export class FileSessionStore implements SessionStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  save({ id, created_at, messages }: Session, name: string): void {
    const path = this.#pathOf(name);
    makeDirectory(this.#directory, 0o700);
    const fresh = `${path}.${process.pid}.new`;
    const kept = messages.map(({ role, content, id: of, timestamp }) => ({ role, content, id: of, timestamp }));
    const text = `${JSON.stringify({ id, created_at, messages: kept }, undefined, 2)}\n`;
    try {
      writeWhole(fresh, text, { flag: 'w', mode: 0o600 });
      renameSync(fresh, path);
    } catch (cause) {
      rmSync(fresh, { force: true });
      throw new ReeveError('USAGE', `the session ${name} was not saved: ${messageOf(cause)}`, { cause });
    }
  }

  load(name: string): Session {
    const path = this.#pathOf(name);
    const text = readText(path, name);
    try {
      if (text.length > FILE_BYTES_MAX) throw new Error(`more than ${FILE_BYTES_MAX} bytes`);
      const { id, created_at, messages } = document.parse(JSON.parse(text));
      return { id, created_at, messages };
    } catch (cause) {
      const hint = 'Nothing was changed. Move the file away, or use another name.';
      throw new ReeveError('USAGE', `${path} holds no session`, { cause, hint });
    }
  }

  has(name: string): boolean {
    this.#pathOf(name);
    return this.list().includes(name);
  }

  list(): readonly string[] {
    try {
      const names = readdirSync(this.#directory).filter((file) => file.endsWith(ENDING));
      return names
        .map((file) => file.slice(0, -ENDING.length))
        .filter((name) => NAME.test(name))
        .sort();
    } catch {
      return [];
    }
  }

  #pathOf(name: string): string {
    if (NAME.test(name)) return join(this.#directory, `${name}${ENDING}`);
    throw new ReeveError('USAGE', `a session's name has letters, digits, dots, dashes: got ${JSON.stringify(name)}`);
  }
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ReeveError('USAGE', `there is no session ${name} (${path})`, {
      cause,
      hint: 'reeve ask --list-sessions',
    });
  }
}
