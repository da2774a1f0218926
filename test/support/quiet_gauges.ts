import type { Gauges } from '../../src/telemetry/gauges.ts';

/** Gauges of a daemon at which nothing goes on. */
export const QUIET: Gauges = {
  restartVelocity: () => 0,
  fleetRestartsLeft: () => 20,
  containments: () => [],
  breakers: () => [],
  cooldowns: () => [],
  secondsSinceLastDeliveryOk: () => undefined,
  lines: () => [],
  refused: () => [],
  journalHead: () => ({ seq: 7, bits: 0 }),
  secondsSinceHeadSent: () => 1,
  loopLagSeconds: () => 0,
  openIncidents: () => 0,
  phase: () => 2,
  isFrozen: () => false,
  receivers: () => [],
  configOk: () => true,
  heartbeatSeconds: () => 0,
  secondsSinceHeartbeatTaken: () => undefined,
};
