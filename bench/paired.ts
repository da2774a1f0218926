// Two daemons under the same load in turn, A B B A …, and the ratio of each pair: what one of them costs more than the
// other, whatever the machine does meanwhile.
//   node bench/paired.ts --a='--checkout' --b='--checkout --memory' [--rounds 5] [--part daemon|living]
//   [-- what both are given]
// Another commit: `git worktree add /tmp/before HEAD~1`, npm ci there, and --a='--home /tmp/before'. With
// `--part backtest` each home plays its own bench/backtest.ts, and its rates are compared: more is quicker.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { quantile } from './rows.ts';

const { values, positionals } = parseArgs({
  options: {
    a: { type: 'string', default: '' },
    b: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    part: { type: 'string', default: 'daemon' },
  },
  allowPositionals: true,
});

type Figures = Readonly<Record<string, number>>;

function measured(own: string): Figures {
  const ownArgs = own.split(' ').filter((option) => option !== '');
  if (values.part === 'backtest') return backtested(ownArgs);
  const args = [join(import.meta.dirname, `${values.part}.ts`), '--json', ...positionals, ...ownArgs];
  const out = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(out.trimEnd().split('\n').at(-1)!) as Figures;
}

/** What that checkout's own bench prints as a table: `| part | measure | figure | …`. */
function backtested(ownArgs: readonly string[]): Figures {
  const at = ownArgs.indexOf('--home');
  const home = at < 0 ? join(import.meta.dirname, '..') : ownArgs[at + 1]!;
  const args = [join(home, 'bench/backtest.ts'), ...positionals];
  const out = execFileSync(process.execPath, args, {
    cwd: home,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const rows = out.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return Object.fromEntries(
    rows.filter((cells) => cells[1] === 'backtest').map(([, , name = '', figure = '']) => [name, numberOf(figure)]),
  );
}

const numberOf = (figure: string): number => Number(figure.replaceAll(',', ''));

const pairs: { a: Figures; b: Figures }[] = [];
for (let round = 1; round <= Number(values.rounds); round += 1) {
  // Each comes first as often as the other: the one after it may find a warmer or a slower machine.
  const first = round % 2 === 1 ? { a: measured(values.a) } : { b: measured(values.b) };
  const pair = { a: first.a ?? measured(values.a), b: first.b ?? measured(values.b) };
  pairs.push(pair);
  console.log(`${round}: ${JSON.stringify(pair)}`);
}
const median = (of: (pair: { a: Figures; b: Figures }) => number): number =>
  quantile(
    pairs.map(of).toSorted((one, other) => one - other),
    0.5,
  );
console.log(`A: ${values.a || 'as it is'}; B: ${values.b || 'as it is'}; ${pairs.length} pairs; medians`);
for (const name of Object.keys(pairs[0]?.a ?? {})) {
  const [a, b, ratio] = [
    median((pair) => pair.a[name]!),
    median((pair) => pair.b[name]!),
    median((pair) => pair.b[name]! / pair.a[name]!),
  ];
  console.log(`${name}: A ${a.toFixed(2)}, B ${b.toFixed(2)}, B : A ${ratio.toFixed(3)}`);
}
