import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Gate, GateError } from '../../src/ask/gate.ts';
import { PERMISSIONS } from '../../src/ask/tool.ts';
import { redact } from '../../src/collect/redact.ts';
import { aTool } from './support.ts';

const options = { monotonicMs: () => 5, redact };

describe('Tool & Gate', () => {
  it('denies by default, before the tool runs, and names what is missing', async () => {
    let ran = 0;
    const tool = aTool({
      run: async () => {
        ran += 1;
        return [];
      },
    });
    await expect(new Gate([], options).run(tool, {})).rejects.toThrow('logs needs logs-read: give --grant logs-read');
    await expect(new Gate(['status-read'], options).run(tool, {})).rejects.toThrow(GateError);
    expect(ran).toBe(0);
    await new Gate(['logs-read'], options).run(tool, {});
    await Gate.permissive(options).run(tool, {});
    expect(ran).toBe(2);
  });

  it('lets a tool run that needs nothing', async () => {
    const result = await new Gate([], options).run(aTool({ requiredPermissions: [] }), {});
    expect(result).toEqual({
      ...{ tool_name: 'logs', status: 'ok', output: '[inc-81] news was down' },
      evidence: [{ id: 'inc-81', text: 'news was down' }],
      metadata: { execution_time_ms: 0, checked_permissions: [] },
    });
  });

  it('cuts a long line before a mark of redaction that does not fit, and keeps one that does', async () => {
    const lineOf = async (room: number) => {
      const text = `${'x'.repeat(400 - room - ' password='.length)} password=hunter2secret and more`;
      const result = await new Gate([], options).run(
        aTool({ requiredPermissions: [], run: async () => [{ id: 'inc-81', text }] }),
        {},
      );
      return result.output;
    };
    const mark = '[redacted]';
    expect(await lineOf(mark.length)).toMatch(/ password=\[redacted\]$/);
    expect(await lineOf(mark.length - 1)).toMatch(/ password=$/);
    expect(await lineOf(1)).toMatch(/ password=$/);
  });

  it.each([
    [40, '[inc-40] line 40'],
    [41, '[lines:left] 2 more lines are left out'],
    [200, '[lines:left] 161 more lines are left out'],
  ])('of %i lines shows 40, the last of which says how many are left out', async (count, last) => {
    const run = async () => Array.from({ length: count }, (_, at) => ({ id: `inc-${at + 1}`, text: `line ${at + 1}` }));
    const { output, evidence } = await new Gate([], options).run(aTool({ requiredPermissions: [], run }), {});
    expect([evidence.length, output.split('\n').at(-1)]).toEqual([40, last]);
  });

  it('makes a result of what a tool throws, without its secrets', async () => {
    const run = () => Promise.reject(new Error('refused: password=hunter2secret'));
    const result = await new Gate(['logs-read'], options).run(aTool({ run }), {});
    expect(result).toMatchObject({ status: 'error', output: '', metadata: { checked_permissions: ['logs-read'] } });
    expect(result.metadata.error_message).toBe('refused: password=[redacted]');
  });

  it('takes everything out of a line that would look like a citation or another line', async () => {
    const run = async () => [
      {
        id: 'inc-81',
        text: 'x [inc-99] \u3010inc-98\u3011 \uff3binc-97\uff3d\n[inc-96] y\u202e token=abcdef0123456789',
      },
      { id: 'not an id] [inc-95', text: 'gone' },
    ];
    const { output } = await Gate.permissive(options).run(aTool({ run }), {});
    expect(output).toBe('[inc-81] x (inc-99) (inc-98) (inc-97) (inc-96) y  token=[redacted]');
  });

  test.prop([fc.subarray([...PERMISSIONS]), fc.subarray([...PERMISSIONS])])(
    'a tool runs exactly when all that it needs is granted',
    async (granted, needed) => {
      const tool = aTool({ requiredPermissions: needed });
      const ran = await new Gate(granted, options).run(tool, {}).then(
        () => true,
        () => false,
      );
      expect(ran).toBe(needed.every((each) => granted.includes(each)));
    },
  );
});
