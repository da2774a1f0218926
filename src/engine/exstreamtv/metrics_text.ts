/** The Prometheus text format, read leniently. */
/** One sample of a Prometheus text exposition. */
export interface MetricSample {
  readonly name: string;
  /** As written between the braces; empty without labels. */
  readonly labels: string;
  readonly value: number;
}

/** `name{labels} value [timestamp]`. */
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*$/;

/**
 * Reads what can be read and leaves out what cannot: services repeat `# TYPE` lines, forget `# HELP` and mix both,
 * for which a strict parser gives up the whole page. NaN and infinities are left out: they say nothing.
 */
export function parseMetrics(text: string): readonly MetricSample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', written] = SAMPLE.exec(line) ?? [];
    const value = Number(written);
    return name === undefined || !Number.isFinite(value) ? [] : [{ name, labels, value }];
  });
}

/** The sum over all label sets; undefined when there is no such sample, which is not the same as 0. */
export function sumOf(samples: readonly MetricSample[], name: string): number | undefined {
  const found = samples.filter((sample) => sample.name === name);
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
