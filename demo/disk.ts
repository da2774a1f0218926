/** Makes the folders of a stage, on a small memory disk where one can be mounted, and removes them. */
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathsIn, type StagePaths } from './channels.ts';
import { findProgram, runProgram } from './process.ts';

export interface Disk extends AsyncDisposable {
  readonly paths: StagePaths;
  /** Why the folder of the segments is not a small disk of its own; undefined when it is. */
  readonly notSmall: string | undefined;
}

/** Small on purpose: it can be filled in a moment, and nothing else is harmed. */
const DISK_MIB = 32;

/**
 * The stage's folders: `parent/reeve-stage-PID-…`, the segments on a small memory disk where that may be mounted.
 * Disposing unmounts and removes everything; what a killed process could not remove, the next one does.
 */
export async function openDisk(parent: string = tmpdir()): Promise<Disk> {
  await clearAfterTheDead(parent);
  const dir = await mkdtemp(join(parent, `reeve-stage-${process.pid}-`));
  const paths = pathsIn(dir);
  // The web server's workers may be another user.
  await chmod(dir, 0o755);
  for (const folder of [paths.hls, paths.logs, paths.scripts, paths.conf]) await mkdir(folder);
  const notSmall = await mountSmall(paths.hls);
  return {
    paths,
    notSmall,
    async [Symbol.asyncDispose]() {
      if (notSmall === undefined) await unmount(paths.hls);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function clearAfterTheDead(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = /^reeve-stage-(\d+)-\w+$/.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const dir = join(parent, name);
    // Without a mount there this fails, and the removal below is all there is to do.
    if (process.getuid?.() === 0) await unmount(pathsIn(dir).hls);
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Somebody else's process is alive too, though it may not be signalled. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function mountSmall(folder: string): Promise<string | undefined> {
  const mount = findProgram('mount');
  if (process.getuid?.() !== 0 || !mount) return 'a small disk can only be mounted by root on Linux';
  const args = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=755`, 'reeve-stage', folder];
  return (await runProgram(mount, args)) === 0 ? undefined : 'mounting a small disk is not permitted here';
}

/** A file that is still open must not keep the mount: then it is detached, and goes when the file is closed. */
async function unmount(folder: string): Promise<void> {
  const umount = findProgram('umount') ?? 'umount';
  if ((await runProgram(umount, [folder])) !== 0) await runProgram(umount, ['-l', folder]);
}
