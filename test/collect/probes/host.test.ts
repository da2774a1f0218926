import { describe, expect, it } from 'vitest';
import { cpuPressureIn, createHostProbe, oomKillsIn } from '../../../src/collect/probes/host.ts';

const forever = new AbortController().signal;

describe('a look at the host', () => {
  it('reports how full a disk is, as df counts, and nothing for paths that do not exist', async () => {
    const { disks } = await createHostProbe(['/tmp', '/no/such/place'])(forever);
    expect(disks[0]!.usedRatio).toBeGreaterThan(0);
    expect(disks[0]!.usedRatio).toBeLessThanOrEqual(1);
    expect(disks[1]).toEqual({ path: '/no/such/place', usedRatio: undefined });
  });

  it('does not wait past its signal', async () => {
    const { disks } = await createHostProbe(['/tmp'])(AbortSignal.abort());
    expect(disks).toHaveLength(1);
  });

  it('reads the kernel’s own counts, and says nothing where there are none', () => {
    expect(oomKillsIn('pgfault 1\noom_kill 3\nx 2\n')).toBe(3);
    expect(oomKillsIn('')).toBeUndefined();
    expect(cpuPressureIn('some avg10=12.50 avg60=1.00 avg300=0.00 total=1\n')).toBe(0.125);
    expect(cpuPressureIn('')).toBeUndefined();
  });
});
