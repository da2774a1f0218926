import { describe, expect, it } from 'vitest';
import { DENIAL_CODES, type DenialCode } from '../../src/core/plan.ts';
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

  it('is a journal that is whole where that is what contains', () => {
    const flip = (value: string) =>
      flipsOf([{ id: 6, question: 'containment', value, threshold: '', verdict: 'refuse', code: 'containment' }])[0];
    expect(flip('journal_error (fleet)')).toMatch(/^the end of containment: .*; .*reeve audit verify/);
    expect(flip('restart_storm (fleet)')).toBe('the end of containment: restart_storm (fleet)');
  });

  it('is a command where a person said no', () => {
    const b = bench({ phase: 2 });
    b.record({ type: 'control.frozen', who: 'ann', because: 'x' });
    expect(b.guard.preview(b.request()).flips).toEqual(['reeve thaw --because "…"', 'reeve phase 3 --because "…"']);
  });

  it('is a command that can be typed as it stands: with the channel, the window, the lease and the group', () => {
    const trace = (value: string, code: DenialCode) =>
      flipsOf([
        {
          id: 1,
          question: 'target',
          value: 'channel:news',
          threshold: 'channel:news',
          verdict: 'pass',
          code: undefined,
        },
        { id: 2, question: 'q', value, threshold: 'phase 3', verdict: 'refuse', code },
      ]).join();
    const why = '--because "…"';
    expect(trace('tried 3 min ago', 'already_tried')).toBe(`another fix, or reeve reset channel:news ${why}`);
    expect(trace('open, opening 1; free in 5000 ms', 'breaker_open')).toBe(
      `wait 5 s, or reeve reset channel:news ${why}`,
    );
    expect(trace('maintenance win-1 of fleet; free in 5000 ms', 'maintenance')).toBe(
      `wait 5 s, or reeve maintenance end win-1 ${why}`,
    );
    expect(trace('group:pull is on a lease of ann; free in 5000 ms', 'hands_off')).toBe(
      `wait 5 s, or reeve lease group:pull --end ${why}`,
    );
    expect(trace('phase 1 of group pull', 'phase')).toBe(`reeve phase 3 --group pull ${why}`);
  });

  it.each([
    [{ phase: 1 }, 'phase 1', 'reeve phase 3 --because "…"'],
    [{ phase: 4, group: 1 }, 'phase 1 of group encoders', 'reeve phase 3 --group encoders --because "…"'],
    [{ phase: 1, group: 1 }, 'phase 1', 'reeve phase 3 --because "…"'],
  ] as const)('raises the phase that is the lower one: %o', ({ phase, ...own }, value, flip) => {
    const b = bench({ phase });
    const group = b.request().incident.group;
    if ('group' in own) b.record({ type: 'control.phase_set', phase: own.group, group, who: 'ann', because: 'x' });
    const { checks, flips } = b.guard.preview(b.request());
    expect(checks[2]).toMatchObject({ value: value.replace('encoders', group), threshold: 'phase 3' });
    expect(flips).toEqual([flip.replace('encoders', group)]);
  });

  it('names a change for every refusal of the trace, in the order of the questions', () => {
    const b = bench({ phase: 0, capabilities: ['observe'] });
    const { checks, flips } = b.guard.preview(b.request('news', { persona: aPersona({ restart_cap: 0 }) }));
    expect(flips).toHaveLength(checks.filter(({ verdict }) => verdict === 'refuse').length);
    expect(flips).toEqual([
      'reeve phase 3 --because "…"',
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
