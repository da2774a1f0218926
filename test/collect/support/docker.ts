import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

const has = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** A Docker daemon of one's own needs root. */
export const canDocker = process.getuid?.() === 0 && has('dockerd') && has('docker');

/**
 * A real dockerd without network, bridge or rules for the firewall, with all its state in a folder of its own; ends
 * with the test, which is skipped where dockerd cannot run, as in a container without rights.
 */
export async function aDockerd(skip: (why: string) => never) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-docker-'));
  const socket = join(folder, 'socket');
  const state = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '-p', join(folder, 'pid')];
  const alone = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--storage-driver=vfs'];
  const daemon = spawn('dockerd', [...state, ...alone, '-H', `unix://${socket}`], { stdio: 'ignore' });
  const docker = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('docker', ['-H', `unix://${socket}`, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`docker ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  onTestFinished(async () => {
    const isOver = new Promise((resolve) => daemon.once('exit', resolve));
    if (daemon.exitCode === null && daemon.kill('SIGTERM')) await isOver;
    rmSync(folder, { recursive: true, force: true });
  });
  const isUp = (): unknown => daemon.exitCode !== null || docker('version');
  await vi.waitFor(isUp, { timeout: 60_000, interval: 250 });
  if (daemon.exitCode !== null) skip(`dockerd cannot run here: it ended with ${daemon.exitCode}`);
  docker('import', imageOf(folder, '/bin/cat'), 'cat');
  return {
    /** A container that writes what it is given, logged as Docker does by default (`json-file`). */
    cat(...options: readonly string[]) {
      const id = docker('create', '-i', '--network=none', '--log-driver=json-file', ...options, 'cat', '/bin/cat');
      const child = spawn('docker', ['-H', `unix://${socket}`, 'start', '-ai', id], {
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      const log = join(folder, 'data', 'containers', id, `${id}-json.log`);
      return {
        log,
        write: (text: string) => child.stdin.write(text),
        end: () => child.stdin.end(),
        files: () => [log, `${log}.1`, `${log}.2`].filter(existsSync).map((path) => readFileSync(path, 'utf8')),
      };
    },
  };
}

/** An image with one program and what it is linked with, as a tar file. */
function imageOf(folder: string, program: string): string {
  const root = join(folder, 'image');
  const linked = spawnSync('ldd', [program], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
  mkdirSync(root);
  spawnSync('cp', ['--dereference', '--parents', program, ...linked, root]);
  const image = join(folder, 'image.tar');
  spawnSync('tar', ['-C', root, '-cf', image, '.']);
  return image;
}
