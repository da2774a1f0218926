import { execFileSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dockerDaemon, RUNNING } from '../engine/docker/daemon.ts';
import { systemdStandIn } from '../engine/systemd/stand_in.ts';
import { Rig, until } from '../support/rig.ts';

const WITHIN_MS = 60_000;
const COMMON = 'poll: 250ms, timeout: 5s, local: false, autorestart_grace: 100ms';

/**
 * Resolves when the daemon has seen the channel play, die, and play again. `looks`: how often the engine was asked. Its
 * output may be seen before its process, and one that is found dead is not restarted.
 */
async function healed(rig: Rig, looks: () => number, die: () => void) {
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const daemon = await rig.run();
  const isHealthy = async () => {
    const { channels } = await daemon.get<{ channels: readonly { healthy: boolean | null }[] }>('/api/v1/status');
    return channels[0]?.healthy === true;
  };
  await until('its process is seen', () => looks() > 1, WITHIN_MS);
  await until('it plays', isHealthy, WITHIN_MS);
  die();
  await until('it is restarted', () => rig.invocations('news') > 0, WITHIN_MS);
  await until('it plays again', isHealthy, WITHIN_MS);
}

const playAgain = (rig: Rig) => execFileSync('/bin/sh', [rig.at('restart.sh'), rig.dir, 'news']);

describe('a channel that dies is restarted once by the daemon', { timeout: 180_000 }, () => {
  it('through Docker', async () => {
    const docker = await dockerDaemon();
    const box = docker.container('news', { policy: { Name: 'no' } });
    const engine = () => `  - { id: local, kind: docker, socket: "${docker.socket}", ${COMMON} }`;
    const rig = await Rig.open({ engine });
    docker.onRestart = (one) => {
      playAgain(rig);
      one.state = { ...RUNNING, Pid: 4300, StartedAt: '2026-11-23T13:00:00Z' };
    };
    const looks = () =>
      docker.requests.filter((request) => request.startsWith('GET') && request.includes('/containers/')).length;
    await healed(rig, looks, () => {
      box.state = { ...RUNNING, Status: 'exited', Running: false, Pid: 0, ExitCode: 1 };
      rig.die('news');
    });
    expect(docker.requests.filter((request) => request.startsWith('POST'))).toEqual([
      `POST /v1.44/containers/${box.id}/restart?t=10`,
    ]);
    expect(rig.invocations('news')).toBe(1);
  });

  it('through systemd', async () => {
    const host = systemdStandIn();
    host.unit('news.service', { Restart: 'no' });
    const engine = () =>
      `  - { id: local, kind: systemd, systemctl: "${host.systemctl}", journalctl: "${host.journalctl}", ${COMMON} }`;
    const rig = await Rig.open({ engine });
    host.journal([{ MESSAGE: '[error] the encoder of news has ended' }]);
    const properties = 's/^InvocationID=.*/InvocationID=eeee/; s/^MainPID=.*/MainPID=4300/';
    const states =
      's/^ActiveState=.*/ActiveState=active/; s/^SubState=.*/SubState=running/; s/^Result=.*/Result=success/';
    host.onRestart(
      `/bin/sh ${rig.at('restart.sh')} ${rig.dir} news; sed -i "${properties}; ${states}" "$dir/unit-$unit"`,
    );
    const looks = () => host.calls().filter((call) => call.includes(' show ')).length;
    await healed(rig, looks, () => {
      const failed = { ActiveState: 'failed', SubState: 'failed', Result: 'exit-code', MainPID: '0' };
      host.unit('news.service', { ...failed, Restart: 'no', ExecMainCode: '1', ExecMainStatus: '1' });
      rig.die('news');
    });
    expect(host.calls().filter((call) => call.includes(' restart '))).toEqual([
      '--no-pager --no-ask-password --job-mode=fail restart -- news.service',
    ]);
    expect(rig.invocations('news')).toBe(1);
  });
});
