import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addPatterns } from '../../../src/cli/commands/patterns.ts';
import type { WirePattern } from '../../../src/cli/pattern_standing.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import { withShortFiles } from '../../support/limited_process.ts';
import { type RunOptions, ran } from '../running.ts';

const LIST = '/api/v1/patterns';
const STATE = '/api/v1/patterns/state';
const TEACH = '/api/v1/teach';
const TEXT = 'id: desync\nregex: "desync"\n';

const pattern = (with_: Partial<WirePattern> = {}): WirePattern => ({
  ...{ id: 'desync', state: 'shadow', who: 'ann', shadowed: 4, next: 'staging', moves: ['staging', 'retired'] },
  ...{ record: null, offer: null, file: '/var/lib/reeve/patterns/desync.yaml', text: TEXT },
  ...with_,
});

/** The command line with these proposed patterns, and a folder of the configuration. */
function aCommandLine(patterns: readonly WirePattern[] = [pattern()]) {
  const folder = join(temporaryDirectory(), 'patterns');
  const run = (line: readonly string[], { answers = {}, ...options }: RunOptions = {}) =>
    ran((program, cli) => addPatterns(program, cli, { folder: () => folder }), line, {
      ...options,
      answers: { [LIST]: { patterns }, ...answers },
    });
  return { run, folder, file: join(folder, 'desync.yaml') };
}

const because = ['--because', 'seen twice'];
const promote = ['patterns', 'promote', 'desync', ...because];

describe('a promotion of a proposed pattern', () => {
  it('copies its file into the configuration for all to read, and then says so to the daemon', async () => {
    const { run, file } = aCommandLine();
    const { posted, err, out, code } = await run(promote);
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(posted).toEqual([{ path: STATE, body: { pattern: 'desync', to: 'staging', because: 'seen twice' } }]);
    expect([out, code, err]).toEqual(['done\n', 0, expect.stringContaining(`copied to ${file}`)]);
  });

  it.each(['staging', 'demoted', 'retired'])('from %s writes no file that is there already', async (state) => {
    const { run, file } = aCommandLine([pattern({ state, next: 'production', moves: ['production'] })]);
    await aCommandLineWrote(run, file);
    const { err, posted } = await run(promote);
    expect([err, posted.length]).toEqual(['', 1]);
  });

  it('leaves no part of a file in the configuration where the disk takes only a part, and records nothing', () => {
    const folder = temporaryDirectory();
    const { stdout } = withShortFiles(
      { ran: 'test/cli/running.ts', addPatterns: 'src/cli/commands/patterns.ts' },
      `const posted = [];
       const patterns = [${JSON.stringify(pattern({ text: `# ${'x'.repeat(8_000)}\n` }))}];
       const answers = { '${LIST}': { patterns }, '${STATE}': (body) => posted.push(body) };
       const add = (program, cli) => addPatterns(program, cli, { folder: () => ${JSON.stringify(folder)} });
       try { await ran(add, ${JSON.stringify(promote)}, { answers }); }
       catch ({ code }) { console.log(code, posted.length); }`,
    );
    expect([stdout, readdirSync(folder)]).toEqual(['USAGE 0\n', []]);
  });

  it('records nothing where another file of that name is there, whatever state it is in', async () => {
    for (const state of ['staging', 'shadow']) {
      const { run, file } = aCommandLine([pattern({ state, moves: ['staging'] })]);
      await aCommandLineWrote(run, file, state === 'shadow' ? TEXT : 'id: another\n');
      const before = readFileSync(file, 'utf8');
      const posted: unknown[] = [];
      const refused = run(promote, { answers: { [STATE]: (body: unknown) => void posted.push(body) } });
      await expect(refused).rejects.toMatchObject({ message: expect.stringContaining(`${file} cannot be written`) });
      expect([posted, readFileSync(file, 'utf8')]).toEqual([[], before]);
    }
  });

  it.each([
    ['nowhere where it is at its end', { next: null, moves: [] }, [], 'no promotion leads further'],
    ['not to a state that it may not go to', {}, ['--to', 'production'], 'not to production'],
    ['not to a state that is no promotion', {}, ['--to', 'retired'], 'not to retired'],
  ] as const)('leads %s, and writes no file', async (_, with_, flags, why) => {
    const { run, folder } = aCommandLine([pattern(with_)]);
    await expect(run([...promote, ...flags])).rejects.toThrow(`desync is in shadow: ${why}`);
    expect(existsSync(folder)).toBe(false);
  });

  it('goes to the state that is named rather than to the next', async () => {
    const { run } = aCommandLine([pattern({ next: 'staging', moves: ['staging', 'production'] })]);
    const { posted } = await run([...promote, '--to', 'production']);
    expect(posted).toMatchObject([{ body: { to: 'production' } }]);
  });

  it('of a pattern that was not proposed is an error that says where the others are', async () => {
    const { run } = aCommandLine();
    await expect(run(['patterns', 'promote', 'ghost', ...because])).rejects.toMatchObject({
      ...{ message: 'there is no proposed pattern ghost', hint: 'reeve patterns list names them' },
    });
  });
});

/** Leaves a file where the promotion would. */
async function aCommandLineWrote(run: ReturnType<typeof aCommandLine>['run'], file: string, text = TEXT) {
  await run(promote, { answers: { [LIST]: { patterns: [pattern()] } } });
  writeFileSync(file, text);
}

describe('a pattern that is demoted or retired', () => {
  it.each([
    ['demote', 'demoted'],
    ['retire', 'retired'],
  ])('by %s is sent to the daemon with the reason', async (command, to) => {
    const { posted, code } = await aCommandLine().run(['patterns', command, 'desync', ...because]);
    expect([posted, code]).toEqual([[{ path: STATE, body: { pattern: 'desync', to, because: 'seen twice' } }], 0]);
  });

  it('ends with 1 where the daemon refuses, in JSON too', async () => {
    const answers = { [STATE]: { ok: false, because: 'it is retired' } };
    const retire = ['patterns', 'retire', 'desync', ...because];
    expect(await aCommandLine().run(retire, { answers })).toMatchObject({ out: 'no: it is retired\n', code: 1 });
    const { out, code } = await aCommandLine().run(retire, { answers, json: true });
    expect([JSON.parse(out), code]).toEqual([{ ok: false, because: 'it is retired' }, 1]);
  });
});

describe('the proposed patterns', () => {
  const record = {
    ...{ named_by: 'bob', treated: { successes: 3, failures: 2 }, control: { successes: 0, failures: 0 } },
    ...{ incidents: 5, aimless: 0, uplift: { mean: 0.5, low: 0, high: 1 } },
  };

  it('are listed with who named them, what they cured and what is offered', async () => {
    const offered = pattern({ id: 'freeze', record, offer: { to: 'staging', because: 'it fitted five' } });
    const { out } = await aCommandLine([pattern(), offered, pattern({ id: 'mute', who: null })]).run([
      'patterns',
      'list',
    ]);
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.slice(1, 4)).toEqual([
      ['desync', 'shadow', '4', 'ann', '–', '–', '-'],
      ['freeze', 'shadow', '4', 'bob', '3 of 5', '–', 'ready for staging: it fitted five'],
      ['mute', 'shadow', '4', '-', '–', '–', '-'],
    ]);
  });

  it('are one document a line with --json', async () => {
    const { out } = await aCommandLine([pattern(), pattern({ id: 'mute' })]).run(['patterns', 'list'], { json: true });
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['desync', 'mute']);
  });

  it('are shown one by one, without what a terminal would obey', async () => {
    const { run } = aCommandLine([pattern({ text: 'id: desync\nregex: "\u001b[31m"\n' })]);
    const { out } = await run(['patterns', 'show', 'desync']);
    expect(out).toBe('desync (shadow)\n\nid: desync\nregex: "?[31m"\n');
    expect(JSON.parse((await run(['patterns', 'show', 'desync'], { json: true })).out)).toMatchObject({ id: 'desync' });
  });

  it('are compared with the file of their name: none, the same, another', async () => {
    const { run, file } = aCommandLine();
    const diff = async () => (await run(['patterns', 'diff', 'desync'])).out;
    const lines = '+ id: desync\n+ regex: "desync"\n';
    expect(await diff()).toBe(`${file} does not exist yet\n${lines}`);
    expect(JSON.parse((await run(['patterns', 'diff', 'desync'], { json: true })).out)).toEqual({
      ...{ id: 'desync', target: file, present: null, proposed: TEXT },
    });
    await run(promote);
    expect(await diff()).toBe(`the same\n${lines}`);
    writeFileSync(file, 'id: another\n');
    expect(await diff()).toBe(`another text\n${lines}`);
  });
});

describe('reeve teach', () => {
  const line = (text: string) => ({ text, count: 2, channel: null });
  const draftOf = (examples: readonly string[], lines = examples.length) => ({
    ...{ ok: true, said: 'written' },
    more: {
      ...{ id: 'taught', regex: 'x', lines: [line('odd\u001b line')], text: 'id: taught\n' },
      would_match: { lines, examples: examples.map((text) => ({ text })) },
    },
  });
  const teach = ['teach', 'inc-1', '--symptom', 'stalled_output'];
  const run = (flags: readonly string[] = [], options: RunOptions = {}) =>
    aCommandLine().run([...teach, ...flags], { answers: { [TEACH]: draftOf(['an odd line']) }, ...options });
  const writes = (posted: readonly { body: unknown }[]) => posted.map(({ body }) => (body as { write: boolean }).write);

  it('shows the draft, and writes it with --yes and says what comes next', async () => {
    const { out, posted } = await run(['--line', '2', '--line', '3', '--yes']);
    const order = { incident: 'inc-1', symptom: 'stalled_output', lines: [2, 3] };
    expect(posted.map(({ body }) => body)).toEqual([
      { ...order, write: false },
      { ...order, write: true },
    ]);
    expect(out).toMatch(/^1 +2 +- +odd\? line$/m);
    expect(out).toContain('it would have matched 1 recorded lines:\n  an odd line\n');
    expect(out).toMatch(/written\nnext: reeve patterns promote taught --because "…"\n$/);
  });

  it('says that there are more lines than it shows only where there are', async () => {
    const shown = async (lines: number) => {
      const draft = draftOf(['a', 'b'], lines);
      return (await run(['--yes'], { answers: { [TEACH]: draft } })).out.includes('recorded lines, among them:');
    };
    expect([await shown(2), await shown(3)]).toEqual([false, true]);
  });

  it('writes nothing where no person can be asked', async () => {
    const { out, err, posted, code } = await run();
    expect(posted).toMatchObject([{ body: { lines: [1], write: false } }]);
    expect([out.endsWith('nothing was written\n'), err, code]).toEqual([true, 'not a terminal: --yes writes it\n', 0]);
  });

  it.each([
    ['y\n', [false, true]],
    ['YES\n', [false, true]],
    ['yesterday\n', [false]],
    ['\n', [false]],
  ])('takes %j at a terminal for what it is', async (typed, expected) => {
    const { posted } = await run([], { stdin: [typed], atTerminal: true });
    expect(writes(posted)).toEqual(expected);
  });

  it('gives the draft alone in JSON, and what was written with --yes', async () => {
    const draft = await run([], { json: true, stdin: ['y\n'], atTerminal: true });
    expect([JSON.parse(draft.out), writes(draft.posted)]).toMatchObject([{ more: { id: 'taught' } }, [false]]);
    const written = await run(['--yes'], { json: true });
    expect([JSON.parse(written.out), writes(written.posted)]).toMatchObject([{ said: 'written' }, [false, true]]);
  });

  it('ends with 1 where the daemon drafts nothing, and says why and what to do', async () => {
    const answers = { [TEACH]: { ok: false, because: 'it has no such line', hint: 'reeve trace inc-1' } };
    expect(await run(['--yes'], { answers })).toMatchObject({
      ...{ out: 'no: it has no such line\nreeve trace inc-1\n', code: 1, posted: [{ body: { write: false } }] },
    });
    const { out, code } = await run(['--yes'], { answers, json: true });
    expect([JSON.parse(out), code]).toMatchObject([{ ok: false }, 1]);
  });

  it('ends with 1 where the draft cannot be written', async () => {
    const refusal = { ok: false, because: 'the disk is full' };
    const answer = (body: { write: boolean }) => (body.write ? refusal : draftOf(['a']));
    const { out, code } = await run(['--yes'], { answers: { [TEACH]: answer } });
    expect([out.endsWith('the disk is full\n'), code]).toEqual([true, 1]);
  });

  it.each([
    [['--symptom', 'unknown'], '--symptom is one of'],
    [['--symptom', 'weather'], 'got weather'],
    [['--line', '0'], '--line takes a number from 1, got 0'],
    [['--line', '1', '--line', '1.5'], 'got 1.5'],
    [['--line', 'two'], 'got two'],
  ])('refuses %j', async (flags, why) => {
    await expect(run([...flags, '--yes'])).rejects.toThrow(why);
  });
});
