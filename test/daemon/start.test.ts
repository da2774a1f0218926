import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/daemon.ts';
import { Rig, type RigOptions } from '../support/rig.ts';

async function aRig(options: RigOptions = {}): Promise<Rig> {
  const rig = await Rig.open(options);
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a start', () => {
  it('is refused with 78 and every problem of every file, with line and column', async () => {
    const config = 'persona: calm\nescalations: {}\nlimits: { window_starts_max: 0 }';
    const rig = await aRig({ config, emptyJournal: true });
    for (const folder of ['personas', 'rules']) mkdirSync(rig.at(folder));
    writeFileSync(rig.at('personas/mine.yaml'), 'id: mine\nrisk_tolerence: low\n');
    writeFileSync(rig.at('rules/mine.rule.yaml'), 'id: mine\nclassification: process_crashd\nthen: []\n');
    writeFileSync(
      rig.at('patterns/mine.yaml'),
      `software: mine
patterns: [{ id: mine, symptom: process_crash, confidence: 0.9, regex: 'a(?=b)', match: [ab] }]
`,
    );
    const daemon = rig.start();
    expect(await daemon.ended).toBe(78);
    const places = rig.log().match(/\S+\.yaml:\d+:\d+: /g) ?? [];
    const inFile = (name: string) => places.filter((place) => place.includes(name)).length;
    expect(rig.log()).toMatch(/reeve\.yaml:\d+:\d+: .*escalations/);
    expect(rig.log()).toMatch(/reeve\.yaml:\d+:\d+: .*(window_starts_max|expected 1)/);
    expect(rig.log()).toMatch(/mine\.yaml:2:\d+: .*risk_tolerence/);
    expect(rig.log()).toMatch(/mine\.rule\.yaml:2:\d+: /);
    expect(inFile('patterns/mine.yaml')).toBeGreaterThan(0);
    expect(statSync(rig.state, { throwIfNoEntry: false })).toBeUndefined();
  });

  it.each(['0', '-1', '.nan', '.inf', '1e99', '"10 parsecs"'])('is refused when a limit is %s', async (value) => {
    const rig = await aRig({ config: `limits: { window: ${value} }` });
    expect(await rig.start().ended).toBe(78);
    expect(rig.log()).toMatch(/reeve\.yaml:\d+:\d+: .*window/);
  });

  it('takes each flag that docs/environment.md names, before the variable and the file', async () => {
    const page = readFileSync(new URL('../../docs/environment.md', import.meta.url), 'utf8');
    const flags = [...page.matchAll(/^\| `REEVE_\w+` \|[^|]*\| `(--[a-z-]+)`/gm)].map(([, flag]) => flag!);
    expect(flags).toHaveLength(13);
    const rig = await aRig({ config: 'metrics_prefix: file_' });
    const help = [(await rig.reeve('run', '--help')).stdout, (await rig.reeve('--help')).stdout].join('\n');
    expect(flags.filter((flag) => !help.includes(`${flag} <`))).toEqual([]);
    const { code, stderr } = await rig.reeve('run', '--phase', '9');
    expect([code, stderr.includes('--phase')]).toEqual([78, true]);
  });

  it('of a second daemon on the same state is refused, and the first is named', async () => {
    const rig = await aRig();
    const first = await rig.run();
    const { code, stdout, stderr } = await rig.reeve('run');
    expect({ code, stdout }).toEqual({ code: 74, stdout: '' });
    expect(stderr).toMatch(new RegExp(`in use by process ${first.child.pid}`));
    expect((await rig.reeve('status', '--json')).code).toBe(0);
  });

  it('says what it would do if a channel died, without an entry in the journal or a call to the engine', async () => {
    const rig = await aRig();
    await rig.run();
    await until('the rehearsal is logged', () => rig.log().includes('rehearsed in memory'));
    expect(rig.log()).toMatch(/"channel":"news","classification":"process_crashed",.*rehearsed in memory/);
    const { stdout } = await rig.reeve('incidents', '--json');
    expect(stdout).not.toContain('process_crashed');
    expect(rig.channels.map((channel) => rig.invocations(channel))).toEqual(rig.channels.map(() => 0));
  });

  it('makes a state directory, a token and an address that only their owner can read', async () => {
    const rig = await aRig({ emptyJournal: true });
    await rig.run();
    const modes = ['', '/token', '/address', '/journal.db', '/collect.db'].map((name) => modeOf(rig.state + name));
    expect(modes).toEqual(['700', '600', '600', '600', '600']);
  });

  it('leaves the mode of a directory that was there as it is', async () => {
    const rig = await aRig();
    mkdirSync(rig.state, { mode: 0o755 });
    await rig.run();
    expect(modeOf(rig.state)).toBe('755');
  });

  it('is refused in a directory that others may write, such as /tmp, and touches nothing there', async () => {
    const rig = await aRig();
    mkdirSync(rig.state);
    chmodSync(rig.state, 0o1777);
    expect(await rig.start().ended).toBe(74);
    expect(rig.log()).toContain('others may write to it');
    expect(modeOf(rig.state)).toBe('777');
  });

  it('is refused when others can read the token', async () => {
    const rig = await aRig();
    mkdirSync(rig.state, { mode: 0o700 });
    writeFileSync(`${rig.state}/token`, `${'x'.repeat(43)}\n`, { mode: 0o644 });
    expect(await rig.start().ended).toBe(78);
    expect(rig.log()).toContain('can be read by others');
  });

  it('that cannot have its port says which, and ends', async () => {
    const rig = await aRig();
    rig.writeConfig(rig.configText().replace('127.0.0.1:0', new URL(rig.url).host));
    expect(await rig.start().ended).toBe(69);
    expect(rig.log()).toContain(new URL(rig.url).host);
  });
});
