import { expect, it } from 'vitest';
import { highRiskBound } from '../../src/guard/bound.ts';

const input = {
  highRiskPerGroupMax: 2,
  highRiskSpacingMs: 60_000,
  groups: 3,
  channels: 10,
  dailyRestartCap: 10,
  fleetDailyRestartCap: 1_000,
  incidentCaps: 1_000,
};

it('is the least of spacing per group, daily caps, the budget of the fleet and incident caps', () => {
  expect(highRiskBound(0, input)).toBe(6);
  expect(highRiskBound(59_999, input)).toBe(6);
  expect(highRiskBound(60_000, input)).toBe(12);
  expect(highRiskBound(3_600_000, input)).toBe(100);
  expect(highRiskBound(86_400_000, input)).toBe(200);
  expect(highRiskBound(86_400_000, { ...input, incidentCaps: 7 })).toBe(7);
  expect(highRiskBound(86_399_999, { ...input, fleetDailyRestartCap: 9 })).toBe(9);
  expect(highRiskBound(86_400_000, { ...input, fleetDailyRestartCap: 9 })).toBe(18);
});
