/** Checks the daily budget of the fleet against the number of channels, on which its default depends. */
import { standardFleetCap } from '../../core/limits.ts';
import type { AcceptedRisk, LimitChoice } from './limits.ts';
import type { Reading } from './reading.ts';

const KEY = 'fleet_daily_restart_cap';

/** More than the default of this fleet needs the operator's explicit order, as with every other limit. */
export function fleetCapRisks(
  reading: Reading,
  chosen: Readonly<Record<string, LimitChoice | undefined>>,
  channels: number,
): readonly AcceptedRisk[] {
  const choice = Object.hasOwn(chosen, KEY) ? chosen[KEY] : undefined;
  const standard = standardFleetCap(channels);
  if (choice === undefined || choice.value <= standard) return [];
  if (choice.accepted) return [{ limit: KEY, value: String(choice.value), standard: String(standard) }];
  reading.note(
    ['limits', KEY],
    `expected at most ${standard} for ${channels} channels, got ${choice.value}`,
    `this permits more than the default; if you mean it, write { value: ${choice.value}, i_accept_the_risk: true }`,
  );
  return [];
}
