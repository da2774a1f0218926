/** Writes the configuration of the tools that Reeve is compared with. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNEL, PATTERNS } from './patterns.ts';

/** Groups that catch nothing, for tools that number them. */
const uncaught = (regex: string): string => regex.replaceAll(/(^|[^\\[])\((?!\?)(?!\])/g, '$1(?:');
const slashed = (regex: string): string => regex.replaceAll('/', '\\/');
const MARKS = '(?:/live/|\\[channel=|"channel":")';

/** Writes every tool's configuration from the one table of patterns. */
export function writePeerConfigs(folder: string): void {
  mkdirSync(join(folder, 'mtail'), { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const all = PATTERNS.map(({ regex }) => regex).join('|');
  write('patterns.tsv', PATTERNS.map(({ id, regex }) => `${id}\t${uncaught(regex)}\n`).join(''));
  write('patterns.re', `${PATTERNS.map(({ regex }) => regex).join('\n')}\n`);
  const rules = PATTERNS.map(({ id, regex }) => mtailRule(id, regex)).join('\n');
  write('mtail/bench.mtail', `counter fails by cls, ch\n${rules}\n`);
  const secRules = PATTERNS.map(({ id, regex }) => secRule(id, regex)).join('\n');
  write('sec.conf', secRules + SEC_END);
  write('sec-prefilter.conf', `type=Suppress\nptype=NRegExp\npattern=${uncaught(all)}|^SEC_\n\n${secRules}${SEC_END}`);
  write('all.awk', awk());
}

const mtailRule = (id: string, regex: string): string =>
  `/${slashed(uncaught(regex))}/ {\n  /${slashed(MARKS)}(?P<ch>ch[0-9]+)/ {\n    fails["${id}"][$ch]++\n  }\n  stop\n}`;

const secRule = (id: string, regex: string): string =>
  `type=Single\nptype=RegExp\npattern=${uncaught(regex)}\ndesc=${id}\naction=lcall %o $0 -> ` +
  `( sub { $_[0] =~ m{${MARKS}(ch[0-9]+)} and $main::cnt{"${id}\\t$1"}++ } )\n`;

const SEC_END = `
type=Single
ptype=SubStr
pattern=SEC_SHUTDOWN
context=SEC_INTERNAL_EVENT
desc=dump
action=lcall %o -> ( sub { open(my $f, ">", $ENV{COUNTS} || "/dev/null"); print $f "$_\\t$main::cnt{$_}\\n" for keys %main::cnt; close $f } )
`;

function awk(): string {
  const rules = PATTERNS.map(({ id, regex }) => `/${slashed(regex)}/ { add("${id}"); next }`).join('\n');
  return `function add(k) { if (match($0, /${slashed(CHANNEL)}/)) { s = substr($0, RSTART, RLENGTH); sub(/^.*ch/, "ch", s); n[k "\\t" s]++ } }
${rules}
END { for (k in n) print k "\\t" n[k] }
`;
}
