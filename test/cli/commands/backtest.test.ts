import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addBacktest, type BacktestFlags } from '../../../src/cli/commands/backtest.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import { type RunOptions, ran } from '../running.ts';

/** Runs the command, and keeps the flags as the backtest is given them. */
async function tested(argv: readonly string[], options?: RunOptions) {
  const given: BacktestFlags[] = [];
  const run = async (flags: BacktestFlags) => {
    given.push(flags);
    return { report: { same: true }, text: 'first\nsec\u001bond', html: () => '<p>report</p>' };
  };
  const result = await ran((program, cli) => addBacktest(program, cli, run), ['backtest', ...argv], options);
  return { ...result, flags: given[0] };
}

describe('a backtest', () => {
  it('is given what was named, and leaves the rest to what it replays', async () => {
    const { flags } = await tested(['--logs', 'news=news.err', 'other.log', '--against', 'cautious']);
    expect(flags).toEqual({
      ...{ logs: ['news=news.err', 'other.log'], samples: undefined, incident: undefined, persona: undefined },
      ...{ against: 'cautious', rules: undefined, phase: undefined, offsetMinutes: 0 },
    });
  });

  it('prints its text line by line, without what a terminal would obey', async () => {
    expect((await tested(['--logs', 'a'])).out).toBe('first\nsec?ond\n');
    expect((await tested(['--logs', 'a'], { json: true })).out).toBe('{"same":true}\n');
  });

  it('writes its page beside, and says where it could not be written', async () => {
    const file = join(temporaryDirectory(), 'report.html');
    await tested(['--logs', 'a', '--html', file]);
    expect(readFileSync(file, 'utf8')).toBe('<p>report</p>');
    const failed = tested(['--logs', 'a', '--html', '/nowhere/at/all.html']);
    await expect(failed).rejects.toThrow('the report could not be written to /nowhere/at/all.html');
  });

  it('is of one incident or of logs, and not of both', async () => {
    expect((await tested(['--incident', 'i.json'])).flags).toMatchObject({ incident: 'i.json', logs: [] });
    for (const other of [
      ['--logs', 'a'],
      ['--samples', 's'],
    ])
      await expect(tested(['--incident', 'i.json', ...other])).rejects.toThrow('got both');
  });

  it.each([
    ['0', 0],
    ['4', 4],
  ])('runs at phase %s', async (text, phase) => {
    expect((await tested(['--logs', 'a', '--phase', text])).flags?.phase).toBe(phase);
  });

  it.each(['5', '-1', 'x', ''])('knows no phase "%s"', async (text) => {
    await expect(tested(['--logs', 'a', `--phase=${text}`])).rejects.toThrow('--phase takes 0 to 4');
  });
});

describe('the zone of times that name none', () => {
  it.each([
    ['Z', 0],
    ['+02:00', 120],
    ['-0530', -330],
  ])('%s is %i minutes', async (zone, minutes) => {
    expect((await tested(['--logs', 'a', `--zone=${zone}`])).flags?.offsetMinutes).toBe(minutes);
  });

  it.each(['CET', '2', '+2:00', '+02:000', '+99:99', '+15:00', '+02:60'])('%s is none', async (zone) => {
    await expect(tested(['--logs', 'a', `--zone=${zone}`])).rejects.toThrow('--zone takes an offset such as +02:00');
  });
});
