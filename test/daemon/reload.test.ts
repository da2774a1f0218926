import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Daemon, reeve, Rig, until } from '../support/rig.ts';

const PERSONA = `id: mine
risk_tolerance: medium
aggressiveness: moderate
tool_access_policy: { restart_channel: require_evidence }
escalation_policy: { on_containment: immediate }
containment_bias: true
operational_mode: remediation
restart_cap: 3
planning_depth_max: 2
retry_threshold: 0.6
`;

interface Mine {
  readonly id: string;
  readonly restart_cap: number;
  readonly tool_access_policy: { readonly restart_channel: string };
}

describe('an edit while the daemon runs', () => {
  let rig: Rig;
  let daemon: Daemon;
  beforeAll(async () => {
    rig = await Rig.open({ config: 'persona: mine' });
    mkdirSync(rig.at('personas'));
    writeFileSync(rig.at('personas/mine.yaml'), PERSONA);
    daemon = await rig.run();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const status = () => daemon.get<{ problems: readonly string[] }>('/api/v1/status');
  const mine = async () =>
    (await daemon.get<{ personas: Mine[] }>('/api/v1/personas')).personas.find(({ id }) => id === 'mine');
  const metric = async (name: string) => {
    const text = await (await fetch(`${daemon.url}/metrics`)).text();
    return text.split('\n').find((line) => line.startsWith(`${name} `));
  };

  it('that is wrong never takes effect, and is shown in status, metric, log and journal', async () => {
    appendFileSync(rig.at('personas/mine.yaml'), 'restart_capp: 10\n');
    await until('the problem is shown', async () => (await status()).problems.length > 0);
    expect((await status()).problems[0]).toMatch(/personas\/mine\.yaml:11:\d+: .*restart_capp/);
    expect(await mine()).toMatchObject({ restart_cap: 3 });
    expect(await metric('reeve_config_ok')).toBe('reeve_config_ok 0');
    expect(rig.log()).toMatch(/edit refused, the last good set stays: .*mine\.yaml:11/);
    expect((await rig.journal()).map(({ fact }) => fact.type)).toContain('config.rejected');
    expect((await rig.reeve('status')).stdout).toContain('restart_capp');
  });

  it('is refused by SIGHUP too, with the same problem', async () => {
    const before = rig.log().split('edit refused').length;
    daemon.child.kill('SIGHUP');
    await until('it is refused again', () => rig.log().split('edit refused').length > before);
    expect(await mine()).toMatchObject({ restart_cap: 3 });
  });

  it('that is right takes effect, and the problem is gone', async () => {
    writeFileSync(rig.at('personas/mine.yaml'), PERSONA.replace('restart_cap: 3', 'restart_cap: 1'));
    await until('the cap is in force', async () => (await mine())?.restart_cap === 1);
    expect(await status()).toMatchObject({ problems: [] });
    expect(await metric('reeve_config_ok')).toBe('reeve_config_ok 1');
    expect((await rig.journal()).map(({ fact }) => fact.type)).toContain('config.loaded');
  });

  it('that allows what was refused has the refused channel restarted', async () => {
    const noRestart = PERSONA.replace('require_evidence', 'deny');
    writeFileSync(rig.at('personas/mine.yaml'), noRestart);
    await until('nothing may be restarted', async () => (await mine())?.tool_access_policy.restart_channel === 'deny');
    rig.die('news');
    await until('a person is paged', () => rig.delivered.length > 0);
    expect(rig.invocations('news')).toBe(0);
    writeFileSync(rig.at('personas/mine.yaml'), PERSONA);
    await until('it is restarted', () => rig.invocations('news') === 1);
    await until('it plays', () => rig.isPlaying('news'));
  });

  it('of a file that vanishes keeps the last good set', async () => {
    rig.writeConfig('version: 1\nchannels: [\n');
    await until('the problem is shown', async () => (await status()).problems.length > 0);
    expect((await daemon.get<{ channels: unknown[] }>('/api/v1/channels')).channels).toHaveLength(1);
    rig.writeConfig();
    await until('the problem is gone', async () => (await status()).problems.length === 0);
  });

  it('that is wrong leaves commands their daemon: where its state is still stands there', async () => {
    rig.writeConfig(`${rig.configText()}\nno_such_key: 1\n`);
    await until('the problem is shown', async () => (await status()).problems.length > 0);
    const { code, stdout } = await reeve(['status', '--config', rig.configPath]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('no_such_key') });
    rig.writeConfig();
    await until('the problem is gone', async () => (await status()).problems.length === 0);
  });
});

it('a start with a persona that allows what the one before refused has the refused channel restarted', async () => {
  const rig = await Rig.open({ config: 'persona: mine' });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  mkdirSync(rig.at('personas'));
  writeFileSync(rig.at('personas/mine.yaml'), PERSONA.replace('require_evidence', 'deny'));
  const refusing = await rig.run();
  rig.die('news');
  await until('a person is paged', () => rig.delivered.length > 0);
  refusing.child.kill('SIGTERM');
  await until('it has stopped', () => refusing.child.exitCode !== null);
  writeFileSync(rig.at('personas/mine.yaml'), PERSONA);
  await rig.run();
  await until('it is restarted', () => rig.invocations('news') === 1);
});
