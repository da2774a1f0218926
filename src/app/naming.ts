/** Lets a model name what nothing recognised, where one is configured. */
import { NamingWorker } from '../agent/naming_worker.ts';
import type { PlannerConfig } from '../config/config.ts';
import type { Teaching } from '../rulebook/patterns/teaching.ts';
import type { HostEnvironment } from './host_environment.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Models } from './models.ts';

/** Where a model is configured. */
export function nameInBackground(
  parts: {
    readonly models: Models;
    readonly teaching: Teaching;
    readonly host: Pick<HostEnvironment, 'log'>;
    readonly infrastructure: Pick<Infrastructure, 'ledger'>;
    readonly wanted: () => PlannerConfig;
  },
  building: AsyncDisposableStack,
): void {
  const { model } = parts.models;
  if (model === undefined) return;
  const wanted = (): boolean => parts.wanted().namePatterns;
  const worker = building.use(new NamingWorker({ model, teaching: parts.teaching, wanted, log: parts.host.log }));
  building.use(parts.infrastructure.ledger.subscribe((entry) => worker.onEntry(entry)));
}
