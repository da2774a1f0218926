import { describe, expect, it } from 'vitest';
import { policyDocument } from '../../src/policy_tests/document.ts';

const read = (given: unknown, expected: unknown = { page: false }) =>
  policyDocument.safeParse({ cases: [{ name: 'a case', given, expect: expected }] });
const messages = (result: ReturnType<typeof read>) => result.error?.issues.map(({ message }) => message) ?? [];
const ENVELOPE = { envelope: { classification: 'process_crashed' } };

describe('what a case gives', () => {
  it('is an envelope, or what logs and probes show, and not both', () => {
    const rule = 'given needs either an envelope, or logs and probes, and not both';
    for (const given of [ENVELOPE, { logs: ['it broke'] }, { probes: {} }, { logs: ['it broke'], probes: {} }])
      expect(messages(read(given))).toEqual([]);
    for (const given of [{}, { phase: 2 }, { ...ENVELOPE, logs: ['it broke'] }, { ...ENVELOPE, probes: {} }])
      expect(messages(read(given))).toEqual([rule]);
  });

  it('is read in milliseconds, whatever the unit', () => {
    const history = [{ at: '2m ago', tool: 'restart_channel', result: 'cured' }];
    const result = read({ envelope: { age: '5s', lasting: '1h' }, history });
    expect(result.data?.cases[0]?.given).toMatchObject({
      ...{ envelope: { age: 5_000, lasting: 3_600_000 }, history: [{ at: 120_000, result: 'cured' }] },
    });
  });

  it('has a phase from 0 to 4', () => {
    for (const phase of [0, 4]) expect(read({ ...ENVELOPE, phase }).success).toBe(true);
    for (const phase of [-1, 5, 1.5]) expect(read({ ...ENVELOPE, phase }).success).toBe(false);
  });

  it('has no unknown key: a misspelt one would test nothing', () => {
    for (const given of [{ ...ENVELOPE, phases: 2 }, { envelope: { clasification: 'process_crashed' } }])
      expect(messages(read(given))).toEqual([expect.stringContaining('Unrecognized key')]);
  });
});

describe('what happened before', () => {
  const event = (more: object) => read({ ...ENVELOPE, history: [{ at: '1m ago', ...more }] }).success;

  it.each([
    { tool: 'restart_channel', result: 'relapsed', incident: 'this', times: 100 },
    { start: 'engine', channel: 'sport' },
    { lease: 'channel:news', for: '24h' },
    { maintenance: 'group:encoders', for: '7d' },
    { freeze: true },
    { thaw: true },
    { containment: 'restart_storm', scope: 'fleet' },
    { release: 'fleet' },
    { reset: 'channel:news' },
    { escalation: 'no_plan' },
    { approval: 'pending', tool: 'rebuild_playout' },
    { incident: 'group:encoders' },
    { clock_jump: '1ms' },
  ])('may be %j', (more) => {
    expect(event(more)).toBe(true);
  });

  it.each([
    ['incident', { tool: 'restart_channel', result: 'failed', incident: 'this' }],
    ['escalation', { escalation: 'no_plan' }],
    ['approval', { approval: 'yes', tool: 'restart_channel' }],
  ])('is refused beside logs and probes where it supposes an open incident: %s', (key, more) => {
    const history = [
      { at: '2m ago', thaw: true },
      { at: '1m ago', ...more },
    ];
    for (const seen of [{ logs: ['it broke'] }, { probes: {} }])
      expect(read({ ...seen, history }).error?.issues).toEqual([
        expect.objectContaining({
          path: ['cases', 0, 'given', 'history', 1, key],
          message: expect.stringContaining('give an envelope instead'),
        }),
      ]);
    expect(read({ ...ENVELOPE, history }).success).toBe(true);
  });

  it('of an earlier incident is taken beside logs and probes', () => {
    const history = [{ at: '1m ago', tool: 'restart_channel', result: 'failed', incident: 'earlier' }];
    expect(read({ logs: ['it broke'], history }).success).toBe(true);
  });

  it.each([
    {},
    { tool: 'restart_channel' },
    { tool: 'reboot', result: 'cured' },
    { tool: 'restart_channel', result: 'cured', times: 101 },
    { start: 'reeve' },
    { lease: 'channel:news', for: '25h' },
    { maintenance: 'group:encoders', for: '8d' },
    { freeze: false },
    { freeze: true, thaw: true },
    { approval: 'maybe', tool: 'rebuild_playout' },
  ])('is not %j', (more) => {
    expect(event(more)).toBe(false);
  });
});

describe('what a case expects', () => {
  it('is at least one thing', () => {
    expect(messages(read(ENVELOPE, {}))).toEqual([expect.stringContaining('a case that expects nothing cannot fail')]);
    expect(read(ENVELOPE, { page: true }).success).toBe(true);
  });

  it('may be that nothing is concluded and no run begins', () => {
    expect(read(ENVELOPE, { classification: 'none', plan: 'none', outcome: 'none' }).success).toBe(true);
    expect(read(ENVELOPE, { verdict: 'none' }).success).toBe(false);
  });
});

describe('a file', () => {
  it('has from 1 to 500 cases', () => {
    const cases = (count: number) =>
      policyDocument.safeParse({ cases: Array(count).fill({ name: 'a', given: ENVELOPE, expect: { page: false } }) });
    expect([0, 1, 500, 501].map((count) => cases(count).success)).toEqual([false, true, true, false]);
  });
});
