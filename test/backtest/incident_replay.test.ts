import { describe, expect, it } from 'vitest';
import { toWire } from '../../src/core/wire.ts';
import type { Incident } from '../../src/core/incident.ts';
import { exportIncident } from '../../src/incident/export.ts';
import { replayHtml } from '../../src/backtest/incident_html.ts';
import { replayIncident, replayReport, replayText } from '../../src/backtest/incident_replay.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';
import { recorded, SHIPPED } from './support.ts';

const persona = SHIPPED.personas.find(({ id }) => id === 'system_admin')!;
const ORDER = { persona: undefined, against: undefined, rules: undefined, phase: undefined };

/** A killed channel that Reeve starts again, as a live daemon would export it. */
async function lived(edit: (world: ReturnType<typeof pipelineHarness>) => void = () => undefined) {
  const world = pipelineHarness({ channels: ['news', 'sport'] });
  await world.live(20_000);
  edit(world);
  world.engine.kill('news');
  await world.live(30_000);
  return exportedFrom(world);
}

function exportedFrom(world: ReturnType<typeof pipelineHarness>) {
  const opened = world.facts('incident.opened')[0]?.incident as Incident;
  const document = exportIncident(opened.id, {
    version: '0',
    at: world.clock.now(),
    read: (query) => world.ledger.read(query),
    count: world.ledger.count,
    personaOf: () => persona,
    limits: DEFAULT_LIMITS,
    phaseOf: () => 4,
    channels: world.pipeline.factStore.channels,
    capabilities: new Map([['local', world.engine.capabilities]]),
  });
  return { world, document: document! };
}

const written = (document: unknown): string => recorded({ 'incident.json': JSON.stringify(toWire(document)) })[0]!;

describe('an exported incident', () => {
  it('holds every entry of it, with envelopes, policy and what the guard counted besides', async () => {
    const { world, document } = await lived();
    const own = world.entries.filter(({ incident }) => incident === document.incident.id);
    expect(document.entries.map(({ seq }) => seq)).toEqual(own.map(({ seq }) => seq));
    expect(document.entries.some(({ fact }) => fact.type === 'envelope.taken')).toBe(true);
    expect(document.context.some(({ fact }) => fact.type === 'start.observed')).toBe(true);
    expect(document).toMatchObject({ format: 'reeve-incident', version: 1, configSha256: 'x', contextDropped: false });
  });

  it('is refused for an unknown id', async () => {
    const { world } = await lived();
    const none = exportIncident('inc-missing', {
      version: '0',
      at: 0,
      read: (query) => world.ledger.read(query),
      count: world.ledger.count,
      personaOf: () => persona,
      limits: DEFAULT_LIMITS,
      phaseOf: () => 4,
      channels: [],
      capabilities: new Map(),
    });
    expect(none).toBeUndefined();
  });

  it('replays to the very decisions that were made', async () => {
    const { document } = await lived();
    const replay = replayIncident({ ...ORDER, incident: written(document) }, SHIPPED);
    expect(replay.steps.length).toBeGreaterThan(0);
    expect(replay).toMatchObject({ other: 0, policies: ['as recorded', 'persona system_admin'] });
    expect(replay.steps[0]?.columns[1]?.steps).toEqual([
      'plans restart_channel on channel:news, by rule process_crashed',
      'allows restart_channel on channel:news',
    ]);
    const again = replayIncident({ ...ORDER, incident: written(document) }, SHIPPED);
    expect(again.sha256).toBe(replay.sha256);
  });

  it('replays the staged start of a group, for whose sake the cause was proven to be over', async () => {
    const ids = ['news', 'sport', 'film', 'kids'];
    const world = pipelineHarness({ channels: ids });
    await world.live(20_000);
    for (const id of ids) world.engine.kill(id);
    await world.live(60_000);
    const { document } = exportedFrom(world);
    const replay = replayIncident({ ...ORDER, incident: written(document) }, SHIPPED);
    expect(document.incident.scope).toEqual({ kind: 'group', id: 'encoders' });
    expect(replay.steps.at(-1)?.columns[1]?.steps).toEqual([
      'plans restart_channel on group:encoders, by rule process_crashed',
      'allows restart_channel on group:encoders',
    ]);
    expect(replay).toMatchObject({ same: 2, other: 0 });
    const frozen = replayIncident({ ...ORDER, incident: written(document), phase: 2 }, SHIPPED);
    expect(frozen.other).toBeGreaterThan(0);
  });

  it('shows what another persona would have decided', async () => {
    const { document } = await lived();
    const replay = replayIncident({ ...ORDER, incident: written(document), against: 'live_event' }, SHIPPED);
    expect(replay.other).toBe(1);
    expect(replay.steps[0]?.columns[2]?.steps[1]).toBe('refuses restart_channel on channel:news: approval_needed');
    expect(replayText(replay)).toContain('+ refuses restart_channel on channel:news: approval_needed');
    expect(replayHtml(replay)).toContain('approval_needed');
    expect(replayReport(replay)).toMatchObject({ diff: { same: 0, other: 1 } });
  });

  it('takes over the earlier commands of people and the earlier starts', async () => {
    const { document } = await lived(({ ledger }) => {
      ledger.append([{ fact: { type: 'control.frozen', who: 'ann', because: 'a test' } }]);
    });
    const replay = replayIncident({ ...ORDER, incident: written(document) }, SHIPPED);
    expect(replay.other).toBe(0);
    expect(replay.steps[0]?.columns[1]?.steps[1]).toBe('refuses restart_channel on channel:news: frozen');
  });

  it('can be asked at another phase', async () => {
    const { document } = await lived();
    const replay = replayIncident({ ...ORDER, incident: written(document), phase: 1 }, SHIPPED);
    expect(replay.steps[0]?.columns[1]?.steps).toEqual(['plans escalate, by rule process_crashed']);
  });

  it.each([
    ['no JSON', 'nonsense', /readable incident/],
    ['another document', '{"format":"else"}', /no exported incident: format/],
    ['limits that are none', undefined, /limits are not sound/],
  ])('is refused when it is %s', async (_, text, message) => {
    const { document } = await lived();
    const bad = { ...document, limits: { ...document.limits, windowMs: 0 } };
    const [path] = recorded({ 'incident.json': text ?? JSON.stringify(toWire(bad)) });
    expect(() => replayIncident({ ...ORDER, incident: path! }, SHIPPED)).toThrow(message);
  });
});
