import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addRules } from '../../../src/cli/commands/rules.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import { type RunOptions, ran } from '../running.ts';

const NONE = { successes: 0, failures: 0 };
const rule = (with_: object = {}) => ({
  ...{ id: 'renew', description: 'renews', classification: 'stale_url', origin: 'proposed', state: 'shadow' },
  ...{ record: { treated: { successes: 2, failures: 1 }, control: NONE, shadowed: 4 }, offer: null },
  proposal: { text: 'a\nb\nc\n', file: '/state/renew.rule.yaml', sha256: 'x' },
  ...with_,
});
const run = (argv: readonly string[], given: object, folder = '/nowhere/rules', more: RunOptions = {}) =>
  ran(
    (program, cli) => addRules(program, cli, { folder: () => folder, rules: () => [], rulesIn: () => [] }),
    ['rules', ...argv],
    { ...more, answers: { '/api/v1/rules': { rules: [given] }, '/api/v1/stats': {}, ...more.answers } },
  );
const BECAUSE = ['--because', 'seen three times'];

describe('the list of rules', () => {
  it('shows what each cured, a dash where nothing was counted, and what it is ready for', async () => {
    const { out } = await run(['list'], rule({ offer: { to: 'staging', because: 'it fits', n: 3 } }));
    expect(out).toMatch(/renew +stale_url +shadow +2 of 3 +– +ready for staging: it fits/);
  });

  it('names a proposal that is not sound on stderr', async () => {
    const problems = [{ file: 'p.yaml', line: 1, column: 2, path: '', message: 'no rule' }];
    const { err } = await run(['list'], rule(), undefined, {
      answers: { '/api/v1/rules': { rules: [], problems } },
    });
    expect(err).toContain('a proposal is not on trial: p.yaml:1:2');
  });
});

describe('the difference of a proposed rule', () => {
  it('is all of it where no file of its name is there, and only what changed where one is', async () => {
    const folder = temporaryDirectory();
    expect((await run(['diff', 'renew'], rule(), folder)).out).toBe('+ a\n+ b\n+ c\n');
    writeFileSync(join(folder, 'renew.rule.yaml'), 'a\nx\nc\nd\n');
    const { out } = await run(['diff', 'renew'], rule(), folder);
    expect(out.split('\n').sort()).toEqual(['', '+ b', '- d', '- x', '  a', '  c'].sort());
  });

  it('is refused for a rule in force, and for one that there is not', async () => {
    await expect(run(['diff', 'renew'], rule({ proposal: undefined }))).rejects.toThrow('there is no proposal of it');
    await expect(run(['diff', 'other'], rule())).rejects.toThrow('there is no rule other');
  });
});

describe('a promotion', () => {
  it('from shadow copies the file once the daemon has taken the state', async () => {
    const folder = join(temporaryDirectory(), 'rules');
    const { posted } = await run(['promote', 'renew', ...BECAUSE], rule(), folder);
    expect(posted).toEqual([
      { path: '/api/v1/rules/state', body: { rule: 'renew', to: 'staging', because: 'seen three times' } },
    ]);
    expect(readFileSync(join(folder, 'renew.rule.yaml'), 'utf8')).toBe('a\nb\nc\n');
  });

  it('that the daemon refuses copies nothing and ends with 1', async () => {
    const folder = join(temporaryDirectory(), 'rules');
    const answers = { '/api/v1/rules/state': { ok: false, because: 'too early' } };
    const { out, code } = await run(['promote', 'renew', ...BECAUSE], rule(), folder, { answers });
    expect([out, code]).toEqual(['no: too early\n', 1]);
    expect(() => readFileSync(join(folder, 'renew.rule.yaml'))).toThrow('ENOENT');
  });

  it('writes over no file, and asks the daemon for nothing then', async () => {
    const folder = temporaryDirectory();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'renew.rule.yaml'), 'mine\n');
    await expect(run(['promote', 'renew', ...BECAUSE], rule(), folder)).rejects.toThrow('is not written over');
    expect(readFileSync(join(folder, 'renew.rule.yaml'), 'utf8')).toBe('mine\n');
  });

  it.each([
    ['proposed', 'shadow'],
    ['staging', 'production'],
  ])('from %s leads to %s and copies nothing', async (state, to) => {
    const { posted } = await run(['promote', 'renew', ...BECAUSE], rule({ state }));
    expect(posted).toMatchObject([{ body: { to } }]);
  });
});

describe('a rule that is taken out of use', () => {
  it.each([
    ['demote', 'demoted'],
    ['retire', 'retired'],
  ])('by %s is %s', async (command, to) => {
    const { posted } = await run([command, 'renew', ...BECAUSE], rule());
    expect(posted).toMatchObject([{ body: { rule: 'renew', to } }]);
  });
});
