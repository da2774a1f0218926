/** Writes the configuration of the supervisor and of the servers beside the channels. */
import type { StageChannel, StagePaths } from './channels.ts';
import { LOOPBACK } from './ports.ts';

/** What a child of the supervisor carries in its environment, so that nothing of a stage can be left behind unseen. */
export const STAGE_MARK = 'REEVE_STAGE';
export const SUPERVISOR_USER = 'stage';
export const SUPERVISOR_PASSWORD = 'stage-secret';

/** A program beside the channels. */
export interface SideProgram {
  readonly name: string;
  readonly command: string;
}

export interface SupervisorConf {
  readonly paths: StagePaths;
  readonly port: number;
  readonly mark: string;
  readonly isRoot: boolean;
  readonly channels: readonly StageChannel[];
  readonly beside: readonly SideProgram[];
}

/** Everything on the stage runs under this supervisor; its XML-RPC is on loopback with a password. */
export function supervisorConf({ paths, port, mark, isRoot, channels, beside }: SupervisorConf): string {
  const program = (name: string, lines: readonly string[]): string[] => [
    `[program:${name}]`,
    ...lines,
    `stderr_logfile=${paths.logs}/${name}.err`,
    `stdout_logfile=${paths.logs}/${name}.out`,
    'stderr_logfile_maxbytes=2MB',
    'stderr_logfile_backups=1',
    'stopasgroup=true',
    'killasgroup=true',
    '',
  ];
  return [
    '[supervisord]',
    'nodaemon=true',
    `pidfile=${paths.dir}/supervisord.pid`,
    `logfile=${paths.logs}/supervisord.log`,
    `childlogdir=${paths.logs}`,
    `environment=${STAGE_MARK}="${mark}"`,
    ...(isRoot ? ['user=root'] : []),
    '[inet_http_server]',
    `port=${LOOPBACK}:${port}`,
    `username=${SUPERVISOR_USER}`,
    `password=${SUPERVISOR_PASSWORD}`,
    '[rpcinterface:supervisor]',
    'supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface',
    '',
    ...beside.flatMap(({ name, command }) => program(name, [`command=${command}`, 'priority=10', 'stopwaitsecs=5'])),
    ...channels.flatMap(({ id, autorestart }) =>
      program(id, [
        `command=/bin/sh ${paths.scripts}/${id}.sh`,
        'priority=100',
        'autostart=false',
        `autorestart=${autorestart}`,
        'stopwaitsecs=3',
      ]),
    ),
  ].join('\n');
}

/** HLS over HTTP, on loopback. */
export const nginxConf = ({ paths, port, isRoot }: { paths: StagePaths; port: number; isRoot: boolean }): string => `
${isRoot ? 'user root;' : ''}
worker_processes 1;
daemon off;
pid ${paths.dir}/nginx.pid;
error_log ${paths.logs}/nginx-error.log info;
events { worker_connections 256; }
http {
  types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }
  access_log off;
  client_body_temp_path ${paths.dir}/nginx; proxy_temp_path ${paths.dir}/nginx; fastcgi_temp_path ${paths.dir}/nginx;
  uwsgi_temp_path ${paths.dir}/nginx; scgi_temp_path ${paths.dir}/nginx;
  server {
    listen ${LOOPBACK}:${port};
    location /hls/ { alias ${paths.hls}/; add_header Cache-Control no-cache; }
  }
}
`;

/** Groups by channel and passes everything on to one webhook. */
export const alertmanagerConf = (webhookUrl: string): string => `
route: { receiver: hook, group_by: [ '...' ], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
receivers:
  - name: hook
    webhook_configs: [ { url: "${webhookUrl}", send_resolved: true } ]
`;

/** Scrapes Reeve every two seconds. */
export const prometheusConf = (target: string): string => `
global: { scrape_interval: 2s, evaluation_interval: 2s }
scrape_configs:
  - job_name: reeve
    static_configs: [ { targets: [ "${target}" ] } ]
`;
