import { describe, expect, it } from 'vitest';
import { DENIAL_CODES } from '../../src/core/plan.ts';
import { flipsOf, waitText } from '../../src/guard/trace.ts';
import { aPersona } from '../support/a.ts';
import { bench } from './bench.ts';

describe('the smallest change that would flip a refusal', () => {
  it('is a wait, to the second that suffices', () => {
    const b = bench();
    b.restart('news', { cured: true });
    b.pass(46_001);
    expect(b.guard.preview(b.request()).flips).toEqual(['wait 14 s']);
    b.pass(13_999);
    expect(b.guard.preview(b.request()).flips).toEqual([]);
  });

  it('is a second signal where log text stands alone', () => {
    const b = bench();
    const request = b.request();
    const signals = request.envelope.signals.slice(0, 1).map((signal) => ({ ...signal, origin: 'log' as const }));
    expect(b.guard.preview({ ...request, envelope: { ...request.envelope, signals } }).flips).toEqual([
      'needs a second signal that is not log text',
    ]);
  });

  it('is a command where a person said no', () => {
    const b = bench({ phase: 2 });
    b.record({ type: 'control.frozen', who: 'ann', because: 'x' });
    expect(b.guard.preview(b.request()).flips).toEqual(['reeve thaw', 'reeve phase 3']);
  });

  it('names a change for every refusal of the trace, in the order of the questions', () => {
    const b = bench({ phase: 0, capabilities: ['observe'] });
    const { checks, flips } = b.guard.preview(b.request('news', { persona: aPersona({ restart_cap: 0 }) }));
    expect(flips).toHaveLength(checks.filter(({ verdict }) => verdict === 'refuse').length);
    expect(flips).toEqual([
      'reeve phase 3',
      'an engine that has the capability restart',
      'a higher restart_cap in the persona',
    ]);
  });

  it.each(DENIAL_CODES)('has a text for %s', (code) => {
    const check = { id: 1, question: 'q', value: 'v', threshold: 't', verdict: 'refuse', code } as const;
    expect(flipsOf([check])[0]).toMatch(/\w/);
    expect(flipsOf([{ ...check, value: 'v; free in 13001 ms' }])[0]).toMatch(/^wait 14 s/);
  });

  it('is asked for only where something was refused', () => {
    const check = { id: 1, question: 'q', value: 'v; free in 1 ms', threshold: 't' } as const;
    const checks = [
      { ...check, verdict: 'pass', code: 'cooldown' },
      { ...check, verdict: 'refuse', code: undefined },
    ] as const;
    expect(flipsOf(checks)).toEqual([]);
  });

  it.each([
    [1, '1 s'],
    [14_000, '14 s'],
    [119_000, '119 s'],
    [120_000, '2 min'],
    [125_000, '2 min 5 s'],
    [600_000, '10 min'],
    [7_200_000, '2 h'],
    [12_000_001, '3 h 21 min'],
    [86_400_000, '24 h'],
  ])('says %d ms as %s', (ms, text) => {
    expect(waitText(ms)).toBe(text);
  });
});
