// Scores the shipped catalogue on a labelled corpus, as a whole and with each software's own patterns left out.
//   node scripts/eval.ts [CORPUS.jsonl] [--mistakes] [--json]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyExcerpt } from '../src/classifier/excerpt.ts';
import { readCatalogue } from './corpus.ts';
import { type Answer, type Item, readCorpus, type Scores, scoreOf } from './score.ts';

const words = process.argv.slice(2);
const flags = new Set(words.filter((word) => word.startsWith('--')));
const path = words.find((word) => !word.startsWith('--')) ?? join(import.meta.dirname, '../test/corpus/failures.jsonl');
const items = readCorpus(readFileSync(path, 'utf8'));

const answersOf = (some: readonly Item[], accept?: (software: string) => boolean): readonly Answer[] => {
  const catalogue = readCatalogue(accept);
  return some.map(({ id, lines }) => ({ id, ...classifyExcerpt(lines, catalogue) }));
};

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

const whole = answersOf(items);
const held = [...new Set(items.map(({ software }) => software))].flatMap((software) => {
  const out = items.filter((item) => item.software === software);
  const left = filesOf(software);
  return answersOf(out, (name) => !left.has(name));
});
const scores = { whole: scoreOf(items, whole), left_one_software_out: scoreOf(items, held) };

if (flags.has('--json')) process.stdout.write(`${JSON.stringify(scores, null, 1)}\n`);
else process.stdout.write(tableOf(scores));
if (flags.has('--mistakes')) process.stdout.write(mistakesOf(flags.has('--held') ? held : whole));

function tableOf(rows: Readonly<Record<string, Scores>>): string {
  const names = Object.keys(Object.values(rows)[0]!) as (keyof Scores)[];
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
