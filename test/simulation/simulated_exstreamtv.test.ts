import { describe, expect, it, onTestFinished } from 'vitest';
import { createChangeGateway } from '../../src/engine/change_gateway.ts';
import { ExstreamtvEngine } from '../../src/engine/exstreamtv/engine.ts';
import { exstreamtvDocument } from '../../src/engine/exstreamtv/schema.ts';
import { createTransport } from '../../src/resilience/transport.ts';
import { ServiceModel } from '../../src/simulation/service_model.ts';
import type { CallMode } from '../../src/simulation/sim_engine.ts';
import { SimulatedExstreamtv } from '../../src/simulation/simulated_exstreamtv.ts';
import {
  areCredentialsRefused,
  emptyPlayout,
  outdateAddresses,
  refuseCredentials,
} from '../../src/simulation/treatments.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aPlan } from './plant.ts';

const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;

/** The real adapter over the simulated ExStreamTV, and the service behind it, all on one clock. */
function theAdapter() {
  const { clock, advance } = fakeClock();
  const at = (atMs: number, run: () => void): void => void clock.after(atMs - clock.monotonicMs(), run);
  const nowMs = () => clock.monotonicMs();
  const plans = [aPlan('else', { engine: 'other' }), aPlan('news'), aPlan('sport', { group: 'g1' })];
  const service = new ServiceModel(plans, { seed: 1, nowMs, at, onSymptom: () => undefined });
  const world = { mode: 'well' as CallMode, isUp: true, answers: true };
  const server = new SimulatedExstreamtv({
    ...{ engine: 'e0', service, clock, worldMs: nowMs, at },
    ...{ mode: () => world.mode, isUp: () => world.isUp, answers: () => world.answers },
  });
  const document = exstreamtvDocument.parse({ id: 'e0', kind: 'exstreamtv', url: 'http://127.0.0.1:8411' });
  const look = createTransport('e0/look', { timeoutMs: document.timeout }, clock);
  const change = createTransport('e0/change', { timeoutMs: document.change_timeout }, clock);
  onTestFinished(() => {
    for (const one of [look, change]) one[Symbol.dispose]();
  });
  const adapter = new ExstreamtvEngine({
    document,
    channels: server.named,
    parts: {
      ...{ clock, look, change: createChangeGateway(change), ask: server.ask },
      ...{ secret: () => '', readProcess: undefined },
    },
  });
  let permits = 0;
  const context = () => {
    permits += 1;
    return { permit: `per-${permits}`, fence: permits, signal: NEVER };
  };
  /** What a call came to after so long, or that it has not ended. */
  const within = async <T>(ms: number, call: Promise<T>): Promise<T | string> => {
    const said = call.catch((thrown: Error) => `failed: ${thrown.message}`);
    return Promise.race([said, advance(ms).then(() => 'not ended')]);
  };
  return { world, service, adapter, context, within, advance };
}

describe('an ExStreamTV within the simulation', () => {
  it('renews credentials, and tells whether they work', async () => {
    const { service, adapter, context, within } = theAdapter();
    refuseCredentials(service, 'g0', HOUR_MS);
    expect(await within(0, adapter.probeCredentials(NEVER))).toBe(false);
    expect(await within(300, adapter.refreshCredentials(context()))).toMatch('resolved anew');
    expect(await within(0, adapter.probeCredentials(NEVER))).toBe(true);
  });

  it('fills the playout of one channel, and tells how much it added', async () => {
    const { service, adapter, context, within } = theAdapter();
    emptyPlayout(service, 'sport', false);
    expect(await within(0, adapter.probePlayout('sport', NEVER))).toBe(false);
    expect(await within(0, adapter.probePlayout('news', NEVER))).toBe(true);
    expect(await within(300, adapter.rebuildPlayout('sport', context()))).toMatchObject({ itemsAdded: 40 });
    expect(await within(0, adapter.probePlayout('sport', NEVER))).toBe(true);
  });

  it('adds nothing where the library is empty as well', async () => {
    const { service, adapter, context, within } = theAdapter();
    emptyPlayout(service, 'news', true);
    expect(await within(300, adapter.rebuildPlayout('news', context()))).toMatchObject({ itemsAdded: 0 });
  });

  it.each([
    ['of the channel alone', 'sport', [true, false]],
    ['of all channels', undefined, [false, false]],
  ] as const)('forgets addresses %s, and its cache fills again within ten minutes', async (_, channel, left) => {
    const { service, adapter, context, within, advance } = theAdapter();
    for (const group of ['g0', 'g1']) outdateAddresses(service, group, HOUR_MS);
    expect(await within(0, adapter.probeCache(NEVER))).toBe(12);
    expect(await within(600, adapter.invalidateCache(channel, context()))).toMatch('entries cleared');
    expect(['g0', 'g1'].map((group) => service.origins.refusesAddresses(group))).toEqual(left);
    expect(await within(0, adapter.probeCache(NEVER))).toBe(0);
    await advance(10 * 60_000);
    expect(await within(0, adapter.probeCache(NEVER))).toBe(12);
  });

  it.each<[CallMode, number, string, boolean]>([
    ['lie_fail', 400, 'failed: /api/settings/plex/refresh-urls said no: the service says that it did not work', true],
    ['refuse', 100, 'failed: /api/settings/plex/refresh-urls said no: the service says that it did not work', false],
    ['lie_ok', 300, 'media URLs are resolved anew; no new token was fetched', false],
    ['unheard', 9_000, 'not ended', true],
    ['hang', 9_000, 'not ended', false],
    ['stop_only', 9_000, 'not ended', false],
  ])('says one thing and does another: %s', async (mode, ms, said, isDone) => {
    const { world, service, adapter, context, within } = theAdapter();
    refuseCredentials(service, 'g0', HOUR_MS);
    world.mode = mode;
    expect(await within(ms, adapter.refreshCredentials(context()))).toBe(said);
    expect(areCredentialsRefused(service, 'e0')).toBe(!isDone);
  });

  it('says that it added something where it did not', async () => {
    const { world, service, adapter, context, within } = theAdapter();
    emptyPlayout(service, 'news', false);
    world.mode = 'lie_ok';
    expect(await within(300, adapter.rebuildPlayout('news', context()))).toMatchObject({ itemsAdded: 1 });
    expect(await within(0, adapter.probePlayout('news', NEVER))).toBe(false);
  });

  it('refuses to clear its cache by a status', async () => {
    const { world, adapter, context, within } = theAdapter();
    world.mode = 'refuse';
    expect(await within(100, adapter.invalidateCache('news', context()))).toBe('failed: the cache: answered 409');
  });

  it('neither hears nor does anything while it is down, and does what it is asked while only its answers are lost', async () => {
    const { world, service, adapter, context, within } = theAdapter();
    refuseCredentials(service, 'g0', HOUR_MS);
    world.isUp = false;
    expect(await within(9_000, adapter.refreshCredentials(context()))).toBe('not ended');
    expect(areCredentialsRefused(service, 'e0')).toBe(true);
    Object.assign(world, { isUp: true, answers: false });
    expect(await within(9_000, adapter.refreshCredentials(context()))).toBe('not ended');
    expect(areCredentialsRefused(service, 'e0')).toBe(false);
  });

  it('knows no other channels and no other routes', async () => {
    const { adapter, within } = theAdapter();
    expect(await within(0, adapter.probePlayout('else', NEVER))).toBe('failed: engine e0 has no channel else');
    expect(await within(0, adapter.recentLogs('news', 100, NEVER))).toMatch('/api/logs/entries: answered 404');
  });
});
