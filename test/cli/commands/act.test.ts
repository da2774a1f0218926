import { describe, expect, it } from 'vitest';
import { addAct } from '../../../src/cli/commands/act.ts';
import { type RunOptions, ran } from '../running.ts';

const run = (line: string, options?: RunOptions) => ran(addAct, [...line.split(' '), '--because', 'a test'], options);
const because = 'a test';

describe('a command that changes what Reeve may do', () => {
  it.each([
    ['freeze', '/api/v1/freeze', {}],
    ['thaw', '/api/v1/thaw', {}],
    ['lease news --for 2h', '/api/v1/leases', { scope: 'news', for_ms: 7_200_000 }],
    ['lease news', '/api/v1/leases', { scope: 'news', for_ms: 900_000 }],
    ['lease news --end', '/api/v1/leases/end', { scope: 'news' }],
    ['reset news', '/api/v1/reset', { scope: 'news' }],
    ['release fleet', '/api/v1/release', { scope: 'fleet' }],
    ['phase 0', '/api/v1/phase', { phase: 0, group: undefined }],
    ['phase 4 --group pull', '/api/v1/phase', { phase: 4, group: 'pull' }],
    ['approve apr/1', '/api/v1/approvals/apr%2F1', { yes: true }],
    ['deny apr-1', '/api/v1/approvals/apr-1', { yes: false }],
    ['ack incident/inc-1', '/api/v1/ack', { key: 'incident/inc-1' }],
    ['maintenance end win-1', '/api/v1/maintenance/end', { id: 'win-1' }],
  ])('sends %s with its reason', async (line, path, body) => {
    expect((await run(line)).posted).toEqual([{ path, body: { ...body, because } }]);
  });

  it('sends when a window begins, how long it lasts, and whether channels are restarted in it', async () => {
    const times = { scope: 'group:pull', for_ms: 60_000 };
    const plain = await run('maintenance add group:pull --for 1m');
    expect(plain.posted[0]?.body).toEqual({ ...times, starts_in_ms: 0, rolling: false, because });
    const rolling = await run('maintenance add group:pull --for 1m --in 30s --rolling');
    expect(rolling.posted[0]?.body).toEqual({ ...times, starts_in_ms: 30_000, rolling: true, because });
  });

  it('is refused without a reason, and nothing is sent', async () => {
    await expect(ran(addAct, ['freeze'])).rejects.toThrow(/--because/);
    await expect(ran(addAct, ['phase', '3'])).rejects.toThrow('--because is required to set a phase');
  });

  it.each(['5', '-1', '1.5', 'full'])('is refused for the phase %s, which there is not', async (phase) => {
    await expect(ran(addAct, ['phase', '--because', 'x', '--', phase])).rejects.toThrow(/a phase from 0 to 4/);
  });
});

describe('the answer of the daemon', () => {
  const refused = { '/api/v1/thaw': { ok: false, because: 'not frozen\u001b[2J', hint: 'reeve status shows it' } };

  it('is printed, and a refusal ends with 1 and what to do, without control characters', async () => {
    expect(await run('freeze')).toMatchObject({ out: 'done\n', err: '', code: 0 });
    expect(await run('thaw', { answers: refused })).toMatchObject({
      ...{ out: '', err: 'not frozen?[2J\n  reeve status shows it\n', code: 1 },
    });
  });

  it('is one document with --json, a refusal too', async () => {
    const { out, err, code } = await run('thaw', { answers: refused, json: true });
    expect([JSON.parse(out), err, code]).toEqual([refused['/api/v1/thaw'], '', 1]);
  });
});

describe('reeve phase', () => {
  const rollout = {
    of_all: 3,
    groups: [
      { group: 'gen', phase: 1 },
      { group: 'radio', phase: 3 },
    ],
    evidence: { incidents: 4, changes_verified: 2, changes_not_verified: 1, refused: 5 },
  };
  const shown = (args: readonly string[], json = false) =>
    ran(addAct, ['phase', ...args], { json, answers: { '/api/v1/stats': { rollout } } });

  it('shows people how far Reeve may go with each group, and what it has done so far', async () => {
    expect((await shown([])).out).toBe(
      [
        'group  phase  what Reeve may do',
        '(all)  3      restarts, too: one step in a run',
        'gen    1      tools that look',
        'radio  3      restarts, too: one step in a run',
        '',
        'since the journal began: 4 incidents; 2 changes verified, 1 not; 5 calls refused',
        'set it: reeve phase N --because "…"; lower for one group: reeve phase N --group GROUP --because "…"',
        '',
      ].join('\n'),
    );
  });

  it('shows one group where one is named, and one document with --json', async () => {
    expect((await shown(['--group', 'gen'])).out).not.toContain('radio');
    expect(JSON.parse((await shown([], true)).out)).toEqual(rollout);
    await expect(shown(['--group', 'rdio'])).rejects.toThrow('--group: expected one of gen, radio, got rdio');
  });
});

describe('the list of windows', () => {
  const window = {
    id: 'win-1',
    scope: 'fleet',
    starts_in_ms: 0,
    ends_in_ms: 60_000,
    rolling: false,
    who: 'ann',
    because,
  };
  const listed = async (windows: readonly object[]) =>
    (await ran(addAct, ['maintenance', 'list'], { answers: { '/api/v1/status': { windows } } })).out;

  it('says when a window ends, or begins, and that there is none', async () => {
    expect(await listed([window])).toBe('win-1  fleet  ends in 60 s  ann: a test\n');
    expect(await listed([{ ...window, starts_in_ms: 1_000, rolling: true }])).toBe(
      'win-1  fleet  begins in 1 s  rolling restart  ann: a test\n',
    );
    expect(await listed([])).toBe('none\n');
  });
});
