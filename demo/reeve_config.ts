/** Writes the configuration of the Reeve that a stage runs. */
import { join } from 'node:path';
import type { StageChannel, StagePaths } from './channels.ts';
import { SUPERVISOR_PASSWORD, SUPERVISOR_USER } from './conf.ts';

/** What a test or the demo may want otherwise than usual. */
export interface ReeveConfigOptions {
  /** Rollout phase; 4, the full loop, when left out. */
  readonly phase?: number;
  readonly persona?: string;
  /** How long an upstream trouble may last before a person is notified. */
  readonly upstreamAfter?: string;
  /** When the model that stands beside the stage may choose; never when left out. */
  readonly planner?: 'off' | 'after_rules';
  /** Generated channels whose output is not looked at: their logs and the supervisor are all there is to know. */
  readonly unwatched?: readonly string[];
  /** More lines, as they stand, at the end of the document. */
  readonly more?: string;
}

export interface StageNames {
  readonly paths: StagePaths;
  readonly channels: readonly StageChannel[];
  readonly supervisorUrl: string;
  readonly hlsUrl: string;
  readonly reevePort: number;
  readonly metricsPort: number;
  readonly webhookUrl: string;
  readonly webhookSecretFile: string;
  readonly alertmanagerUrl: string | undefined;
  readonly modelUrl: string;
}

/** The configuration of Reeve for a stage: nothing in it that an operator would not write. */
export function reeveConfig(names: StageNames, options: ReeveConfigOptions = {}): string {
  const { paths, channels, hlsUrl } = names;
  const { phase = 4, persona = 'system_admin', upstreamAfter = '20s', planner = 'off', more = '' } = options;
  const { unwatched = [] } = options;
  const output = `{ hls: "${hlsUrl}/{id}/index.m3u8", every: 2s, stall_after: 6s }`;
  const generated = channels.filter(({ kind }) => kind === 'generated').map(({ id }) => id);
  const pulled = channels.filter(({ kind }) => kind === 'pulled');
  const lines = [
    'version: 1',
    `state: ${join(paths.dir, 'state')}`,
    `http: { listen: 127.0.0.1:${names.reevePort}, metrics_listen: 127.0.0.1:${names.metricsPort} }`,
    `phase: ${phase}`,
    `persona: ${persona}`,
    'engines:',
    '  - id: local',
    '    kind: supervisor',
    `    url: ${names.supervisorUrl}`,
    `    username: ${SUPERVISOR_USER}`,
    `    password: ${SUPERVISOR_PASSWORD}`,
    '    poll: 1s',
    `    logs: [ { path: ${join(paths.logs, 'supervisord.log')} } ]`,
    `    host: { disks: [ ${paths.hls} ], every: 5s }`,
    'channels:',
    ...encoderLines(
      paths,
      generated.filter((id) => !unwatched.includes(id)),
    ),
    `    output: ${output}`,
    ...(unwatched.length === 0 ? [] : encoderLines(paths, unwatched)),
    ...pulled.flatMap(({ id, sourceUrl }) => [
      `  - id: ${id}`,
      '    engine: local',
      '    group: pull',
      `    logs: [ "${paths.logs}/{id}.err" ]`,
      `    output: ${output}`,
      `    source: { url: "${sourceUrl}", every: 5s, expect: mpegts }`,
    ]),
    'receivers:',
    `  - { id: hook, kind: webhook, url: "${names.webhookUrl}", secret_file: ${names.webhookSecretFile} }`,
    ...(names.alertmanagerUrl ? [`  - { id: oncall, kind: alertmanager, url: "${names.alertmanagerUrl}" }`] : []),
    `models: { servers: [{ id: demo, kind: ollama, url: "${names.modelUrl}" }], primary: demo/scripted }`,
    `planner: { mode: ${planner} }`,
    `rules: ${join(paths.conf, 'rules')}`,
    `escalation: { repeat_every: 4h, upstream_after: ${upstreamAfter} }`,
    more,
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Channels that make their own picture, without their output. */
const encoderLines = (paths: StagePaths, ids: readonly string[]): readonly string[] => [
  `  - ids: [ ${ids.join(', ')} ]`,
  '    engine: local',
  '    group: encoders',
  `    logs: [ "${paths.logs}/{id}.err" ]`,
];
