import { describe, expect, it } from 'vitest';
import { CRUEL_KINDS, KINDS } from '../../src/simulation/kinds.ts';
import { PAIRS, pairScenario } from '../../src/simulation/pairs.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

/** Pairs under which a law is known to be broken, and which; an entry goes when its cause is mended. */
const KNOWN_OPEN: Readonly<Record<string, string>> = {};

const first = (kind: string) => PAIRS.filter((pair) => pair[0] === kind);
const COUNT = KINDS.length + CRUEL_KINDS.length;

describe('faults two at a time', () => {
  it('are every two kinds once', () => {
    expect(new Set(PAIRS.map((pair) => pair.toSorted().join(' '))).size).toBe((COUNT * (COUNT + 1)) / 2);
  });

  it('come within half a minute of each other, and alone', () => {
    const { injections } = pairScenario(['crash', 'outage']);
    expect(injections.map(({ kind }) => kind)).toEqual(['crash', 'outage']);
    expect(injections[1]!.atMs - injections[0]!.atMs).toBeLessThanOrEqual(30_000);
  });

  it.each([...KINDS, ...CRUEL_KINDS].filter((kind) => first(kind).length > 0))(
    'break no law when the first is: %s',
    { timeout: 120_000 },
    async (kind) => {
      for (const pair of first(kind)) {
        const name = pair.join(' + ');
        const { violations } = await new Simulation(pairScenario(pair)).run();
        expect({ name, violations: violations.filter(({ law }) => law !== KNOWN_OPEN[name]) }).toEqual({
          name,
          violations: [],
        });
      }
    },
  );
});
