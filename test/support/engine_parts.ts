import { type Clock, systemClock } from '../../src/core/clock.ts';
import type { SecretReference } from '../../src/engine/secret_reference.ts';
import type { ActionContext, ReadProcess } from '../../src/core/engine.ts';
import { createChangeGateway } from '../../src/engine/change_gateway.ts';
import type { EngineParts } from '../../src/engine/parts.ts';
import { boundedFetch } from '../../src/resilience/http.ts';
import { createTransport } from '../../src/resilience/transport.ts';

interface PartsOptions {
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  readonly changeMs?: number;
  readonly readProcess?: ReadProcess | undefined;
}

/** Longer than anything takes on the busiest machine: a deadline that strikes by accident fails a test by accident. */
const NEVER_MS = 600_000;
/** What never ends its answer meets even a short deadline, however busy the machine. */
const SOON_MS = 300;

/** Deadlines for a peer from which this failure is expected: short where it is the deadline that must strike. */
export const deadlinesFor = (failure: string) =>
  failure === 'timeout' ? { timeoutMs: SOON_MS, changeMs: SOON_MS } : {};

/** What an adapter works with, over the real network and clock. */
export function engineParts(options: PartsOptions = {}): EngineParts {
  const { clock = systemClock, timeoutMs = NEVER_MS, changeMs = NEVER_MS, readProcess } = options;
  return {
    clock,
    ask: boundedFetch(clock),
    look: createTransport('test/look', { timeoutMs }, clock),
    change: createChangeGateway(createTransport('test/change', { timeoutMs: changeMs }, clock)),
    secret: ({ clear }: SecretReference) => clear ?? '',
    readProcess,
  };
}

let permits = 0;

/** Leave for one change, each with its own permit and a higher fence. */
export function aContext(overrides: Partial<ActionContext> = {}): ActionContext {
  permits += 1;
  return { permit: `per-${permits}`, fence: permits, signal: new AbortController().signal, ...overrides };
}
