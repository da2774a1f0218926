/** The dashboard: its rows, its panels and their queries. */
import { HANDS, PEOPLE } from './dashboard_hands.ts';
import { GOOD_IS_ZERO, HERE, increase, type PanelSpec, quantile, rate } from './dashboard_parts.ts';

const NOW: readonly PanelSpec[] = [
  {
    kind: 'stat',
    title: 'Last heartbeat',
    says: "Age of the newest heartbeat. When it grows, Reeve is silent: its dead man's switch should have paged.",
    unit: 's',
    width: 4,
    queries: [{ expr: `time() - max(reeve_heartbeat_timestamp_seconds{${HERE}})` }],
    thresholds: [
      { from: null, colour: 'green' },
      { from: 30, colour: 'yellow' },
      { from: 120, colour: 'red' },
    ],
  },
  {
    kind: 'stat',
    title: 'Open incidents',
    says: 'Troubles that are being handled or that wait for a person.',
    unit: 'none',
    width: 4,
    queries: [{ expr: `sum(reeve_open_incidents{${HERE}})` }],
    thresholds: GOOD_IS_ZERO,
  },
  {
    kind: 'stat',
    title: 'Contained scopes',
    says: 'Channels, groups or engines in which nothing risky begins for now.',
    unit: 'none',
    width: 4,
    queries: [{ expr: `count(reeve_containment_active{${HERE}} == 1) or vector(0)` }],
    thresholds: GOOD_IS_ZERO,
  },
  {
    kind: 'stat',
    title: 'Starts in the last minute',
    says: 'Starts of channels, whoever began them. At 10 everything is contained.',
    unit: 'none',
    width: 4,
    queries: [{ expr: `max(reeve_restart_velocity{${HERE}})` }],
    thresholds: [
      { from: null, colour: 'green' },
      { from: 5, colour: 'yellow' },
      { from: 10, colour: 'red' },
    ],
  },
  {
    kind: 'stat',
    title: 'Last page delivered',
    says: 'Since some receiver last took a message. Empty until the first one.',
    unit: 's',
    width: 4,
    queries: [{ expr: `min(reeve_seconds_since_last_delivery_ok{${HERE}})` }],
  },
  {
    kind: 'stat',
    title: 'Configuration',
    says: 'Rejected: the files on disk have problems and the last good set is still in use.',
    unit: 'none',
    width: 4,
    queries: [{ expr: `min(reeve_config_ok{${HERE}})` }],
    thresholds: [
      { from: null, colour: 'red' },
      { from: 1, colour: 'green' },
    ],
    mappings: [{ type: 'value', options: { 0: { text: 'rejected' }, 1: { text: 'in use' } } }],
  },
];

const TROUBLE: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'What is wrong',
    says: 'Envelopes taken, by what Reeve concluded.',
    unit: 'ops',
    width: 12,
    queries: [{ expr: rate('reeve_grounded_envelope_events_total', 'classification'), legend: '{{classification}}' }],
    stacked: true,
  },
  {
    kind: 'timeseries',
    title: 'How incidents ended',
    says: 'Closed incidents and escalated runs.',
    unit: 'none',
    width: 12,
    queries: [{ expr: increase('reeve_incidents_total', 'outcome'), legend: '{{outcome}}' }],
    stacked: true,
  },
  {
    kind: 'timeseries',
    title: 'Time to recover',
    says: 'From opening an incident to its end, where an action that was verified resolved it.',
    unit: 's',
    width: 12,
    queries: [
      { expr: quantile(0.5, 'reeve_time_to_recover_seconds', '1h'), legend: 'half within' },
      { expr: quantile(0.95, 'reeve_time_to_recover_seconds', '1h'), legend: '95 % within' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'How long incidents stayed open',
    says: 'All of them, however they ended.',
    unit: 's',
    width: 12,
    queries: [
      { expr: quantile(0.5, 'reeve_incident_duration_seconds', '1h'), legend: 'half within' },
      { expr: quantile(0.95, 'reeve_incident_duration_seconds', '1h'), legend: '95 % within' },
    ],
  },
];

const ITSELF: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'Time to a verdict',
    says: 'The guard, from the question to the durable answer.',
    unit: 's',
    width: 8,
    queries: [
      { expr: quantile(0.5, 'reeve_decision_latency_seconds'), legend: 'half within' },
      { expr: quantile(0.99, 'reeve_decision_latency_seconds'), legend: '99 % within' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Log lines',
    says: 'Read = matched + unmatched + dropped, exactly.',
    unit: 'ops',
    width: 8,
    queries: [{ expr: rate('reeve_lines_total', 'result'), legend: '{{result}}' }],
    stacked: true,
  },
  {
    kind: 'timeseries',
    title: 'Event loop lag',
    says: 'How late Reeve itself runs.',
    unit: 's',
    width: 8,
    queries: [{ expr: `max by (instance) (reeve_loop_lag_seconds{${HERE}})`, legend: '{{instance}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Rejected configurations',
    says: 'Reloads refused because of problems in files.',
    unit: 'none',
    width: 12,
    queries: [{ expr: `sum(increase(reeve_config_rejections_total{${HERE}}[$__rate_interval]))`, legend: 'rejected' }],
  },
  {
    kind: 'timeseries',
    title: 'Turned away at the door',
    says: 'Requests without a good token or scope, from a foreign page, and connections cut to keep room for others.',
    unit: 'none',
    width: 12,
    queries: [
      { expr: increase('reeve_http_refused_total', 'reason'), legend: '{{reason}}' },
      { expr: increase('reeve_syslog_connections_closed_total', 'reason'), legend: 'syslog {{reason}}' },
    ],
    stacked: true,
  },
  {
    kind: 'timeseries',
    title: "The journal's head",
    says: 'Records, and how long ago a witness elsewhere took the head. The hash bits make this Prometheus a witness too.',
    unit: 'none',
    width: 12,
    queries: [
      { expr: `max by (instance) (reeve_journal_head_seq{${HERE}})`, legend: 'records of {{instance}}' },
      {
        expr: `max by (instance) (reeve_seconds_since_head_told{${HERE}})`,
        legend: 'seconds since {{instance}} reported it',
      },
      { expr: `max by (instance) (reeve_journal_head_prefix{${HERE}})`, legend: 'hash bits of {{instance}}' },
    ],
  },
  {
    kind: 'table',
    title: 'Versions',
    says: 'What runs where.',
    unit: 'none',
    width: 12,
    queries: [{ expr: `max by (instance, version, node) (reeve_build_info{${HERE}})` }],
  },
];

/** What stands on the dashboard, from top to bottom. */
export const ROWS: readonly (readonly [title: string, height: number, panels: readonly PanelSpec[]])[] = [
  ['Now', 4, NOW],
  ['Trouble', 8, TROUBLE],
  ['Hands', 8, HANDS],
  ['People', 8, PEOPLE],
  ['Reeve itself', 8, ITSELF],
];

/** Every query of the dashboard, as written. */
export const queriesOf = (): readonly string[] =>
  ROWS.flatMap(([, , panels]) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)));
