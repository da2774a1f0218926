import { describe, expect, it } from 'vitest';
import { channelDocument, configDocument, journalPart } from '../../../src/config/document/document.ts';

const isSound = (written: object) => configDocument.safeParse({ version: 1, ...written }).success;

describe('the document of a configuration', () => {
  it('needs its version and nothing else, and refuses a key that it does not know', () => {
    expect(configDocument.safeParse({ version: 1 }).success).toBe(true);
    expect(configDocument.safeParse({}).success).toBe(false);
    expect(isSound({ channel: [] })).toBe(false);
  });

  it.each([
    ['phase', 4, true],
    ['phase', 5, false],
    ['metrics_prefix', 'reeve_', true],
    ['metrics_prefix', 'reeve', false],
    ['metrics_prefix', `${'a'.repeat(39)}_`, true],
    ['metrics_prefix', `${'a'.repeat(40)}_`, false],
    ['log', { level: 'debug' }, true],
    ['log', { level: 'loud' }, false],
    ['escalation', { upstream_after: '5s' }, true],
    ['escalation', { upstream_after: '4s' }, false],
  ])('%s of %j is sound: %s', (key, value, expected) => {
    expect(isSound({ [key]: value })).toBe(expected);
  });

  it('keeps the journal for two days at least and a year at most', () => {
    const keeps = ['47h', '2d', '365d', '366d'].map((keep) => journalPart.safeParse({ keep }).success);
    expect(keeps).toEqual([false, true, true, false]);
  });

  it('takes sixteen logs of one channel, with or without a format', () => {
    const channel = (count: number) =>
      channelDocument.safeParse({ id: 'a', engine: 'e', logs: Array.from({ length: count }, (_, n) => `/l/${n}`) });
    expect([channel(16).success, channel(17).success]).toEqual([true, false]);
    const shaped = { id: 'a', engine: 'e', logs: [{ path: '/l', format: 'docker_json' }, '/m'] };
    expect(channelDocument.safeParse(shaped).success).toBe(true);
  });
});
