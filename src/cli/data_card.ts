/** The card beside a dataset: what is in it, where it comes from, what it is good for and what not. */

export interface DatasetShown {
  readonly rows: readonly (object & {
    readonly kind: string;
    readonly role: string;
    readonly split: string;
    readonly at: number;
  })[];
  readonly replay: {
    readonly same: number;
    readonly notReplayable: number;
    readonly different: readonly { readonly id: string; readonly step: number; readonly because: string }[];
  };
  readonly redactions: number;
  readonly throughSeq: number;
}

const day = (at: number | undefined): string => (at === undefined ? '–' : new Date(at).toISOString());

export function dataCard({ rows, replay, redactions, throughSeq }: DatasetShown): string {
  const cells = Map.groupBy(rows, ({ role, split }) => `${role} | ${split}`);
  const table = [...cells]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, each]) => `| ${name} | ${each.length} | ${day(each[0]?.at)} | ${day(each.at(-1)?.at)} |`);
  return [
    '# Data card',
    '',
    `${rows.length} rows from a journal of Reeve, up to its entry ${throughSeq}.`,
    '',
    '| role | split | rows | from | to |',
    '|---|---|---|---|---|',
    ...table,
    '',
    '**Rows.** `chain` (role planner): envelope, choices, plan, the guard with all its questions, action, verified',
    'outcome, for each step of one closed incident. `dialogue` (role synthesizer): question, search words, ids that',
    'were recalled, answer with its citations. `insight` (role crystallizer): an active insight with its strength.',
    '',
    '**Splits** are by time: the oldest 80 % train, the next 10 % validation, the newest 10 % test. Nothing that a',
    'model is tested on happened before something that it was trained on.',
    '',
    `**Redaction.** Secrets are cut where text comes in; on the way out ${redactions} more texts were changed.`,
    'Names of channels, hosts and people who asked are kept: share it only with those who may read the journal.',
    '',
    `**Replay.** ${replay.same} decisions of rules come out as the rows say, ${replay.different.length} differ, and`,
    `${replay.notReplayable} were made by a model, a person or a rule that is not in force any more. Guard decisions`,
    'are checked against their own questions.',
    '',
    '**Not good for:** judging the guard (its counters are not in the rows), and troubles that never ended: only',
    'closed incidents with at least one plan are complete chains.',
    '',
  ].join('\n');
}
