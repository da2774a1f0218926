/** Describes the channels of the demo: real ffmpeg processes under the supervisor that write HLS. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One real channel: an ffmpeg under the supervisor that writes HLS. */
export interface StageChannel {
  readonly id: string;
  readonly kind: 'generated' | 'pulled';
  /** Whether the supervisor itself starts it again when it ends. */
  readonly autorestart: boolean;
  /** What ffmpeg reads, as its arguments. */
  readonly input: readonly string[];
  /** Where it pulls from. */
  readonly sourceUrl: string | undefined;
}

/** How a channel is encoded. A fault changes it as a bad deploy would. */
export interface ChannelSettings {
  readonly preset: string;
  readonly size: string;
  readonly ratePerS: number;
  /** A shell line that runs before the shell becomes ffmpeg; `$$` will be ffmpeg's pid. */
  readonly before: string | undefined;
}

export const GOOD_SETTINGS: ChannelSettings = { preset: 'ultrafast', size: '160x90', ratePerS: 5, before: undefined };

export const SEGMENT_S = 2;
/** What a generated channel shows. */
export const PICTURE = ['-re', '-f', 'lavfi', '-i', 'testsrc=s=160x90:r=5', '-re', '-f', 'lavfi', '-i', 'sine=440'];
/** ffmpeg's own defaults: it waits for ever and never comes back. */
const PATIENT = ['-fflags', '+genpts'];
/** The usual hardening: time-outs, and reconnecting with back-off. */
const HARDENED = [
  ...['-rw_timeout', '4000000', '-reconnect', '1', '-reconnect_streamed', '1'],
  ...['-reconnect_on_network_error', '1', '-reconnect_delay_max', '4'],
];

export const generatedChannel = (id: string, autorestart: boolean): StageChannel => ({
  id,
  kind: 'generated',
  autorestart,
  input: PICTURE,
  sourceUrl: undefined,
});

export const pulledChannel = (id: string, sourceUrl: string, hardened: boolean): StageChannel => ({
  id,
  kind: 'pulled',
  autorestart: false,
  input: [...(hardened ? HARDENED : PATIENT), '-i', sourceUrl],
  sourceUrl,
});

/** Folders and files of a stage. */
export interface StagePaths {
  readonly dir: string;
  readonly hls: string;
  readonly logs: string;
  readonly scripts: string;
  readonly conf: string;
}

export const pathsIn = (dir: string): StagePaths => ({
  dir,
  hls: join(dir, 'hls'),
  logs: join(dir, 'log'),
  scripts: join(dir, 'channels'),
  conf: join(dir, 'conf'),
});

export const playlistOf = (paths: StagePaths, channel: string): string => join(paths.hls, channel, 'index.m3u8');
export const scriptOf = (paths: StagePaths, channel: string): string => join(paths.scripts, `${channel}.sh`);

/** Writes the script that the supervisor runs: it becomes ffmpeg, so the supervisor's pid is ffmpeg's own. */
export async function writeScript(
  paths: StagePaths,
  channel: StageChannel,
  { ffmpeg, settings }: { ffmpeg: string; settings: ChannelSettings },
): Promise<void> {
  const out = join(paths.hls, channel.id);
  await mkdir(out, { recursive: true });
  const args = [
    ...['-nostdin', '-hide_banner', '-stats_period', '2', ...channel.input],
    ...encodingOf(settings),
    ...['-f', 'hls', '-hls_time', String(SEGMENT_S), '-hls_list_size', '5'],
    ...['-hls_flags', 'delete_segments', '-hls_segment_filename', join(out, 'seg%05d.ts'), join(out, 'index.m3u8')],
  ];
  const line = [ffmpeg, ...args].map(quote).join(' ');
  const script = scriptOf(paths, channel.id);
  await writeFile(
    script,
    ['#!/bin/sh', settings.before, `exec ${line}`, ''].filter((part) => part !== undefined).join('\n'),
  );
  await chmod(script, 0o755);
}

/** The arguments of ffmpeg that say how it encodes. */
export const encodingOf = ({ preset, size, ratePerS }: ChannelSettings): readonly string[] => [
  ...['-c:v', 'libx264', '-preset', preset, '-s', size, '-r', String(ratePerS), '-g', String(ratePerS * SEGMENT_S)],
  ...['-threads', '1', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '32k'],
];

/** One argument for a POSIX shell, whatever is in it. */
export const quote = (arg: string): string => `'${arg.replaceAll("'", "'\\''")}'`;
