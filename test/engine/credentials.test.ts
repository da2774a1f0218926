import { describe, expect, it } from 'vitest';
import { credentialWatch } from '../../src/engine/credentials.ts';
import { fakeClock } from '../support/fake_clock.ts';

const never = new AbortController().signal;

function watching(probe: () => Promise<boolean>) {
  const { clock, advance } = fakeClock();
  let probes = 0;
  const look = credentialWatch({
    ...{ engine: 'local', clock, everyMs: 60_000 },
    probe: () => {
      probes += 1;
      return probe();
    },
  });
  return { look: () => look(never), advance, probes: () => probes };
}

describe('the credentials of an engine', () => {
  it('are probed at the first look, and again when the interval since the last end has passed', async () => {
    const { look, advance, probes } = watching(async () => true);
    look();
    await advance(59_999);
    look();
    expect(probes()).toBe(1);
    await advance(1);
    look();
    expect(probes()).toBe(2);
  });

  it('are reported once for each probe, by the look after its end', async () => {
    const { look, advance } = watching(async () => false);
    expect(look()).toBeUndefined();
    await advance(1);
    expect(look()).toMatchObject({ kind: 'credential', engine: 'local', ok: false });
    expect(look()).toBeUndefined();
  });

  it('are not refused because the probe failed', async () => {
    const { look, advance } = watching(() => Promise.reject(new Error('no answer')));
    look();
    await advance(1);
    expect(look()).toBeUndefined();
  });

  it('are not probed twice at once, however long a probe takes', async () => {
    const { look, advance, probes } = watching(() => new Promise(() => undefined));
    look();
    await advance(600_000);
    look();
    expect(probes()).toBe(1);
  });
});
