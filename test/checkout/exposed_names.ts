import { createMetrics } from '../../src/telemetry/metrics.ts';
import { QUIET } from '../support/quiet_gauges.ts';

/** Every series name that Reeve can expose, histograms with their parts. */
export async function exposedNames(): Promise<ReadonlySet<string>> {
  const { text } = await createMetrics('reeve_', { version: '0', node: 'v0' }, QUIET).expose(false);
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name, type]) => [
      name!,
      ...(type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name! + part) : []),
    ]),
  );
}
