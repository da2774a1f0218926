// Ten thousand rules: how long a decision takes, and a synchronisation with the folder.
// Usage: node bench/rules.ts [--rules 10000] [--asks 2000]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadRules } from '../src/config/rules.ts';
import { FAILURE_CLASSES } from '../src/core/classification.ts';
import { createReeve } from '../src/library/reeve.ts';
import { TOOL_SPECS } from '../src/remediation/catalog.ts';
import { createRulebook } from '../src/rulebook/rulebook.ts';
import { anEnvelope } from '../test/support/a.ts';
import { sayRow } from './rows.ts';

const { values } = parseArgs({
  options: { rules: { type: 'string', default: '10000' }, asks: { type: 'string', default: '2000' } },
});
const [count, asks] = [Number(values.rules), Number(values.asks)];
const WORDS = 'decoder segment manifest socket playlist token encoder buffer origin upstream quota inode codec'.split(
  ' ',
);
const wordOf = (n: number): string => `${WORDS[n % WORDS.length]}${(n * 7_919) % 5_003}`;
const lineOf = (n: number): string => [0, 1, 2, 3, 4, 5].map((k) => wordOf(n * 31 + k)).join(' ');
const ms = (from: number): number => performance.now() - from;
const quantile = (all: number[], share: number): number =>
  [...all].sort((a, b) => a - b)[Math.floor((all.length - 1) * share)] ?? 0;
/** As between two edits: the loop has gone on, what nothing holds is collected, and the code has run before. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
async function median(run: () => void): Promise<{ readonly value: number; readonly note: string }> {
  const [times, work]: [number[], number[]] = [[], []];
  await setImmediate();
  collect();
  run();
  for (let at = 0; at < 5; at += 1) {
    await setImmediate();
    const [from, before] = [performance.now(), process.cpuUsage()];
    run();
    times.push(ms(from));
    const { user, system } = process.cpuUsage(before);
    work.push((user + system) / 1_000);
  }
  return { value: quantile(times, 0.5), note: `median of 5, ${quantile(work, 0.5).toFixed(0)} ms of work` };
}

const folder = mkdtempSync(join(tmpdir(), 'reeve-bench-rules-'));
try {
  const library = await libraryFigures(join(folder, 'library'));
  const daemon = await daemonFigures(join(folder, 'daemon'));
  for (const { name, value, goal, note } of [...library, ...daemon]) {
    const figure = `${value.toFixed(2)} ms (${note})`;
    sayRow({ part: 'rules', measure: name, figure, goal: `≤ ${goal} ms`, met: value <= goal });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** One file for each rule, as the library reads them. */
async function libraryFigures(directory: string) {
  mkdirSync(join(directory, 'rules'), { recursive: true });
  const file = (n: number) => join(directory, 'rules', `r${n}.rule.yaml`);
  const text = (n: number, word: string) =>
    `name: rule_${n}\ndescription: ${lineOf(n)} ${word}\nwhen:\n  - fact: kind\n    equals: k${n % 20}\n  - fact: stderr\n    regex: '${wordOf(n * 31)} (?P<rest>\\S+)'\nthen:\n  - action: a\n    params: { rest: "{rest}" }\n`;
  for (let n = 0; n < count; n += 1) writeFileSync(file(n), text(n, 'first'));
  const reeve = createReeve({ directory });
  const times: number[] = [];
  let found = 0;
  for (let ask = 0; ask < asks; ask += 1) {
    const n = (ask * 37) % count;
    const from = performance.now();
    if (reeve.resolve({ kind: `k${n % 20}`, stderr: `error: ${lineOf(n)} at line ${ask}` })) found += 1;
    times.push(ms(from));
  }
  let version = 0;
  const changed = await median(() => {
    version += 1;
    writeFileSync(file(version), text(version, `turn${version}`));
    reeve.sync();
  });
  return [
    {
      name: `${count} rules, resolve p99`,
      value: quantile(times, 0.99),
      goal: 5,
      note: `p50 ${quantile(times, 0.5).toFixed(2)} ms, ${found} of ${asks} found`,
    },
    { name: 'sync, nothing changed', goal: 1_000, ...(await median(() => reeve.sync())) },
    { name: 'sync, one file changed', goal: 100, ...changed },
  ];
}

/** Two hundred rules to a file, as the daemon reads them. */
async function daemonFigures(directory: string) {
  mkdirSync(directory, { recursive: true });
  const rule = (n: number) =>
    `  - id: rule_${n}\n    description: ${lineOf(n)}\n    classification: ${FAILURE_CLASSES[n % FAILURE_CLASSES.length]}\n    when:\n      - { fact: evidence, regex: '${wordOf(n * 31)} (?P<rest>\\S+)' }\n      - { fact: channel_healthy, equals: false }\n    then: [{ escalate: true }]\n`;
  const PER_FILE = 200;
  const text = (at: number) =>
    `rules:\n${Array.from({ length: PER_FILE }, (_, k) => rule(at * PER_FILE + k)).join('')}`;
  for (let at = 0; at < count / PER_FILE; at += 1) writeFileSync(join(directory, `r${at}.rule.yaml`), text(at));
  const tools = [...TOOL_SPECS.values()];
  const load = () => {
    const { rules, problems } = loadRules(directory, tools);
    if (problems[0]) throw new Error(problems[0].message);
    return createRulebook(rules);
  };
  const book = load();
  const times: number[] = [];
  for (let ask = 0; ask < asks; ask += 1) {
    const n = (ask * 37) % count;
    const evidence = [{ id: 'e1', at: 0, origin: 'log', source: 's', text: `error: ${lineOf(n)}` }] as const;
    const envelope = anEnvelope({ failureClassification: FAILURE_CLASSES[n % FAILURE_CLASSES.length], evidence });
    const from = performance.now();
    book.decide(envelope, [], () => true);
    times.push(ms(from));
  }
  const unchanged = await median(load);
  let edits = 0;
  const changed = await median(() => {
    edits += 1;
    writeFileSync(join(directory, 'r1.rule.yaml'), `${text(1)}# ${edits}\n`);
    load();
  });
  return [
    {
      name: `daemon, ${count} rules, decide p99`,
      value: quantile(times, 0.99),
      goal: 5,
      note: `p50 ${quantile(times, 0.5).toFixed(2)} ms, one in 26 of the class`,
    },
    { name: 'daemon, rules read again, nothing changed', goal: 1_000, ...unchanged },
    { name: 'daemon, rules read again, one file of 200 rules changed', goal: 100, ...changed },
  ];
}
