/** A `systemctl` and a `journalctl` that answer as documented, from files that a test writes. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export type Properties = Readonly<Record<string, string>>;

/** A service that runs well, as `systemctl show` prints it. */
export const RUNNING: Properties = {
  LoadState: 'loaded',
  ActiveState: 'active',
  SubState: 'running',
  Result: 'success',
  MainPID: '4242',
  InvocationID: '0123456789abcdef0123456789abcdef',
  NRestarts: '0',
  Restart: 'always',
  RestartPreventExitStatus: '',
  ExecMainCode: '0',
  ExecMainStatus: '0',
  ExecMainStartTimestampMonotonic: '5000000',
};

const PROGRAM = `#!/bin/bash
dir=$(dirname "$0")
echo "$*" >> "$dir/calls"
[ -e "$dir/slow" ] && exec sleep 60
if [ -e "$dir/fails" ]; then cat "$dir/fails" >&2; exit 1; fi
verb=
units=()
after=
for word in "$@"; do
  if [ -n "$after" ]; then units+=("$word"); continue; fi
  case "$word" in --) after=yes ;; -*) ;; *) verb=$word ;; esac
done
case "$verb" in
  show) for unit in "\${units[@]}"; do [ -e "$dir/unit-$unit" ] && cat "$dir/unit-$unit" && echo; done ;;
  restart) unit=\${units[0]}; [ -e "$dir/restart" ] && . "$dir/restart"; exit 0 ;;
  reset-failed) sed -i 's/^ActiveState=failed/ActiveState=inactive/' "$dir/unit-\${units[0]}" ;;
esac
exit 0
`;

/** The directory of the stand-in and what a test does with it. */
export function systemdStandIn() {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-systemd-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(directory, { recursive: true });
  const write = (name: string, text: string, mode = 0o644) => writeFileSync(join(directory, name), text, { mode });
  write('systemctl', PROGRAM, 0o755);
  write('journalctl', `#!/bin/bash\necho "$*" >> "$(dirname "$0")/calls"\ncat "$(dirname "$0")/journal"\n`, 0o755);
  return {
    systemctl: join(directory, 'systemctl'),
    journalctl: join(directory, 'journalctl'),
    unit: (name: string, properties: Properties = {}) => {
      const all = { Id: name, Names: name, ...RUNNING, ...properties };
      const lines = Object.entries(all).map(([key, value]) => `${key}=${value}`);
      write(`unit-${name}`, `${lines.join('\n')}\n`);
    },
    journal: (entries: readonly object[]) => write('journal', entries.map((one) => JSON.stringify(one)).join('\n')),
    /** Shell text that is run for a restart, with $unit and $dir. */
    onRestart: (text: string) => write('restart', text),
    fail: (stderr: string) => write('fails', stderr),
    hang: () => write('slow', ''),
    recover: () => {
      for (const name of ['fails', 'slow', 'restart']) rmSync(join(directory, name), { force: true });
    },
    calls: (): readonly string[] => {
      const path = join(directory, 'calls');
      return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    },
  };
}
