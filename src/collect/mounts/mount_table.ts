/** Tells which file systems of other machines and programs a path leads to, without a question to any of them. */
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A file system that may not answer, because a server or a program is behind it. */
export interface RemoteMount {
  /** Names this mount, and not another one at the same place later. */
  readonly id: string;
  readonly point: string;
}

interface MountLine extends RemoteMount {
  readonly isRemote: boolean;
}

/** Every mount of this process, by where it is; of several at one place the last hides the others. */
export type MountTable = ReadonlyMap<string, MountLine>;

/** Types behind which there is a server or a program: autofs(5) waits for one, and FUSE is one. */
const REMOTE =
  /^(?:nfs4?|cifs|smb3|smbfs|fuse(?:blk|\..+)?|9p|virtiofs|ceph|glusterfs|lustre|beegfs|gpfs|orangefs|pvfs2|afs|coda|autofs)$/;

/** No log lies there, and every machine with systemd has an autofs there. */
const OF_THE_KERNEL = /^\/(?:proc|sys|dev)\//;

/** Reads proc_pid_mountinfo(5): the fifth field is the place, and the type is the first one after the lone hyphen. */
export function mountTableOf(mountinfo: string): MountTable {
  const table = new Map<string, MountLine>();
  for (const line of mountinfo.split('\n')) {
    const [own = '', others = ''] = line.split(' - ');
    const [number, , device, , place] = own.split(' ');
    const [type] = others.split(' ');
    if (place === undefined || type === undefined) continue;
    const point = unescaped(place);
    table.delete(point);
    table.set(point, { id: `${number} ${device}`, point, isRemote: REMOTE.test(type) && !OF_THE_KERNEL.test(point) });
  }
  return table;
}

/** Space, tab, newline and backslash are written as three octal digits. */
const unescaped = (place: string): string =>
  place.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

export const hasRemote = (table: MountTable): boolean => [...table.values()].some(({ isRemote }) => isRemote);

/**
 * Differs where another remote mount is there, or something else on top of one. What containers mount and unmount all
 * day on disks of this machine changes nothing here.
 */
export function remoteKeyOf(table: MountTable): string {
  const remote = [...table.values()].filter(({ isRemote }) => isRemote);
  const matters = [...table.values()].filter(({ point }) =>
    remote.some((one) => point === one.point || point.startsWith(one.point === '/' ? '/' : `${one.point}/`)),
  );
  return matters.map(({ id, point }) => `${id} ${point}`).join('\n');
}

/** As the kernel does, so many links are followed. */
const LINKS_MAX = 40;

/**
 * The remote mounts that the path leads through; none where everything on the way is this machine's own. Links are
 * followed as far as that asks no remote mount. Behind the first one the names are taken as they stand: with autofs(5)
 * the file server is mounted on what waits for it.
 */
export function remoteMountsOn(path: string, table: MountTable): readonly RemoteMount[] {
  let rest = resolve(path).split('/').slice(1);
  let at = '/';
  for (let links = 0; links <= LINKS_MAX; ) {
    const mount = mountOf(at, table);
    if (mount?.isRemote) return [mount, ...mountsBetween(mount.point, join(at, ...rest), table)];
    const [name, ...others] = rest;
    if (name === undefined) return [];
    const next = name === '..' ? dirname(at) : join(at, name);
    const target = table.has(next) ? undefined : linkAt(next);
    rest = others;
    if (target === undefined) at = next;
    else {
      links += 1;
      rest = [...target.split('/').filter((part) => part !== '' && part !== '.'), ...others];
      if (target.startsWith('/')) at = '/';
    }
  }
  return [];
}

const mountsBetween = (above: string, path: string, table: MountTable): readonly RemoteMount[] =>
  remoteMountsBelow(above, table).filter(({ point }) => path === point || path.startsWith(`${point}/`));

/** Remote mounts below a folder. */
export function remoteMountsBelow(folder: string, table: MountTable): readonly RemoteMount[] {
  const start = folder.endsWith('/') ? folder : `${folder}/`;
  return [...table.values()].filter(({ isRemote, point }) => isRemote && point.startsWith(start));
}

function mountOf(path: string, table: MountTable): MountLine | undefined {
  for (let at = path; ; at = dirname(at)) {
    const mount = table.get(at);
    if (mount !== undefined || at === '/') return mount;
  }
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
