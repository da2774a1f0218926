// Scores the shipped catalogue on a labelled corpus, as a whole and with each software's own patterns left out.
//   node scripts/eval.ts [CORPUS.jsonl] [--mistakes] [--json]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyExcerpt } from '../src/classifier/excerpt.ts';
import { COURSES, daemonScoresOf, readByDaemon } from './daemon_path.ts';
import { readCatalogue } from './corpus.ts';
import { type Answer, type Item, readCorpus, scoreOf } from './score.ts';
import { usageOf } from './options.ts';
import type { Catalogue } from '../src/detect/patterns/catalogue.ts';

const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith('--')));
if (flags.has('--help')) {
  process.stdout.write(usageOf(import.meta.filename));
  process.exit(0);
}
const path = args.find((arg) => !arg.startsWith('--')) ?? join(import.meta.dirname, '../test/corpus/failures.jsonl');
const items = readCorpus(readFileSync(path, 'utf8'));

const catalogue = readCatalogue();

const answersOf = (some: readonly Item[], by: Catalogue): readonly Answer[] =>
  some.map(({ id, lines }) => ({ id, ...classifyExcerpt(lines, by) }));

/** The pattern file that speaks for a software, where it is not called like it. */
const FILE_OF: Readonly<Record<string, readonly string[]>> = {
  databases: ['postgresql', 'pgbouncer', 'redis', 'mysql', 'mariadb', 'sqlite', 'boto3-fetcher', 'aws-cli'],
  players: [
    'yt-dlp',
    'streamlink',
    'vlc',
    'mpv',
    'gstreamer',
    'obs-studio',
    'hls-js-player',
    'janus',
    'node-media-server',
  ],
  transport: ['shaka-packager'],
  tuners: ['tvheadend'],
  playout: ['ffplayout', 'shaka-packager', 'ntp', 'youtube-ingest', 'twitch-ingest', 'tvheadend', 'channel-manager'],
  proxies: ['caddy', 'squid', 'haproxy', 'varnish', 'traefik', 'envoy', 'cdn-edge'],
  runtimes: [
    'python-service',
    'go-service',
    'node-service',
    'boto3-fetcher',
    'aws-cli',
    'shell-wrapper',
    'gunicorn',
    'uvicorn',
  ],
  jellyfin: ['emby'],
};
const nameOf = (software: string): string => software.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
/** Every file that speaks of the software: its own, and those that it shares. */
const filesOf = (software: string): ReadonlySet<string> => {
  const name = nameOf(software);
  return new Set([name, ...Object.keys(FILE_OF).filter((file) => FILE_OF[file]!.includes(name))]);
};

const whole = answersOf(items, catalogue);
const held = [...new Set(items.map(({ software }) => software))].flatMap((software) => {
  const out = items.filter((item) => item.software === software);
  const left = filesOf(software);
  return answersOf(
    out,
    readCatalogue((name) => !left.has(name)),
  );
});
const scores = { whole: scoreOf(items, whole), left_one_software_out: scoreOf(items, held) };

/** The same excerpts by the daemon's own path: detector, facts, classification. */
const daemonBy = (asWhole: boolean) =>
  Object.fromEntries(
    COURSES.map((course) => {
      const readings = readByDaemon(items, catalogue, course, asWhole);
      return [course, daemonScoresOf(items, readings, course)] as const;
    }),
  );
const daemon = { line_by_line: daemonBy(false), with_a_reading: daemonBy(true) };

if (flags.has('--json')) process.stdout.write(`${JSON.stringify({ ...scores, daemon }, null, 1)}\n`);
else {
  process.stdout.write(tableOf(scores));
  process.stdout.write('\nwhat the daemon calls a channel whose log they are, line by line\n');
  process.stdout.write(tableOf(daemon.line_by_line));
  process.stdout.write('\nand with the last lines read as a whole when it is in trouble\n');
  process.stdout.write(tableOf(daemon.with_a_reading));
}
if (flags.has('--mistakes')) process.stdout.write(mistakesOf(flags.has('--held') ? held : whole));

function tableOf<T extends object>(rows: Readonly<Record<string, T>>): string {
  const names = Object.keys(Object.values(rows)[0]!) as (keyof T & string)[];
  const head = `${'figure'.padEnd(24)}${Object.keys(rows)
    .map((name) => name.padStart(24))
    .join('')}\n`;
  return (
    head +
    names
      .map(
        (name) =>
          `${name.padEnd(24)}${Object.values(rows)
            .map((row) => String(row[name]).padStart(24))
            .join('')}\n`,
      )
      .join('')
  );
}

function mistakesOf(answers: readonly Answer[]): string {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return items
    .flatMap((item) => {
      const { symptom, pattern, remedy } = byId.get(item.id)!;
      const right = symptom === item.label || item.also_accept?.includes(symptom);
      const badRestart = remedy === 'restart_channel' && item.remedy !== 'restart_channel';
      if (right && !badRestart) return [];
      const lines = item.lines.map((line) => `    ${line.slice(0, 200)}\n`).join('');
      return [
        `${item.id} ${item.software}: ${item.label}/${item.remedy} -> ${symptom}/${remedy} (${pattern})\n${lines}`,
      ];
    })
    .join('');
}
