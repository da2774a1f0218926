import { describe, expect, it } from 'vitest';
import { POLICIES, replaceBetween, rowOf, spreadTable, sumsTable, type World } from '../../scripts/policy_table.ts';

const world = (seed: number, dark: Readonly<Record<string, number>>): World => {
  const reports = POLICIES.map((policy) => [
    policy,
    {
      ...{ seed, events: 1, virtualDays: 1, violations: [], traceSha256: '', mttrS: { p50: 1, p95: 2 } },
      ...{ restarts: 10, unnecessaryRestarts: 3, storms: 1, startsInWorstMinute: seed },
      ...{ darkViewerSeconds: (dark[policy] ?? 4) * 3_600, escalations: 2, missedEscalations: 1 },
    },
  ]);
  return { seed, reports: Object.fromEntries(reports) };
};

const worlds = [world(1, { reeve: 1, naive: 2 }), world(2, { reeve: 6, naive: 3 })];

describe('the tables of all policies', () => {
  it('add up what every world came to, and take the greatest of the worst minutes', () => {
    expect(rowOf('reeve', worlds)).toMatchObject({ restarts: 20, dark: 7, worstMinute: 2, storms: 2, missed: 2 });
    expect(sumsTable([rowOf('naive', worlds)])).toContain('| naive | 1 s / 2 s | 20 | 6 | 2 | 2 | 5 | 4 | 2 |');
  });

  it('name the ratio to each policy, the worst world with its seed, and in how many worlds Reeve had less', () => {
    const table = spreadTable(worlds);
    expect(table).toMatch(/\| naive \|.*\| 1\.40 \(0\.50 to 2\.00\) \| 2\.00 \(seed 2\) \| 1 of 2 \|/);
    expect(table).toMatch(/\| reeve \|.*\| – \| – \| – \|/);
  });

  it('go between their marks and touch nothing else of a page', () => {
    const page = 'before\n<!-- policies -->\nold\n<!-- /policies -->\nafter\n';
    const written = replaceBetween(page, 'policies', 'new');
    expect(written).toBe('before\n<!-- policies -->\n\nnew\n\n<!-- /policies -->\nafter\n');
    expect(replaceBetween(written, 'policies', 'new')).toBe(written);
    expect(() => replaceBetween('no marks', 'policies', 'new')).toThrow(/marks/);
  });
});
