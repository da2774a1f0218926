// The plainest way to the same counts: every line, every expression. Slow, and easy to believe.
import { readFileSync } from 'node:fs';
import { CHANNEL, PATTERNS } from './patterns.ts';

const channel = new RegExp(CHANNEL.replace('[[]', '\\['));
const regexes = PATTERNS.map(({ id, regex }) => ({ id, regex: new RegExp(regex) }));
const counts = new Map<string, number>();
for (const line of readFileSync(process.argv[2]!, 'latin1').split('\n')) {
  const first = regexes.find(({ regex }) => regex.test(line));
  const named = first === undefined ? undefined : channel.exec(line)?.[2];
  if (first === undefined || named === undefined) continue;
  const key = `${first.id}\t${named}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
process.stdout.write([...counts].map(([key, count]) => `${key}\t${count}\n`).join(''));
