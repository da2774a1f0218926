/** States how many times faster than each peer Reeve has to be. */
import type { Row } from './rows.ts';

export interface Measured {
  readonly wallS: number;
  readonly cpuS: number;
  readonly peakMb: number;
}

/** By log and peer: how many times faster Reeve has to be. Judged by CPU time, which a busy machine spreads least. */
const GOALS: readonly (readonly [log: string, peer: string, times: number])[] = [
  ['mixed', 'mtail', 100],
  ['mixed', 'sec + prefilter', 50],
  ['mixed, ten times', 'sec + prefilter', 50],
  ['mixed, ten times', 'rg | mawk', 1],
  ['mixed, ten times', 'hyperscan', 0.35],
  ['storm', 'mtail', 40],
  ['storm', 'rg | mawk', 0.7],
  ['garbage', 'rg | mawk', 0.5],
];
const PEAK_MB_MAX = 120;

/** What was aimed at on this log, for the peers that are here. */
export function goalsOf(log: string, rounds: ReadonlyMap<string, readonly Measured[]>, equal = ''): readonly Row[] {
  const reeve = rounds.get('reeve')!;
  const rows: Row[] = [{ part: log, measure: 'counts', figure: equal, goal: 'equal', met: equal === 'equal' }];
  for (const [, peer, times] of GOALS.filter(([name]) => name === log)) {
    const other = rounds.get(peer);
    if (other === undefined) {
      rows.push({ part: log, measure: `× ${peer}`, figure: 'not installed', goal: `≥ ${times}`, met: undefined });
      continue;
    }
    const ratio = (of: (one: Measured) => number): number => median(other.map((one, at) => of(one) / of(reeve[at]!)));
    const [cpu, wall] = [ratio(({ cpuS }) => cpuS), ratio(({ wallS }) => wallS)];
    const figure = `${cpu.toFixed(2)} by CPU, ${wall.toFixed(2)} by wall`;
    rows.push({ part: log, measure: `× ${peer}`, figure, goal: `≥ ${times}`, met: cpu >= times });
  }
  const peak = Math.max(...reeve.map(({ peakMb }) => peakMb));
  const figure = `${peak.toFixed(0)} MB`;
  rows.push({ part: log, measure: 'peak memory', figure, goal: `≤ ${PEAK_MB_MAX} MB`, met: peak <= PEAK_MB_MAX });
  return rows;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
