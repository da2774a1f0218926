import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Rig, reeve, until } from '../support/rig.ts';

const TEXT = `id: wait_for_quiet
description: It passes.
classification: item_churn
then:
  - wait: { escalate_after: 60s }
`;

const isRoot = process.getuid?.() === 0;
const RIGHTS = '-dac_override,-dac_read_search';
const BOUNDED = ['/usr/bin/setpriv', `--bounding-set=${RIGHTS}`, `--inh-caps=${RIGHTS}`] as const;
/** A file may be made and nothing written into it, as where a disk is full. */
const WRITES_NOTHING = ['/bin/sh', '-c', 'ulimit -f 0; exec "$@"', 'sh'];

describe('reeve rules', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.open();
    mkdirSync(join(rig.state, 'proposals/rules'), { recursive: true });
    for (const id of ['wait_for_quiet', 'wait_longer', 'wait_longest'])
      writeFileSync(proposalOf(id), TEXT.replace('wait_for_quiet', id));
    mkdirSync(join(rig.dir, 'rules'), { recursive: true });
    await rig.run();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const row = async (id = 'wait_for_quiet') => JSON.parse((await rig.reeve('rules', 'show', id, '--json')).stdout);
  const proposalOf = (id: string): string => join(rig.state, `proposals/rules/0001.${id}.rule.yaml`);

  it('lists rules in force and on trial with their state, and shows the file of a proposal', async () => {
    const { code, stdout } = await rig.reeve('rules', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/wait_for_quiet\s+item_churn\s+shadow/);
    expect((await rig.reeve('rules', 'show', 'wait_for_quiet')).stdout).toContain('- wait: { escalate_after: 60s }');
    expect((await rig.reeve('rules', 'diff', 'wait_for_quiet')).stdout).toContain('+ id: wait_for_quiet');
    expect(await rig.reeve('rules', 'show', 'none')).toMatchObject({ code: 64 });
  });

  it('promotes one by copying its file among the rules, which the daemon reads by itself', async () => {
    const promoted = await rig.reeve('rules', 'promote', 'wait_for_quiet', '--because', 'seen often');
    expect(promoted).toMatchObject({ code: 0 });
    expect(readFileSync(join(rig.dir, 'rules/wait_for_quiet.rule.yaml'), 'utf8')).toBe(TEXT);
    await until('the rule is in force', async () => (await row()).proposal === undefined);
    expect(await row()).toMatchObject({ state: 'staging', state_set: { because: 'seen often' } });
  });

  it('says which file of a proposal is not sound, and where', async () => {
    const file = join(rig.state, 'proposals/rules/0009.bad.rule.yaml');
    writeFileSync(file, TEXT.replace('wait_for_quiet', 'bad').replace('60s', 'soon'));
    const { code, stderr, stdout } = await rig.reeve('rules', 'list');
    rmSync(file);
    expect(code).toBe(0);
    expect(stderr).toContain(`a proposal is not on trial: ${file}:5:29: `);
    expect(stdout).not.toMatch(/^bad /m);
  });

  it('takes one out of use with a reason, and refuses a move that skips a state', async () => {
    expect(await rig.reeve('rules', 'demote', 'wait_for_quiet')).toMatchObject({ code: 64 });
    expect(await rig.reeve('rules', 'demote', 'wait_for_quiet', '--because', 'no use')).toMatchObject({ code: 0 });
    expect(await row()).toMatchObject({ state: 'demoted' });
    const again = await rig.reeve('rules', 'demote', 'wait_for_quiet', '--because', 'no use');
    expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('is in demoted') });
  });

  /** As a user to whom the modes of files apply: they do not to root, unless that right is taken away. */
  const bounded = (...args: readonly string[]) =>
    reeve([...args, '--config', rig.configPath, '--state', rig.state], process.env, isRoot ? BOUNDED : []);

  it.skipIf(isRoot && !existsSync(BOUNDED[0]))(
    'says what to do where the folder cannot be written, and promotes nothing (as root it needs setpriv)',
    async () => {
      chmodSync(join(rig.dir, 'rules'), 0o555);
      const refused = await bounded('rules', 'promote', 'wait_longer', '--because', 'b');
      chmodSync(join(rig.dir, 'rules'), 0o755);
      expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('a user who may write there') });
      expect(refused.stderr).toContain(`add ${proposalOf('wait_longer')} to what the folder is made from`);
      expect(existsSync(join(rig.dir, 'rules/wait_longer.rule.yaml'))).toBe(false);
      expect(await row('wait_longer')).toMatchObject({ state: 'shadow' });
      expect(await bounded('rules', 'promote', 'wait_longer', '--because', 'b')).toMatchObject({ code: 0 });
    },
  );

  it('sets the state back where the file could not be written after all', async () => {
    const line = [
      'rules',
      'promote',
      'wait_longest',
      '--because',
      'b',
      '--config',
      rig.configPath,
      '--state',
      rig.state,
    ];
    const refused = await reeve(line, process.env, WRITES_NOTHING);
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('a user who may write there') });
    expect(existsSync(join(rig.dir, 'rules/wait_longest.rule.yaml'))).toBe(false);
    const { state, state_set: set } = await row('wait_longest');
    expect({ state, because: set.because }).toEqual({
      state: 'shadow',
      because: expect.stringContaining('its file could not be copied'),
    });
  });
});
