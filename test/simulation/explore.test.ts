import { describe, expect, it } from 'vitest';
import { EXPLORED, explore } from './explore.ts';

describe('every order of seven events on two channels with at most one crash', () => {
  it.each(EXPLORED)('keeps S1 to S6 against the guard itself, limits: %s', (variant) => {
    const { paths, starts, broken } = explore(7, variant);
    console.info(`${variant}: explored ${paths} orders with ${starts} starts`);
    expect(broken).toBeUndefined();
    expect(starts).toBeGreaterThan(1_000);
  });
});
