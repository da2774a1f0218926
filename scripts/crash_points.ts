/** Ends a process at every point of a journal write, and checks what is there afterwards. */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/core/clock.ts';
import { CALLS, countPoints, FAULTS, impossible, nameOf, type Point, type Trial } from '../test/crash/point.ts';
import { pointsOf, sampleOf, tallyOf, tryAll } from '../test/crash/points.ts';
import { leftOf, TrialRecord } from '../test/crash/record.ts';

const { values } = parseArgs({
  options: {
    each: { type: 'string', default: 'all' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '4' },
    only: { type: 'string', multiple: true, default: [] },
    resume: { type: 'boolean', default: false },
    record: { type: 'string', default: join(resolve(import.meta.dirname, '..'), 'reports/crash-points.jsonl') },
    out: { type: 'string', default: join(resolve(import.meta.dirname, '..'), 'docs/crash-points.md') },
    help: { type: 'boolean', default: false },
  },
});

const USAGE = `npm run crash-points -- [--each N] [--seed S] [--workers W] [--only POINT]… [--resume]
       [--record FILE] [--out FILE]
Kills and fails the real daemon at every fsync and pwrite of a golden scenario, starts it again, and holds what came
of it to the laws. --each N tries N points of each kind only, --only "KILL at fsync 12" only that one. Each trial is
written to the record as it ends (reports/crash-points.jsonl); --resume goes on with that record: what survived there
is not tried again, and the table is about all of it. Writes the table to docs/crash-points.md.
`;

const row = (name: string, trials: readonly Trial[]): string => {
  const { tried, survived, unknown, doubleInvocations, lostEscalations } = tallyOf(trials);
  return `| ${name} | ${tried} | ${survived} | ${unknown} | ${doubleInvocations} | ${lostEscalations} |`;
};

const FAULT_TEXT = {
  KILL: 'the process is killed before the call',
  EIO: 'the call fails with EIO',
  ENOSPC: 'the call fails with ENOSPC',
} as const;

function report(trials: readonly Trial[], { there, tookMs }: { there: number; tookMs: number | undefined }): string {
  const kinds = FAULTS.flatMap((fault) => CALLS.map((call) => ({ fault, call })));
  const failed = trials.filter(({ problems }) => problems.length > 0);
  const { tried } = tallyOf(trials);
  return `# Crash points

The real daemon plays a golden scenario: a channel dies and is restarted, verified and closed; another dies, is paged,
and its page is resolved. strace makes one system call of it the last one, or makes it fail. Then Reeve is started
again without a fault, finishes, and three books that it cannot agree on beforehand are compared: how often the
engine's restart program was really started, what the receiver of pages was really sent, and the journal.

Held to: at most one restart per permit over both processes of Reeve, and one in all (S6); a start whose end was not written down is
UNKNOWN in status, journal and page, and is not repeated (S6); it counts in the window and the caps (S2, S5); every
page that was raised arrives, and no resolve before its trigger (L1); every run has an end (L2); what was cut off before
its first call is taken up again, and not left to a person; the chain holds (S14).

${tried} of the ${there} points there are, on ${cpus().length} cores${tookMs === undefined ? '' : ` in ${Math.round(tookMs / 60_000)} minutes`}.
Made by \`npm run crash-points\` with Node ${process.versions.node}.

| fault | points | survived | starts left UNKNOWN | double invocations | lost escalations |
|---|---|---|---|---|---|
${kinds
  .map(({ fault, call }) =>
    row(
      `${FAULT_TEXT[fault]} (${call})`,
      trials.filter(({ point }) => point.fault === fault && point.call === call),
    ),
  )
  .join('\n')}
${row('**all**', trials)}
${failed.map(failure).join('')}
`;
}

const failure = ({ point, problems }: Trial): string =>
  `\n- ${nameOf(point)}: ${problems.map((text) => text.split('\n')[0]).join('; ')}`;

/** What is asked for by name is tried, whatever came of it before. */
function chosen(every: readonly Point[], earlier: readonly Trial[]): readonly Point[] {
  if (values.only.length > 0) return every.filter((point) => values.only.includes(nameOf(point)));
  const some = values.each === 'all' ? every : sampleOf(every, Number(values.each), Number(values.seed));
  return leftOf(some, earlier);
}

const obstacle = impossible();
if (values.help) process.stdout.write(USAGE);
else if (obstacle !== undefined) {
  process.stderr.write(`crash points: ${obstacle}\n`);
  process.exitCode = 69;
} else {
  const record = new TrialRecord(values.record);
  const earlier = values.resume ? record.read() : undefined;
  const beganMs = systemClock.monotonicMs();
  const counts = earlier?.counts ?? (await countPoints());
  if (earlier === undefined) record.begin(counts);
  const every = pointsOf(counts);
  const points = chosen(every, earlier?.trials ?? []);
  process.stderr.write(`${points.length} points to try (fsync ${counts.fsync}, pwrite64 ${counts.pwrite64})\n`);
  let done = 0;
  await tryAll(points, {
    workers: Number(values.workers),
    onTrial: (trial) => {
      done += 1;
      record.add(trial);
      const { point, hit, problems } = trial;
      const end = !hit ? 'not reached' : problems.length === 0 ? 'survived' : problems.join('\n  ');
      process.stderr.write(`${done}/${points.length} ${nameOf(point)}: ${end}\n`);
    },
  });
  const trials = record.read()?.trials ?? [];
  const tookMs = earlier === undefined ? systemClock.monotonicMs() - beganMs : undefined;
  const text = report(trials, { there: every.length, tookMs });
  writeFileSync(values.out, text);
  process.stdout.write(text);
  process.exitCode = trials.some(({ problems }) => problems.length > 0) ? 1 : 0;
}
