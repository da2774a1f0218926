import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** As systemd does it: what comes is taken, and the descriptor that a sender waits for is closed. */
const RECEIVER = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True:
    data, descriptors, _, _ = socket.recv_fds(s, 4096, 4)
    for each in descriptors: os.close(each)
    print(data.decode().strip(), flush=True)
`;

/** A socket like that of systemd, and the messages of services that came there. */
export async function notifySocket(): Promise<{ readonly socket: string; readonly messages: () => readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-notify-'));
  const socket = join(folder, 'notify');
  const child = spawn('/usr/bin/python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
  await once(child.stdout, 'data');
  const messages = () => text.split('\n').filter((line) => /^(?:READY|WATCHDOG)=/.test(line));
  return { socket, messages };
}
