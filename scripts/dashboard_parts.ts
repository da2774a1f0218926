/** What panels of the dashboard are made of. */

/** Every query is narrowed to the instances chosen at the top. */
export const HERE = 'instance=~"$instance"';

interface Query {
  readonly expr: string;
  readonly legend?: string;
}

interface Threshold {
  readonly from: number | null;
  readonly colour: 'green' | 'yellow' | 'red';
}

export interface PanelSpec {
  readonly kind: 'stat' | 'timeseries' | 'table' | 'state-timeline';
  readonly title: string;
  readonly says: string;
  readonly unit: string;
  readonly width: number;
  readonly queries: readonly Query[];
  readonly thresholds?: readonly Threshold[];
  readonly stacked?: boolean;
  readonly mappings?: readonly unknown[];
}

export const GOOD_IS_ZERO: NonNullable<PanelSpec['thresholds']> = [
  { from: null, colour: 'green' },
  { from: 1, colour: 'yellow' },
];
export const rate = (metric: string, by: string): string =>
  `sum by (${by}) (rate(${metric}{${HERE}}[$__rate_interval]))`;
export const increase = (metric: string, by: string): string =>
  `sum by (${by}) (increase(${metric}{${HERE}}[$__rate_interval]))`;
export const quantile = (q: number, histogram: string, over = '$__rate_interval'): string =>
  `histogram_quantile(${q}, sum by (le) (rate(${histogram}_bucket{${HERE}}[${over}])))`;
