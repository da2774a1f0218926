import { describe, expect, it } from 'vitest';
import type { WouldAct } from '../../src/backtest/decisions.ts';
import { timelineOf } from '../../src/backtest/timeline.ts';
import { aBacktest, aCourse, aLine, aStory } from './courses.ts';
import { at } from './support.ts';

/** The drawing of ten minutes begins at x = 190 and is 900 wide: 1.5 for each second. */
const xOf = (seconds: number) => (190 + seconds * 1.5).toFixed(1);
const drawn = (...about: Parameters<typeof aBacktest>) => timelineOf(aBacktest(...about));
const bars = (svg: string) =>
  [...svg.matchAll(/<rect x="([\d.]+)" y="(\d+)" width="([\d.]+)" height="(\d+)"[^>]*><title>([^<]*)/g)].map(
    ([, x, y, width, height, title]) => ({ x, y: Number(y), width: Number(width), height: Number(height), title }),
  );
const marks = (svg: string) =>
  [...svg.matchAll(/<text x="([\d.]+)" y="(\d+)"[^>]*>([×▲●])<title>([^<]*)/g)].map(([, x, y, sign, title]) => ({
    ...{ x, y: Number(y), sign, title },
  }));
const labels = (svg: string) =>
  [...svg.matchAll(/<text x="4" y="(\d+)">([^<]*)/g)].map(([, y, text]) => [Number(y), text]);
const act = (seconds: number, incident = 'inc-1'): WouldAct => ({
  ...{ at: at(seconds), incident, tool: 'restart_channel', target: 'channel:news' },
  ...{ helped: undefined, viewerSeconds: undefined },
});

describe('a timeline', () => {
  it('is none where nothing happened', () => {
    expect(drawn()).toBe('<p>No incidents.</p>');
  });

  it('has seven times at equal distances, from the first to the last', () => {
    const times = [...drawn({ incidents: [aStory()] }).matchAll(/<text x="([\d.]+)" y="12"[^>]*>([^<]*)/g)];
    expect(times.map(([, x, text]) => [x, text])).toEqual(
      Array.from({ length: 7 }, (_, step) => [xOf(step * 100), expect.stringContaining('07-28 12:')]),
    );
    expect(times[1]![2]).toBe('07-28 12:01:40');
  });

  it('has a row for each channel or group by name, of incidents and of containments alike', () => {
    const contained = { reason: 'restart_storm', detail: 'd', from: at(0), to: undefined };
    const svg = drawn({
      incidents: [aStory({ scope: 'group:g' }), aStory({ scope: 'group:g' }), aStory({ scope: 'channel:news' })],
      containments: [{ scope: 'engine:e', ...contained }],
    });
    expect(labels(svg)).toEqual([
      [41, 'channel:news'],
      [63, 'engine:e'],
      [85, 'group:g'],
    ]);
    expect(svg).toContain('height="100"');
  });

  it('shortens a long name after 29 characters', () => {
    const named = (length: number) =>
      labels(drawn({ incidents: [aStory({ scope: `channel:${'x'.repeat(length - 8)}` })] }))[0]![1];
    expect(named(30)).toBe(`channel:${'x'.repeat(22)}`);
    expect(named(31)).toBe(`channel:${'x'.repeat(21)}…`);
  });

  it('has at most 200 rows, and draws nothing of the others into them', () => {
    const scopes = Array.from({ length: 201 }, (_, row) => `channel:c${String(row).padStart(3, '0')}` as const);
    const incidents = scopes.map((scope) =>
      aStory({ id: scope, scope, decisions: [aLine(1, 'no', { kind: 'guard', no: true })] }),
    );
    const containments = scopes.map((scope) => ({ scope, reason: 'r', detail: 'd', from: at(0), to: at(1) }));
    const page = { incident: undefined, severity: 'critical', reason: 'no_plan', summary: 's' } as const;
    const pages = scopes.map((scope) => ({ ...page, at: at(0), scope }));
    const svg = drawn({ incidents, containments, pages });
    expect([labels(svg).length, bars(svg).length, marks(svg).length]).toEqual([200, 400, 400]);
  });
});

describe('an incident on the timeline', () => {
  it('is a bar from its opening to its end', () => {
    const [bar] = bars(drawn({ incidents: [aStory({ openedAt: at(100), closedAt: at(200) })] }));
    expect(bar).toEqual({
      ...{ x: xOf(100), y: 30, width: 150, height: 12 },
      title: 'process_crashed, self_healed, 2026-07-28T12:01:40.000Z',
    });
  });

  it('goes on to the end of the recording where it is still open, and never beyond it', () => {
    const widthTo = (closedAt: number | undefined) =>
      bars(drawn({ incidents: [aStory({ openedAt: at(500), closedAt })] }))[0]!.width;
    expect([widthTo(undefined), widthTo(at(900))]).toEqual([150, 150]);
  });

  it('can be seen however short it was, and where it began before the recording', () => {
    const [bar] = bars(drawn({ incidents: [aStory({ openedAt: at(-60), closedAt: at(0) })] }));
    expect(bar).toMatchObject({ x: xOf(0), width: 2 });
  });

  it('may be one in a recording of a single moment', () => {
    const svg = drawn({ incidents: [aStory()] }, { to: at(0) });
    expect(bars(svg)).toMatchObject([{ width: 900 }]);
    expect(svg).not.toContain('NaN');
  });
});

describe('what is marked on the timeline', () => {
  it('is what the guard refused, and nothing else that was decided', () => {
    const refused = aLine(60, 'refuses it', { kind: 'guard', no: true });
    const others = [
      aLine(60, 'allows it', { kind: 'guard' }),
      aLine(60, 'did not help', { kind: 'verified', no: true }),
    ];
    const svg = drawn({ incidents: [aStory({ decisions: [refused, ...others] })] });
    expect(marks(svg)).toEqual([{ x: xOf(60), y: 41, sign: '×', title: '2026-07-28T12:01:00.000Z refuses it' }]);
  });

  it('is what would be done, in the row of its incident, or of its target where the incident is not known', () => {
    const incidents = [aStory({ scope: 'group:g' }), aStory({ id: 'inc-2' })];
    const svg = drawn({ incidents, wouldAct: [act(60), act(60, 'inc-9')] });
    expect(marks(svg)).toMatchObject([
      { sign: '▲', y: 63, title: '2026-07-28T12:01:00.000Z would do restart_channel on channel:news' },
      { sign: '▲', y: 41 },
    ]);
  });

  it('is each page', () => {
    const page = {
      at: at(60),
      incident: undefined,
      scope: 'channel:news',
      severity: 'critical',
      reason: 'no_plan',
    } as const;
    const svg = drawn({ incidents: [aStory()], pages: [{ ...page, summary: 'it is off' }] });
    expect(marks(svg)).toMatchObject([{ sign: '●', title: '2026-07-28T12:01:00.000Z page (no_plan): it is off' }]);
  });

  it('is each containment as a line, to the end where it holds still', () => {
    const contained = { scope: 'channel:news', reason: 'restart_storm', detail: 'four starts' } as const;
    const spans = [
      { ...contained, from: at(0), to: at(100) },
      { ...contained, from: at(200), to: undefined },
    ];
    expect(bars(drawn({ containments: spans }))).toMatchObject([
      { x: xOf(0), y: 43, width: 150, height: 3, title: 'contained (restart_storm): four starts' },
      { x: xOf(200), width: 600 },
    ]);
  });

  it('shows text of others as text', () => {
    const svg = drawn({
      incidents: [aStory({ scope: 'channel:<b>', decisions: [aLine(1, '<i>', { kind: 'guard', no: true })] })],
    });
    expect(svg).not.toMatch(/<[bi]>/);
    const contained = { scope: 'channel:a', reason: 'r', detail: '<u>', from: at(0), to: undefined } as const;
    expect(drawn({ containments: [contained] })).not.toContain('<u>');
    expect(labels(svg)).toEqual([[41, 'channel:&lt;b&gt;']]);
  });
});

describe('a timeline of two policies', () => {
  it('has two rows a scope, the second policy below the first, and says which is which', () => {
    const against = aCourse({ policy: '<cautious>', incidents: [aStory(), aStory({ scope: 'channel:sport' })] });
    const svg = drawn({ incidents: [aStory()] }, { against });
    expect(bars(svg).map(({ y }) => y)).toEqual([30, 52, 96]);
    expect(labels(svg).map(([y]) => y)).toEqual([41, 85]);
    expect(svg).toContain('Upper row: as configured; lower row: &lt;cautious&gt;.');
    expect(drawn({ incidents: [aStory()] })).not.toContain('Upper row');
  });
});
