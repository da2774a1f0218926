/** The views over the whole decision path, with what a test gives instead. */
import { type ViewDeps, Views } from '../../src/http/views.ts';
import { type PipelineOptions, pipelineHarness } from '../support/pipeline_harness.ts';

export type World = ReturnType<typeof viewed>;

export function viewed(options: PipelineOptions = {}, change: Partial<ViewDeps> = {}) {
  const world = pipelineHarness(options);
  const views = new Views({
    ...{ version: '1.2.3', clock: world.clock, pipeline: world.pipeline },
    ...{ settings: world.settings, channels: world.channels, read: (query) => world.ledger.read(query) },
    count: world.ledger.count,
    ...{ secondsSinceLastDeliveryOk: () => undefined, receivers: () => [], problems: () => [], waiting: () => [] },
    pagesKept: () => world.outbox().pages,
    heartbeat: () => undefined,
    ...change,
  });
  return { ...world, views };
}
export const says = (value: unknown): string => (value as { readonly because: string }).because;
