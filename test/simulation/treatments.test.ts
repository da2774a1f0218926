import { describe, expect, it } from 'vitest';
import * as treatments from '../../src/simulation/treatments.ts';
import { serviceEnvironment } from '../support/service_environment.ts';

const M = 60_000;

describe('sources that refuse the credentials', () => {
  it('answer again when these are refreshed, and not when the cache is dropped', () => {
    const { service, until } = serviceEnvironment();
    until(M);
    treatments.refuseCredentials(service, 'g0', M);
    expect(treatments.areCredentialsRefused(service, 'e0')).toBe(true);
    treatments.dropCache(service, 'e0', undefined);
    expect(service.produces(service.at('ch0'))).toBe(false);
    treatments.refreshCredentials(service, 'e0');
    expect([service.produces(service.at('ch0')), treatments.areCredentialsRefused(service, 'e0')]).toEqual([
      true,
      false,
    ]);
  });
});

describe('sources that refuse the addresses', () => {
  it.each([
    ['of all groups', undefined],
    ['of one channel’s group', 'ch1'],
  ])('answer again when the cache %s is dropped, and not when the credentials are refreshed', (_, channel) => {
    const { service, until } = serviceEnvironment();
    until(M);
    treatments.outdateAddresses(service, 'g0', M);
    expect(treatments.areCredentialsRefused(service, 'e0')).toBe(false);
    treatments.refreshCredentials(service, 'e0');
    expect(service.isRefused(service.at('ch0'))).toBe(true);
    expect(service.statusOf(service.at('ch0'))).toBe('incurable');
    treatments.dropCache(service, 'e0', channel);
    expect(service.statusOf(service.at('ch0'))).toBe('playing');
  });

  it('answer again by themselves after a while', () => {
    const { service, until } = serviceEnvironment();
    treatments.outdateAddresses(service, 'g0', M);
    until(M - 1);
    expect(service.produces(service.at('ch0'))).toBe(false);
    until(M);
    expect(service.produces(service.at('ch0'))).toBe(true);
  });
});

describe('a channel on which nothing is scheduled', () => {
  it('runs and writes nothing, also after a restart, until its playout is rebuilt', () => {
    const { service, until } = serviceEnvironment();
    until(M);
    treatments.emptyPlayout(service, 'ch0', false);
    service.restart('ch0', 'reeve');
    until(2 * M);
    expect([service.at('ch0').state, service.statusOf(service.at('ch0'))]).toEqual(['running', 'incurable']);
    expect(treatments.hasPlayout(service, 'ch0')).toBe(false);
    expect(treatments.rebuildPlayout(service, 'ch0')).toBeGreaterThan(0);
    expect([treatments.hasPlayout(service, 'ch0'), service.statusOf(service.at('ch0'))]).toEqual([true, 'playing']);
  });

  it('gets no items while its library is empty, and plays when a person has looked after it', () => {
    const { service, until } = serviceEnvironment();
    until(M);
    treatments.emptyPlayout(service, 'ch0', true);
    expect(treatments.rebuildPlayout(service, 'ch0')).toBe(0);
    expect(service.statusOf(service.at('ch0'))).toBe('incurable');
    service.repair('ch0');
    expect(service.statusOf(service.at('ch0'))).toBe('playing');
  });
});
