import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, reeve, ROOT } from '../support/daemon.ts';
import { Rig, until } from '../support/rig.ts';

const WITHIN_MS = 120_000;

/** One command line that is given `input`, or that is sent SIGTERM once `isUp`. */
async function typed(args: readonly string[], { input = '', isUp = () => false }): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), ...args], { stdio: 'pipe' });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.end(input);
  const ended = new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)));
  if (input === '') {
    await until('it is up', () => child.exitCode !== null || isUp(), WITHIN_MS);
    child.kill('SIGTERM');
  }
  const code = await ended;
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

/** Each line of it, which must be a document. */
const documentsIn = (stdout: string): readonly Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The watcher changes nothing. */
const WRONG = `persona: watcher
cases:
  - name: restarts
    given: { envelope: { classification: process_crashed } }
    expect: { tools: [restart_channel] }
`;

describe('the JSON of the commands that take long, or read, or never end', { timeout: WITHIN_MS }, () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.open();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('reeve prompt gives the prompt and the numbered choices of each excerpt, and nothing else', async () => {
    const excerpts = [
      { id: 'a', lines: ['the encoder of news has ended'] },
      { id: 'b', lines: ['all is quiet', 'it is warm today'] },
    ];
    const input = excerpts.map((one) => `${JSON.stringify(one)}\n`).join('\n');
    const { code, stdout, stderr } = await typed(['prompt', '--excerpt', '--json'], { input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answers = documentsIn(stdout);
    expect(answers.map(({ id }) => id)).toEqual(['a', 'b']);
    for (const answer of answers) {
      expect(Object.keys(answer).sort()).toEqual(['choices', 'id', 'prompt']);
      const choices = answer.choices as readonly { index: number; tool: string; target: string }[];
      expect(choices.map(({ index }) => index)).toEqual(choices.map((_, index) => index));
      for (const { index, tool, target } of choices) expect(answer.prompt).toContain(`${index}: ${tool} ${target}`);
    }
  });

  it('reeve prompt says of a channel why nothing would be sent, and wants a channel or an excerpt', async () => {
    await using rig = await Rig.open();
    await rig.run();
    const asked = () => rig.reeve('prompt', 'news', '--json');
    await until('the channel is seen', async () => (await asked()).code === 0);
    const shown = JSON.parse((await asked()).stdout);
    expect(shown).toMatchObject({ id: 'news', prompt: null, because: 'no incident is open on the channel' });
    const text = await rig.reeve('prompt', 'news');
    expect(text.stdout).toMatch(/^nothing would be sent: no incident is open on the channel\nchoices now:\n0: /);
    expect(await rig.reeve('prompt')).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/a channel, or --excerpt/),
    });
    expect((await rig.reeve('prompt', 'nobody')).code).toBe(64);
  });

  it('reeve prompt refuses what is no excerpt on stderr alone', async () => {
    const { code, stdout, stderr } = await typed(['prompt', '--excerpt', '--json'], { input: '{"id":7}\n' });
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(/^reeve: .*excerpt/i);
  });

  it('reeve simulate gives one document a seed, with every figure by its name', async () => {
    const args = ['simulate', '--days', '0.02', '--channels', '2', '--seed', '3', '--seeds', '2', '--json'];
    const { code, stdout, stderr } = await reeve(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answers = documentsIn(stdout);
    expect(answers.map(({ seed }) => seed)).toEqual([3, 4]);
    const count = expect.any(Number);
    for (const answer of answers) {
      expect(answer).toMatchObject({
        ...{ events: count, virtual_days: 0.02, violations: [], mttr_s: { p50: count, p95: count } },
        ...{ restarts: count, unnecessary_restarts: count, storms: count },
        ...{ dark_viewer_seconds: count, escalations: count },
        trace_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    }
  });

  it('reeve simulate --policy reeve runs in the same environment as the policies that it is compared with', async () => {
    type F = Record<string, number>;
    const as = async (...policy: string[]): Promise<F> => {
      const args = ['simulate', '--days', '1', '--seed', '3', '--channels', '10', ...policy, '--json'];
      return JSON.parse((await reeve(args)).stdout);
    };
    const named = ['reeve', 'naive', 'none'].map((name) => as('--policy', name));
    const [own, compared, naive, nobody] = (await Promise.all([as(), ...named])) as [F, F, F, F];
    // Seed 3 drops half of the faults and has a phase in which Reeve may not act: not so where all are compared.
    expect(own.restarts).toBe(0);
    expect(compared.restarts).toBeGreaterThan(0);
    expect(compared.dark_viewer_seconds).toBeLessThan(nobody.dark_viewer_seconds!);
    expect(compared.unnecessary_restarts).toBeLessThan(naive.unnecessary_restarts!);
  });

  it('reeve simulate --calm has less happen, and refuses what would be no time at all', async () => {
    const eventsAt = async (calm: string): Promise<number> => {
      const { stdout } = await reeve(['simulate', '--days', '0.2', '--seed', '2', '--calm', calm, '--json']);
      return JSON.parse(stdout).events;
    };
    expect(await eventsAt('1')).toBeGreaterThan(await eventsAt('8'));
    const refused = await reeve(['simulate', '--calm', '0']);
    expect(refused).toMatchObject({ code: 64, stdout: '' });
    expect(refused.stderr).toContain('--calm takes a number from 0.001 to 1000, got 0');
  });

  it('reeve test gives one document that says of each case whether it held, and ends with 1 when one did not', async () => {
    const right = await reeve(['test', join(ROOT, 'test/policy/watcher.yaml'), '--json']);
    expect({ code: right.code, stderr: right.stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(right.stdout);
    expect(report).toMatchObject({ ok: true, failed: 0, passed: report.cases.length });
    expect(report.cases.length).toBeGreaterThan(1);
    expect(report.cases[0]).toMatchObject({ ok: true, line: expect.any(Number), name: expect.any(String) });

    writeFileSync(rig.at('wrong.yaml'), WRONG);
    const wrong = await reeve(['test', rig.at('wrong.yaml'), '--json']);
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      ...{ ok: false, passed: 0, failed: 1 },
      cases: [{ ok: false, differences: [{ what: 'tools', expected: expect.stringContaining('restart_channel') }] }],
    });
  });

  it('reeve run logs one document a line and answers nothing else', async () => {
    const isUp = () => existsSync(join(rig.state, 'address'));
    const { code, stdout, stderr } = await typed(['run', '--json', '--config', rig.configPath], { isUp });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(documentsIn(stdout).map(({ msg }) => msg)).toContain('Reeve watches');
  });
});
