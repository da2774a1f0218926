/** Plans the servers that run beside the channels: web server, Alertmanager, Prometheus. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagePaths } from './channels.ts';
import { alertmanagerConf, nginxConf, prometheusConf, type SideProgram } from './conf.ts';
import { LOOPBACK } from './ports.ts';
import { findProgram } from './process.ts';
import { serveFolder } from './static.ts';

/** The servers beside the channels: what is to run under the supervisor, and what could not be had. */
export interface SideServers {
  readonly programs: readonly SideProgram[];
  /** What is not installed, and what that means. */
  readonly missing: readonly string[];
  readonly alertmanagerUrl: string | undefined;
  readonly prometheusUrl: string | undefined;
}

export interface SideServersPlan {
  readonly paths: StagePaths;
  readonly isRoot: boolean;
  readonly hlsPort: number;
  /** Undefined: not wanted. */
  readonly alertmanager: { readonly port: number; readonly webhookUrl: string } | undefined;
  readonly prometheus: { readonly port: number; readonly target: string } | undefined;
}

/** Writes their configuration. A small server of our own stands in for a missing nginx. */
export async function planSideServers(plan: SideServersPlan, building: AsyncDisposableStack): Promise<SideServers> {
  const { paths } = plan;
  const programs: SideProgram[] = [];
  const missing: string[] = [];
  const add = async (name: string, path: string | undefined, without: string): Promise<string | undefined> => {
    if (!path) missing.push(`${name} is not installed: ${without}`);
    else await mkdir(join(paths.dir, name), { mode: 0o755 });
    return path;
  };

  const nginx = await add('nginx', findProgram('nginx'), 'a small server of our own serves the segments');
  if (nginx) {
    const conf = join(paths.conf, 'nginx.conf');
    await writeFile(conf, nginxConf({ paths, port: plan.hlsPort, isRoot: plan.isRoot }));
    programs.push({ name: 'nginx', command: `${nginx} -e ${paths.logs}/nginx-error.log -p ${paths.dir} -c ${conf}` });
  } else building.use(await serveFolder(paths.hls, plan.hlsPort));

  const alertmanagerUrl = await planAlertmanager(plan, programs, add);
  const prometheusUrl = await planPrometheus(plan, programs, add);
  return { programs, missing, alertmanagerUrl, prometheusUrl };
}

type Add = (name: string, path: string | undefined, without: string) => Promise<string | undefined>;

async function planAlertmanager({ paths, alertmanager }: SideServersPlan, programs: SideProgram[], add: Add) {
  if (!alertmanager) return undefined;
  const path = findProgram('prometheus-alertmanager') ?? findProgram('alertmanager');
  if (!(await add('alertmanager', path, 'pages go to the webhook only'))) return undefined;
  const conf = join(paths.conf, 'alertmanager.yml');
  await writeFile(conf, alertmanagerConf(alertmanager.webhookUrl));
  const url = `http://${LOOPBACK}:${alertmanager.port}`;
  const args = [
    `--config.file=${conf}`,
    `--storage.path=${paths.dir}/alertmanager`,
    `--web.listen-address=${LOOPBACK}:${alertmanager.port}`,
    `--web.external-url=${url}`,
    '--cluster.listen-address=',
  ];
  programs.push({ name: 'alertmanager', command: [path, ...args].join(' ') });
  return url;
}

async function planPrometheus({ paths, prometheus }: SideServersPlan, programs: SideProgram[], add: Add) {
  if (!prometheus) return undefined;
  const path = findProgram('prometheus');
  if (!(await add('prometheus', path, 'nothing scrapes the metrics'))) return undefined;
  const conf = join(paths.conf, 'prometheus.yml');
  await writeFile(conf, prometheusConf(prometheus.target));
  const url = `http://${LOOPBACK}:${prometheus.port}`;
  const args = [
    `--config.file=${conf}`,
    `--storage.tsdb.path=${paths.dir}/prometheus`,
    '--storage.tsdb.retention.time=2h',
    `--web.listen-address=${LOOPBACK}:${prometheus.port}`,
    `--web.external-url=${url}`,
  ];
  programs.push({ name: 'prometheus', command: [path, ...args].join(' ') });
  return url;
}
