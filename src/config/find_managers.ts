/** Finds what runs services here besides supervisord, as far as files and sockets show. */
import { statSync } from 'node:fs';

/** A manager of services on this machine. */
export interface FoundManager {
  readonly kind: 'systemd' | 'docker';
  /** How it was found, for a comment. */
  readonly from: string;
  /** Of the Docker daemon. */
  readonly socket?: string;
}

/** Where to look: the usual places of this machine. */
export interface ManagerPlaces {
  /** There exactly while systemd runs as the first process (sd_booted(3)). */
  readonly systemd: string;
  readonly dockerSockets: readonly string[];
}

const USUAL: ManagerPlaces = {
  systemd: '/run/systemd/system',
  dockerSockets: ['/var/run/docker.sock', '/run/docker.sock'],
};

/** Looks at the file system alone; asks nothing and changes nothing. */
export function findManagers({ systemd, dockerSockets }: ManagerPlaces = USUAL): readonly FoundManager[] {
  const socket = dockerSockets.find((path) => look(path)?.isSocket() === true);
  return [
    ...(socket === undefined ? [] : [{ kind: 'docker', from: `its socket ${socket}`, socket } as const]),
    ...(look(systemd)?.isDirectory() === true ? [{ kind: 'systemd', from: `the directory ${systemd}` } as const] : []),
  ];
}

function look(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
