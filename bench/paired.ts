// Two daemons under the same load in turn, A B A B …, and the ratio of each pair: what one of them costs more than the
// other, whatever the machine does meanwhile.
//   node bench/paired.ts --a='--checkout' --b='--checkout --memory' [--rounds 5] [--part daemon|living]
//   [-- what both are given]
// Another commit: `git worktree add /tmp/before HEAD~1`, npm ci there, and --a='--home /tmp/before'.
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
  const args = [join(import.meta.dirname, `${values.part}.ts`), '--json', ...positionals, ...ownArgs];
  const out = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(out.trimEnd().split('\n').at(-1)!) as Figures;
}

const pairs: { a: Figures; b: Figures }[] = [];
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const pair = { a: measured(values.a), b: measured(values.b) };
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
