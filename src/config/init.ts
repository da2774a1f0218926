/** Writes a first configuration. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, ReeveError } from '../core/errors.ts';
import { makeDirectory } from '../resilience/make_directory.ts';
import { writeWhole } from '../resilience/write_whole.ts';
import { SHIPPED } from './document/paths.ts';
import { type FoundManager, findManagers } from './find_managers.ts';
import { type FoundSupervisor, findSupervisor } from './find_supervisor.ts';
import { jsonSchemaOf, OWN_DOCUMENTS } from './schema.ts';

export interface StarterFile {
  /** Relative to the directory that is set up. */
  readonly path: string;
  readonly text: string;
}

export interface Initialised {
  readonly written: readonly string[];
  /** Were there already, and stay as they were. */
  readonly kept: readonly string[];
  readonly found: FoundSupervisor | undefined;
  readonly managers: readonly FoundManager[];
}

/** Writes a first configuration for the engines that are found here. Never touches a file that exists. */
export async function init(
  directory: string,
  found?: FoundSupervisor,
  managers: readonly FoundManager[] = findManagers(),
): Promise<Initialised> {
  const engine = found ?? (await findSupervisor());
  const written: string[] = [];
  const kept: string[] = [];
  for (const { path, text } of starterFiles(engine, managers)) {
    (writeNew(join(directory, path), text) ? written : kept).push(path);
  }
  return { written, kept, found: engine, managers };
}

/** Files that are written as they are shipped: here and there. */
const COPIES = [
  ['config/schemas/policy.schema.json', 'config/schemas/policy.schema.json'],
  ['config/examples/policy.yaml', 'test/policy/example.yaml'],
] as const;

/** The files of a first configuration: the file itself, the schemas that editors read, and a first policy test. */
export function starterFiles(
  found: FoundSupervisor | undefined,
  managers: readonly FoundManager[] = [],
): readonly StarterFile[] {
  const schemas = Object.keys(OWN_DOCUMENTS).map((kind) => ({
    path: `config/schemas/${kind}.schema.json`,
    text: `${JSON.stringify(jsonSchemaOf(kind), undefined, 2)}\n`,
  }));
  const copies = COPIES.map(([from, path]) => ({ path, text: readFileSync(join(SHIPPED, from), 'utf8') }));
  return [{ path: 'config/reeve.yaml', text: starterText(found, managers) }, ...schemas, ...copies];
}

/** The shipped starter, with the part between these two lines made for what was found. */
const PART_BEGINS = 'engines: []\n';
const PART_ENDS = '# Persona and first phase for a whole group of channels.\n';

function starterText(found: FoundSupervisor | undefined, managers: readonly FoundManager[]): string {
  const shipped = readFileSync(join(SHIPPED, 'config/reeve.yaml'), 'utf8');
  const [begin, end] = [shipped.indexOf(PART_BEGINS), shipped.indexOf(PART_ENDS)];
  const part = found === undefined ? managersPart(managers) : enginePart(found, managers);
  if (part === undefined || begin === -1 || end === -1) return shipped;
  const engine = found === undefined ? (managers[0]?.kind ?? LOCAL) : LOCAL;
  const rest = shipped.slice(end).replaceAll(`engine: ${LOCAL}`, `engine: ${engine}`);
  return `${shipped.slice(0, begin)}${part}\n${rest}`;
}

/** What the shipped starter calls its engine. */
const LOCAL = 'local';
const GROUP = 'group: encoders                 # failure domain: same origin, host or pool. Default: the engine';
const PASSWORD = 'password_env: SUPERVISOR_PASSWORD   # or password_file:, which only its owner may read';

const MANAGER_LINES: Readonly<Record<FoundManager['kind'], (manager: FoundManager) => readonly string[]>> = {
  docker: ({ socket }) => ['  - id: docker', '    kind: docker', `    socket: ${JSON.stringify(socket)}`],
  systemd: () => ['  - id: systemd', '    kind: systemd', '    # manager: user'],
};

/** Where there is no supervisor: what else runs services here. Which of them are channels is not known. */
function managersPart(managers: readonly FoundManager[]): string | undefined {
  if (managers.length === 0) return undefined;
  const [{ kind }] = managers as readonly [FoundManager];
  return [
    ...managers.map(({ kind: each, from }) => `# ${each} was found by ${from}.`),
    'engines:',
    ...managers.flatMap((manager) => MANAGER_LINES[manager.kind](manager)),
    'channels: []',
    '# channels:',
    '#   - ids: [news, sport]',
    `#     engine: ${kind}`,
    `#     ${GROUP}`,
    `#     name: "channel-{id}"             # ${kind === 'docker' ? 'the container' : 'the service unit'}`,
    '#     output: { hls: "http://127.0.0.1:8080/hls/{id}/index.m3u8", every: 2s, stall_after: 6s }',
    '',
  ].join('\n');
}

/** Beside a supervisor the others are only shown: an engine without channels would be looked at for nothing. */
const shownManagers = (managers: readonly FoundManager[]): readonly string[] =>
  managers.flatMap((manager) => [
    `  # ${manager.kind} was found, too, by ${manager.from}:`,
    ...MANAGER_LINES[manager.kind](manager).map((line) => `  # ${line.slice(2)}`),
  ]);

function enginePart(found: FoundSupervisor, managers: readonly FoundManager[]): string {
  const address =
    found.socket === undefined ? `url: ${JSON.stringify(found.url)}` : `socket: ${JSON.stringify(found.socket)}`;
  const log = found.logFile === undefined ? [] : [`    logs: [{ path: ${JSON.stringify(found.logFile)} }]`];
  const ids = found.programs.filter((name) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name) && name !== 'fleet');
  const channels =
    ids.length === 0
      ? ['channels: []', '# channels:', '#   - ids: [news, sport]']
      : [
          '# Every program of this supervisor. Keep those that are channels.',
          'channels:',
          `  - ids: [${ids.map(quoted).join(', ')}]`,
        ];
  const rest = [
    '    engine: local',
    `    # ${GROUP}`,
    '    name: "{id}"                      # what the supervisor calls it; group:name for a program of a group',
    '    # logs: ["/var/log/channels/{id}.err"]',
    '    # Without a probe of the output Reeve cannot distinguish a stall from quiet:',
    '    # output: { hls: "http://127.0.0.1:8080/hls/{id}/index.m3u8", every: 2s, stall_after: 6s }',
  ];
  return [
    `# Found by ${found.from}.`,
    'engines:',
    '  - id: local',
    '    kind: supervisor',
    `    ${address}`,
    `    ${found.username === undefined ? '# username: reeve' : `username: ${JSON.stringify(found.username)}`}`,
    `    ${found.username === undefined ? '# ' : ''}${PASSWORD}`,
    '    poll: 1s',
    ...log,
    '    # host: { disks: [/var/www/hls], every: 5s }',
    ...shownManagers(managers),
    ...channels,
    ...(ids.length === 0 ? rest.map((line) => `# ${line}`) : rest),
    '',
  ].join('\n');
}

/** Strings that YAML would take for something else stand in quotes. */
const quoted = (id: string): string =>
  /^[A-Za-z][A-Za-z_-]*\d*$/.test(id) && !/^(true|false|null)$/i.test(id) ? id : JSON.stringify(id);

function writeNew(path: string, text: string): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return false;
    makeDirectory(dirname(path));
    writeWhole(path, text, { flag: 'wx', mode: 0o666 });
    return true;
  } catch (thrown) {
    throw new ReeveError('CONFIG_INVALID', `cannot write ${path}: ${messageOf(thrown)}`, {
      cause: thrown,
      hint: 'name a directory that you may write to: reeve init DIR',
    });
  }
}
