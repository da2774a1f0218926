import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  hasRemote,
  mountTableOf,
  remoteKeyOf,
  remoteMountsBelow,
  remoteMountsOn,
} from '../../../src/collect/mounts/mount_table.ts';
import { aDirectory } from '../support/tailing.ts';

let number = 20;
const line = (point: string, type: string): string => {
  number += 1;
  return `${number} 1 0:${number} / ${point} rw,nosuid shared:2 master:1 - ${type} source rw`;
};
const tableOf = (...lines: readonly string[]) => mountTableOf(lines.join('\n'));
const pointOf = (path: string, ...lines: readonly string[]) => remoteMountsOn(path, tableOf(...lines))[0]?.point;

describe('the table of mounts', () => {
  it.each([
    ...[
      'nfs',
      'nfs4',
      'cifs',
      'smb3',
      'fuse',
      'fuse.sshfs',
      'fuseblk',
      '9p',
      'virtiofs',
      'ceph',
      'glusterfs',
      'autofs',
    ],
  ])('takes %s for a file system that may not answer', (type) => {
    expect(pointOf('/srv/logs/a.log', line('/', 'ext4'), line('/srv', type))).toBe('/srv');
  });

  it.each(['ext4', 'xfs', 'btrfs', 'tmpfs', 'overlay', 'zfs', 'proc', 'fusectl', 'nfsd', 'rpc_pipefs'])(
    'takes %s for one of this machine',
    (type) => expect(pointOf('/srv/logs/a.log', line('/', 'ext4'), line('/srv', type))).toBeUndefined(),
  );

  it('goes by the mount that is nearest, by whole names', () => {
    const lines = [line('/', 'ext4'), line('/srv', 'nfs4'), line('/srv/local', 'xfs')];
    expect(pointOf('/srv/a.log', ...lines)).toBe('/srv');
    expect(pointOf('/srvother/a.log', ...lines)).toBeUndefined();
    expect(pointOf('/a.log', ...lines)).toBeUndefined();
  });

  it('asks nothing beyond a remote mount, though another may lie below it', () => {
    expect(pointOf('/srv/local/a.log', line('/srv', 'nfs4'), line('/srv/local', 'xfs'))).toBe('/srv');
  });

  it('asks the file server that is mounted on what waits for it, too, and none beside it', () => {
    const lines = [line('/', 'ext4'), line('/srv', 'autofs'), line('/srv/logs', 'nfs4'), line('/srv/log', 'nfs4')];
    const points = (path: string) => remoteMountsOn(path, tableOf(...lines)).map(({ point }) => point);
    expect(points('/srv/logs/a.log')).toEqual(['/srv', '/srv/logs']);
    expect(points('/srv/other/a.log')).toEqual(['/srv']);
    expect(points('/var/log/a.log')).toEqual([]);
  });

  it('takes the last of several mounts at one place', () => {
    expect(pointOf('/srv/a', line('/srv', 'autofs'), line('/srv', 'xfs'))).toBeUndefined();
    expect(pointOf('/srv/a', line('/srv', 'xfs'), line('/srv', 'nfs'))).toBe('/srv');
  });

  it('reads a space in a name, and is not misled by a hyphen in it', () => {
    expect(pointOf('/srv/my logs/a', line('/srv/my\\040logs', 'nfs'))).toBe('/srv/my logs');
    expect(pointOf('/srv/a-b/a', line('/srv/a-b', 'nfs'))).toBe('/srv/a-b');
  });

  it('takes a root that is remote for everything', () => {
    expect(pointOf('/var/log/a', line('/', 'nfs'))).toBe('/');
  });

  it('makes nothing of what it cannot read', () => {
    expect([...tableOf('', 'nonsense', '1 2 3', 'a - b')]).toEqual([]);
    expect(pointOf('/var/log/a')).toBeUndefined();
  });

  it('names the mount, so that another one at the same place is told from it', () => {
    const [before, after] = [line('/srv', 'nfs'), line('/srv', 'nfs')];
    expect(remoteMountsOn('/srv', tableOf(before))[0]?.id).not.toBe(remoteMountsOn('/srv', tableOf(after))[0]?.id);
  });

  it('asks nothing of what is mounted among the files of the kernel', () => {
    expect(hasRemote(tableOf(line('/', 'ext4'), line('/proc/sys/fs/binfmt_misc', 'autofs')))).toBe(false);
    expect(hasRemote(tableOf(line('/', 'ext4'), line('/proceeds', 'nfs')))).toBe(true);
  });

  it('is another one where a remote mount came, went or is covered, and not where a local one did', () => {
    const [root, logs] = [line('/', 'ext4'), line('/srv', 'nfs')];
    const before = remoteKeyOf(tableOf(root, logs));
    expect(remoteKeyOf(tableOf(root, logs, line('/var/lib/docker/overlay2/x/merged', 'overlay')))).toBe(before);
    expect(remoteKeyOf(tableOf(root))).not.toBe(before);
    expect(remoteKeyOf(tableOf(root, line('/srv', 'nfs')))).not.toBe(before);
    expect(remoteKeyOf(tableOf(root, logs, line('/srv', 'xfs')))).not.toBe(before);
    expect(remoteKeyOf(tableOf(root, logs, line('/srv/local', 'xfs')))).not.toBe(before);
    const all = line('/', 'nfs');
    expect(remoteKeyOf(tableOf(all, line('/srv', 'xfs')))).not.toBe(remoteKeyOf(tableOf(all)));
  });

  it('knows whether there is anything to ask at all', () => {
    expect(hasRemote(tableOf(line('/', 'ext4'), line('/srv', 'xfs')))).toBe(false);
    expect(hasRemote(tableOf(line('/', 'ext4'), line('/srv', 'nfs')))).toBe(true);
  });
});

describe('a link', () => {
  it('is followed to the mount that it leads into', () => {
    const directory = aDirectory();
    mkdirSync(join(directory, 'mnt'));
    symlinkSync(join(directory, 'mnt'), join(directory, 'whole'));
    symlinkSync('../x/./mnt', join(directory, 'relative'));
    mkdirSync(join(directory, 'x'));
    symlinkSync('../mnt', join(directory, 'x', 'mnt'));
    const lines = [line('/', 'ext4'), line(join(directory, 'mnt'), 'nfs')];
    expect(pointOf(join(directory, 'whole/a.log'), ...lines)).toBe(join(directory, 'mnt'));
    expect(pointOf(join(directory, 'x/mnt/a.log'), ...lines)).toBe(join(directory, 'mnt'));
    expect(pointOf(join(directory, 'x/../mnt/a.log'), ...lines)).toBe(join(directory, 'mnt'));
    expect(pointOf(join(directory, 'x/a.log'), ...lines)).toBeUndefined();
  });

  it('that leads to itself leads nowhere', () => {
    const directory = aDirectory();
    symlinkSync(join(directory, 'b'), join(directory, 'a'));
    symlinkSync(join(directory, 'a'), join(directory, 'b'));
    expect(pointOf(join(directory, 'a/x.log'), line('/', 'ext4'), line('/srv', 'nfs'))).toBeUndefined();
  });
});

describe('the mounts below a folder', () => {
  it('are those at any depth, and not those beside it', () => {
    const table = tableOf(line('/srv/a', 'nfs'), line('/srv/b/c', 'cifs'), line('/srv/d', 'xfs'), line('/srvx', 'nfs'));
    expect(remoteMountsBelow('/srv', table).map(({ point }) => point)).toEqual(['/srv/a', '/srv/b/c']);
    expect(remoteMountsBelow('/', table).map(({ point }) => point)).toEqual(['/srv/a', '/srv/b/c', '/srvx']);
  });
});
