import { describe, expect, it } from 'vitest';
import { readIncident } from '../../src/backtest/incident_file.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { EXPORT_FORMAT, EXPORT_VERSION } from '../../src/incident/export.ts';
import { aPersona } from '../support/a.ts';
import { recorded } from './support.ts';

const exported = (with_: object = {}) => ({
  ...{ format: EXPORT_FORMAT, version: EXPORT_VERSION, incident: { id: 'inc-1', group: 'g', engine: 'e' } },
  ...{ persona: aPersona(), limits: {}, phase: 2, channels: [{ id: 'news', group: 'g', engine: 'e' }] },
  ...{ capabilities: [{ engine: 'e', can: ['restart'] }], context: [] },
  entries: [{ seq: 1, at: 5, mono_ms: 7, fact: { type: 'clock.jumped', by_ms: 3 } }],
  ...with_,
});
const read = (value: unknown) =>
  readIncident(recorded({ 'inc.json': typeof value === 'string' ? value : JSON.stringify(value) })[0]!);

describe('an exported incident', () => {
  it('is read in the names of the code, and its persona in those of its file', () => {
    const incident = read(exported());
    expect(incident.entries).toMatchObject([{ monoMs: 7, fact: { byMs: 3 } }]);
    expect(incident.persona).toEqual(aPersona());
  });

  it('has the limits that it was decided by, and the usual ones where it names none', () => {
    expect(read(exported()).limits).toEqual(DEFAULT_LIMITS);
    const { limits } = read(exported({ limits: { window_starts_max: 3 } }));
    expect(limits).toEqual({ ...DEFAULT_LIMITS, windowStartsMax: 3 });
  });

  it.each([
    ['another format', { format: 'other' }, 'format'],
    ['another version', { version: EXPORT_VERSION + 1 }, 'version'],
    ['no entry', { entries: [] }, 'entries'],
    ['a phase that there is not', { phase: 5 }, 'phase'],
    ['a persona with a key too many', { persona: { ...aPersona(), more: 1 } }, 'persona'],
  ])('with %s is refused, with where it is wrong and what writes one', (_, with_, where) => {
    expect(() => read(exported(with_))).toThrow(
      expect.objectContaining({
        ...{ code: 'USAGE', message: expect.stringMatching(new RegExp(`is no exported incident: ${where}`)) },
        hint: 'reeve trace INCIDENT --export FILE writes one',
      }),
    );
  });

  it('with limits that are not sound is refused', () => {
    expect(() => read(exported({ limits: { window_starts_max: -1 } }))).toThrow(/its limits are not sound: /);
  });

  it('that is not there, or is no JSON, is an error that says where it was looked for', () => {
    expect(() => readIncident('/nowhere/inc.json')).toThrow(/a readable incident was expected at \/nowhere\/inc\.json/);
    expect(() => read('{')).toThrow(/a readable incident was expected at /);
  });
});
