/**
 * Two troubles that Reeve cannot end at first, and what it takes to learn them: a person's command, or a model's
 * choice.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ReeveError } from '../src/core/errors.ts';
import type { JournalFact } from '../src/core/journal.ts';
import type { Act, Prepared } from './act.ts';
import { until } from './process.ts';

const PAGE = { ending: 'page', lift: 'operator', startsAfterMax: 0, holdMs: 1_000 } as const;
const REPAIR = { ending: 'repair', holdMs: 0, lift: 'cause', startsAfterMax: 0, withinMs: 60_000 } as const;

/** What an encoder says that no shipped pattern knows: it lost its place in the source's window. */
const driftLine = (lot: number): string => `[error] reader adrift: wanted part ${lot}, oldest kept lies beyond`;
const TAUGHT = 'segment_missing';
const FORGOTTEN_RULE = 'output_stalled';
const LEARNED_RULE = 'told_output_stalled_stalled_output_restart_channel';
const READ_WITHIN_MS = 20_000;

/** The rulebook of somebody who has no rule for a channel that stands still. */
async function forgetRule({ stage, reeve }: Prepared): Promise<void> {
  await rm(join(stage.paths.conf, 'rules', `${FORGOTTEN_RULE}.rule.yaml`), { force: true });
  await readAnew('the rules', async () => {
    const { rules } = await reeve.get<{ rules: readonly { id: string }[] }>('/api/v1/rules');
    return rules.every(({ id }) => id !== FORGOTTEN_RULE);
  });
}

async function readAnew(what: string, isSo: () => Promise<boolean>): Promise<void> {
  if (await until(isSo, READ_WITHIN_MS)) return;
  throw new ReeveError('TIMED_OUT', `Reeve did not read ${what} anew within ${READ_WITHIN_MS / 1_000} s`);
}

/** The last incident about a channel. */
function incidentOf(facts: readonly JournalFact[], channel: string): string {
  const opened = facts
    .filter((fact) => fact.type === 'incident.opened')
    .findLast(({ incident: { scope } }) => scope.kind === 'channel' && scope.id === channel);
  if (opened === undefined) throw new ReeveError('TIMED_OUT', `there was no incident about ${channel}`);
  return opened.incident.id;
}

async function teach({ reeve, person }: Prepared): Promise<void> {
  const facts = reeve.entries.map(({ fact }) => fact);
  const printed = await person.types('teach', incidentOf(facts, 'gen1'), '--symptom', TAUGHT, '--yes');
  const id = /^next: reeve patterns promote (\S+)/m.exec(printed)![1]!;
  const known = reeve.entries.length;
  await person.types('patterns', 'promote', id, '--because', 'the encoder says so');
  await readAnew('the patterns', async () => {
    await reeve.catchUp();
    return reeve.entries.slice(known).some(({ fact }) => fact.type === 'config.loaded');
  });
}

async function switchModelOn({ reeve, person }: Prepared): Promise<void> {
  await reeve.configure({ planner: 'after_rules' });
  await person.types('check');
}

async function promoteRule({ person }: Prepared): Promise<void> {
  await person.types('rules', 'promote', LEARNED_RULE, '--because', 'it helped twice');
  await person.types('stats');
}

const modelAsked =
  (isAsked: boolean): NonNullable<Act['also']> =>
  ({ modelCalls }) => ({
    ok: modelCalls > 0 === isAsked,
    says: `the model was asked ${modelCalls} times${modelCalls > 0 === isAsked ? '' : isAsked ? ' instead of once' : ' instead of never'}`,
  });

export const LEARNING_ACTS: readonly Act[] = [
  {
    ...PAGE,
    id: 'unknown_words',
    title: 'gen1 stands still and its log says why in a line that no pattern matches; there is no rule for a stall',
    right: 'no restart: a person is notified, reads the lines, and restarts it',
    channels: ['gen1'],
    afterCalm: true,
    prepare: forgetRule,
    inject: ({ faults }) => faults.adrift('gen1', driftLine),
    withinMs: 90_000,
  },
  {
    ...REPAIR,
    id: 'taught_words',
    title: 'the same line from gen2, after the person named it',
    right: 'recognised by the line, one restart, verified, no page',
    channels: ['gen2'],
    prepare: teach,
    inject: ({ faults }) => faults.adrift('gen2', driftLine),
    also: ({ classifications }) => ({
      ok: classifications.includes('hls_window_slip'),
      says: `it was recognised as ${classifications.join(', ') || 'nothing'}`,
    }),
  },
  {
    ...REPAIR,
    id: 'model_chooses',
    title: 'gen3 is frozen, says nothing, and no rule answers: the model may choose now',
    right: 'the model chooses the restart, the guard allows it, it is verified',
    channels: ['gen3'],
    prepare: switchModelOn,
    inject: ({ faults }) => faults.frozen('gen3'),
    also: modelAsked(true),
  },
  {
    ...REPAIR,
    id: 'model_again',
    title: 'the same on pull1: the rule that was made of the cure is on trial and does nothing yet',
    right: 'the model chooses the restart again',
    channels: ['pull1'],
    inject: ({ faults }) => faults.frozen('pull1'),
    also: modelAsked(true),
  },
  {
    ...REPAIR,
    id: 'model_unneeded',
    title: 'the same on pull2, after a person promoted the rule',
    right: 'the rule restarts it; the model is not asked',
    channels: ['pull2'],
    prepare: promoteRule,
    inject: ({ faults }) => faults.frozen('pull2'),
    also: modelAsked(false),
  },
];
