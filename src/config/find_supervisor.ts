/** Finds a supervisord on this machine. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';

/** A supervisord on this machine, as far as its configuration or its socket shows. */
export interface FoundSupervisor {
  /** How it was found, for a comment. */
  readonly from: string;
  /** One of the two. */
  readonly socket: string | undefined;
  readonly url: string | undefined;
  readonly username: string | undefined;
  readonly logFile: string | undefined;
  readonly programs: readonly string[];
}

/** Where to look: the usual places of this machine. */
export interface Places {
  readonly configurations: readonly string[];
  readonly sockets: readonly string[];
  /** A port of the loopback interface. */
  readonly port: number;
}

const USUAL: Places = {
  configurations: ['/etc/supervisor/supervisord.conf', '/etc/supervisord.conf'],
  sockets: ['/run/supervisor.sock', '/var/run/supervisor.sock', '/tmp/supervisor.sock'],
  port: 9001,
};

const FILE_BYTES_MAX = 1024 * 1024;
const FILES_MAX = 200;
const PROGRAMS_MAX = 500;

/** Looks at files, sockets and one loopback port; asks nothing and changes nothing. */
export async function findSupervisor(places: Places = USUAL): Promise<FoundSupervisor | undefined> {
  const socket = places.sockets.find(isSocket);
  for (const path of places.configurations) {
    const found = existsSync(path) ? fromConfiguration(path) : undefined;
    if (found?.socket !== undefined || found?.url !== undefined) return found;
    if (found && socket !== undefined) return { ...found, socket };
  }
  const bare = { socket: undefined, url: undefined, username: undefined, logFile: undefined, programs: [] };
  if (socket !== undefined) return { ...bare, from: `its socket ${socket}`, socket };
  if (!(await listens(places.port))) return undefined;
  return {
    ...bare,
    from: `something that listens on port ${places.port}`,
    url: `http://127.0.0.1:${places.port}/RPC2`,
  };
}

function isSocket(path: string): boolean {
  try {
    return statSync(path).isSocket();
  } catch {
    // Nothing, or in a directory of another user: Reeve could not use it, either.
    return false;
  }
}

/** Loopback answers at once, one way or the other. */
function listens(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = connect({ host: '127.0.0.1', port });
    const end = (answer: boolean) => () => {
      probe.destroy();
      done(answer);
    };
    probe.once('connect', end(true));
    probe.once('error', end(false));
  });
}

type Sections = ReadonlyMap<string, ReadonlyMap<string, string>>;

function fromConfiguration(path: string): FoundSupervisor | undefined {
  const main = sectionsOf(path);
  const included = (main.get('include')?.get('files') ?? '')
    .split(/\s+/)
    .filter((pattern) => pattern !== '')
    .flatMap((pattern) => globSync(resolve(dirname(path), pattern)).sort())
    .slice(0, FILES_MAX);
  const sections = [main, ...included.map(sectionsOf)];
  const programs = sections
    .flatMap((each) => [...each.keys()])
    .flatMap((name) => (name.startsWith('program:') ? [name.slice('program:'.length).trim()] : []));
  const unix = main.get('unix_http_server');
  const inet = main.get('inet_http_server');
  const socket = plain(unix?.get('file'));
  return {
    from: path,
    socket,
    url: socket === undefined ? urlOf(plain(inet?.get('port'))) : undefined,
    username: plain((socket === undefined ? inet : unix)?.get('username')),
    logFile: plain(main.get('supervisord')?.get('logfile')),
    programs: [...new Set(programs)].slice(0, PROGRAMS_MAX),
  };
}

/** Values with supervisord's own placeholders are not known here. */
const plain = (value: string | undefined): string | undefined =>
  value === undefined || value === '' || value.includes('%(') ? undefined : value;

/** `127.0.0.1:9001`, `*:9001` or `:9001`; always asked on this machine. */
function urlOf(port: string | undefined): string | undefined {
  const digits = /(\d{1,5})$/.exec(port ?? '')?.[1];
  return digits === undefined ? undefined : `http://127.0.0.1:${digits}/RPC2`;
}

/** An INI file as supervisord reads it: `;` begins a comment after white space. Unreadable: nothing. */
function sectionsOf(path: string): Sections {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const raw of linesOf(path)) {
    const line = raw.replace(/(^|\s);.*$/, '').trimEnd();
    const header = /^\[([^\]]+)\]/.exec(line)?.[1];
    const [, key, value] = /^([^\s#=][^=]*?)\s*=\s*(.*)$/.exec(line) ?? [];
    if (header !== undefined) {
      current = sections.get(header) ?? new Map();
      sections.set(header, current);
    } else if (key !== undefined && value !== undefined) {
      current?.set(key, value.trim());
    }
  }
  return sections;
}

function linesOf(path: string): readonly string[] {
  try {
    return statSync(path).size > FILE_BYTES_MAX ? [] : readFileSync(path, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
