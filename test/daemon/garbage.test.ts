import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Rig, until } from '../support/rig.ts';

const ESC = '\u001b';
const ATTACKS = [
  `${ESC}[31m[error] the encoder of news has ended${ESC}[0m`,
  `${ESC}]0;you are owned\u0007 the encoder of news has ended`,
  `${ESC}[2J${ESC}[Hthe encoder of news has ended \u202egnirts\u202c`,
  '\u009b31m the encoder of news has ended \u2028 next',
  'the encoder of news has ended\u0000\u0008\u0008\u0008',
];
const LONG = 1 << 20;
const FLOOD_BYTES = 48 << 20;
/** What a bounded reader may need more than before, with room for the collector of garbage. */
const GROWTH_MAX = 80 << 20;

/** Anything that could move a cursor, colour, hide or reorder text. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029\u2066-\u2069]/;

describe('a followed log full of garbage', { timeout: 60_000 }, () => {
  let rig: Rig;
  let daemon: Daemon;
  let lines = 0;
  beforeAll(async () => {
    rig = await Rig.open({ phase: 1 });
    daemon = await rig.run();
    await until('news plays', async () => (await status()).channels[0]?.healthy === true);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const status = () =>
    daemon.get<{ channels: { healthy: boolean | null }[]; incidents: { id: string }[] }>('/api/v1/status');
  const write = (bytes: Buffer | string): void => {
    const buffer = Buffer.from(bytes as string);
    for (const byte of buffer) if (byte === 10) lines += 1;
    appendFileSync(rig.at('news.log'), buffer);
  };
  const counted = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(`${daemon.url}/metrics`)).text();
    const rows = [...text.matchAll(/^reeve_lines_total\{source="news",result="(\w+)"\} (\d+)$/gm)];
    return new Map(rows.map(([, result, count]) => [result!, Number(count)]));
  };
  const total = async () => [...(await counted()).values()].reduce((sum, count) => sum + count, 0);
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))?.[1]) * 1024;

  it('is counted to the line: binary, invalid UTF-8, a line of 1 MiB, escape sequences', async () => {
    write(Buffer.concat([randomBytes(64 << 10), Buffer.from('\n')]));
    write(Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf8, 10, 0xe2, 0x82, 10]));
    write(`${'x'.repeat(LONG)}\n`);
    for (const attack of ATTACKS) write(`${attack}\n`);
    await until('every line is counted', async () => (await total()) === lines);
    expect((await counted()).get('dropped_line_too_long')).toBeGreaterThanOrEqual(1);
    expect((await counted()).get('matched')).toBeGreaterThanOrEqual(1);
  });

  it('leaves the daemon responsive and its memory bounded under a flood', async () => {
    const before = rss();
    const block = Buffer.concat(
      Array.from({ length: 512 }, () => Buffer.concat([randomBytes(2_000), Buffer.from('\n')])),
    );
    let peak = before;
    for (let written = 0; written < FLOOD_BYTES; written += block.length) {
      write(block);
      peak = Math.max(peak, rss());
      expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    }
    await until('every line is counted', async () => (await total()) === lines, 60_000);
    expect(Math.max(peak, rss()) - before).toBeLessThan(GROWTH_MAX);
  }, 90_000);

  it('is shown harmlessly in the incident that it is evidence of', async () => {
    rig.die('news');
    await until('an incident is open', async () => (await status()).incidents.length > 0);
    for (const attack of ATTACKS) write(`${attack}\n`);
    const [incident] = (await status()).incidents;
    await until('it was paged', () => rig.delivered.length > 0);
    const asked = [['trace', incident!.id], ['status'], ['incidents'], ['why', 'news'], ['status', '--json']];
    for (const args of asked) {
      const { code, stdout, stderr } = await rig.reeve(...args);
      expect({ args, code, unsafe: UNSAFE.exec(stdout + stderr)?.[0] }).toEqual({ args, code: 0, unsafe: undefined });
    }
    const { stdout } = await rig.reeve('trace', incident!.id);
    expect(stdout).toContain('the encoder of news has ended');
    expect(UNSAFE.exec(rig.log())).toBeNull();
    for (const { summary, details } of rig.delivered) expect(UNSAFE.exec(summary + details)).toBeNull();
  });

  it('is harmless to classify, which keeps every line apart', async () => {
    writeFileSync(rig.at('attacks.log'), `${ATTACKS.join('\n')}\n`);
    const { code, stdout } = await rig.reeve('classify', '--json', rig.at('attacks.log'));
    expect(code).toBe(0);
    const answers = stdout.trimEnd().split('\n');
    expect(answers).toHaveLength(ATTACKS.length);
    for (const answer of answers) expect(JSON.parse(answer)).toMatchObject({ symptom: 'process_exit_nonzero' });
    expect(UNSAFE.exec(answers.map((answer) => JSON.parse(answer).excerpt).join(''))).toBeNull();
  });
});
