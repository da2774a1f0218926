import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Rig, until } from '../support/rig.ts';

interface Draft {
  readonly ok: boolean;
  readonly because?: string;
  readonly more: {
    readonly id: string;
    readonly regex: string;
    readonly lines: readonly { readonly text: string; readonly count: number }[];
    readonly would_match: { readonly lines: number };
    readonly file?: string;
  };
}

describe('a person names a trouble that no pattern knows', { timeout: 120_000 }, () => {
  let rig: Rig;
  let daemon: Daemon;
  let incident = '';
  const zorble = (offset: number) =>
    `[error] zorble matrix desync in stage two, offset ${offset} is beyond all limits\n`;
  const teach = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await rig.reeve('teach', incident, ...args, '--json');
    return { code, stderr, answer: stdout === '' ? undefined : (JSON.parse(stdout) as Draft) };
  };
  const classify = async (): Promise<string> => {
    const { stdout } = await rig.reeve('classify', rig.at('one.log'), '--json');
    return (JSON.parse(stdout) as { symptom: string }).symptom;
  };

  beforeAll(async () => {
    rig = await Rig.open({ phase: 1 });
    mkdirSync(rig.at('patterns'), { recursive: true });
    daemon = await rig.run();
    const status = () => daemon.get<{ channels: { healthy: boolean | null }[] }>('/api/v1/status');
    await until('news plays', async () => (await status()).channels[0]?.healthy === true);
    for (let offset = 1; offset <= 6; offset += 1) appendFileSync(rig.at('news.log'), zorble(offset));
    appendFileSync(rig.at('one.log'), zorble(4_711));
    rig.die('news');
    await until('it is paged', () => rig.delivered.length > 0);
    incident = rig.delivered[0]!.incident!;
    await until(
      'the lines were read',
      async () => ((await teach('--symptom', 'stalled_output')).answer?.more?.lines.length ?? 0) > 0,
    );
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('is shown the lines that nothing recognised, and a pattern of the first', async () => {
    const { code, answer } = await teach('--symptom', 'stalled_output');
    expect(code).toBe(0);
    expect(answer?.more.lines[0]?.text).toContain('zorble matrix desync');
    expect(answer?.more.lines[0]?.count).toBe(6);
    expect(answer?.more.regex).toContain('zorble\\s{1,8}matrix\\s{1,8}desync');
    expect(answer?.more.would_match.lines).toBeGreaterThan(0);
    expect(existsSync(`${rig.state}/proposals`)).toBe(false);
  });

  it('is refused an unknown symptom, a line that does not exist, and an incident that never was', async () => {
    expect((await teach('--symptom', 'sadness')).code).toBe(64);
    expect(await teach('--symptom', 'stalled_output', '--line', '99')).toMatchObject({
      code: 1,
      answer: { ok: false },
    });
    const { code } = await rig.reeve('teach', 'inc-nothing', '--symptom', 'stalled_output', '--json');
    expect(code).toBe(64);
  });

  it('has it proposed, tried without effect, and promoted into the configuration by one command', async () => {
    const { answer } = await teach('--symptom', 'stalled_output', '--yes');
    const { id, file } = answer!.more;
    expect(file).toBe(`${rig.state}/proposals/patterns/${id}.yaml`);
    expect(readFileSync(file!, 'utf8')).toContain('symptom: stalled_output');
    expect(await classify()).toBe('unknown');

    const { stdout } = await rig.reeve('patterns', 'list', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ id, state: 'shadow', who: 'operator', next: 'production' });
    const shown = (await rig.reeve('patterns', 'show', id)).stdout;
    expect(shown).toContain('symptom: stalled_output');
    expect(shown).toContain(`${id} (shadow), named by operator`);
    expect(shown).toContain(`next: reeve patterns promote ${id} --because … (production)`);
    expect((await rig.reeve('patterns', 'diff', id)).stdout).toContain('does not exist yet');
    expect((await rig.reeve('patterns', 'promote', id, '--because', 'seen')).code).toBe(0);
    expect(await classify()).toBe('stalled_output');
    const facts = (await rig.journal()).map(({ fact }) => fact.type);
    expect(facts.filter((type) => type === 'pattern.state_set')).toHaveLength(3);
    const again = await rig.reeve('patterns', 'promote', id, '--because', 'again');
    expect(again).toMatchObject({ code: 64, stderr: expect.stringContaining('no promotion leads further') });
    expect((await rig.reeve('patterns', 'list')).stdout).toMatch(new RegExp(`${id} +production +\\d+ +operator`));
    const back = await rig.reeve('patterns', 'promote', id, '--to', 'staging', '--because', 'it is not sure');
    expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('is in staging') });
    expect((await rig.reeve('patterns', 'show', id)).stdout).toContain(
      'a change that rests on it alone waits for a yes',
    );
    expect((await rig.reeve('patterns', 'promote', id, '--because', 'it is')).stdout).toContain('is in production');
    await until('the daemon knows it', async () => {
      const { problems } = await daemon.get<{ problems: readonly unknown[] }>('/api/v1/status');
      return problems.length === 0;
    });
  });

  it('learns from the daemon that the line is no blind spot any more', async () => {
    appendFileSync(rig.at('news.log'), zorble(99));
    await until('it is recognised', async () => {
      const { answer } = await teach('--symptom', 'benign_noise');
      return answer?.because?.includes('left unrecognised') === true;
    });
  });
});
