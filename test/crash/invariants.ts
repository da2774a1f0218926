import type { Delivered, Exported } from '../support/rig.ts';

/** Everything that shows how the second process ended: the executor's count, the receiver's book, and the journal. */
export interface Evidence {
  readonly entries: readonly Exported[];
  readonly delivered: readonly Delivered[];
  readonly invocations: readonly { readonly channel: string; readonly count: number }[];
  /** Channels whose status said UNKNOWN when the second process began. */
  readonly unknownShown: readonly string[];
  readonly whyNot: { readonly checks: readonly { readonly id: number; readonly value: string }[] };
  /** What the audit of the journal's file says. */
  readonly chain: { readonly ok: boolean; readonly because: string | undefined };
  /** Exit code of the second process after SIGTERM. */
  readonly code: number;
}

type Law = (evidence: Evidence) => readonly string[];

/** All that does not hold, as text. */
export const problemsOf = (evidence: Evidence): readonly string[] => LAWS.flatMap((law) => law(evidence));

const factsOf = ({ entries }: Evidence, type: string) =>
  entries.filter(({ fact }) => fact.type === type).map(({ fact }) => fact);

const startsOf = (evidence: Evidence) =>
  factsOf(evidence, 'tool.started').flatMap(({ permit }) =>
    permit?.call.tool === 'restart_channel' ? [{ permit: permit.id, channel: permit.call.target.id }] : [],
  );

/** The permits whose end no process wrote down. */
export const unknownOf = (evidence: Evidence): readonly { readonly permit: string; readonly channel: string }[] => {
  const finished = new Set(factsOf(evidence, 'tool.finished').map(({ permit }) => permit?.id));
  return startsOf(evidence).filter(({ permit }) => !finished.has(permit));
};

/** The executor is invoked at most once per permit, and no invocation is without a durable start before it. */
const atMostOnce: Law = (evidence) => {
  const starts = startsOf(evidence);
  const ids = starts.map(({ permit }) => permit);
  return [
    ...evidence.invocations.flatMap(({ channel, count }) => {
      const begun = starts.filter((start) => start.channel === channel).length;
      return count > begun ? [`S6: ${channel} was restarted ${count} times, with ${begun} starts written down`] : [];
    }),
    // One trouble that one restart cures: whatever happened in between, a second one is one too many.
    ...evidence.invocations.flatMap(({ channel, count }) =>
      count > 1 ? [`S6: ${channel} was restarted ${count} times`] : [],
    ),
    ...(new Set(ids).size < ids.length ? ['S6: a permit was started twice'] : []),
  ];
};

const unknownIsKept: Law = (evidence) => {
  const noted = new Set(factsOf(evidence, 'tool.unknown').map(({ permit }) => permit?.id));
  return unknownOf(evidence).flatMap(({ permit, channel }) => [
    ...(noted.has(permit) ? [] : [`S6: ${permit} began, its end is not known, and it is not UNKNOWN`]),
    ...(evidence.unknownShown.includes(channel) ? [] : [`S6: the status of ${channel} did not say UNKNOWN`]),
    ...(evidence.delivered.some(({ reason, scope }) => reason === 'outcome_unknown' && scope === `channel:${channel}`)
      ? []
      : [`S6: no page was sent about the UNKNOWN start of ${channel}`]),
  ]);
};

/** Every page reaches the receiver, and under no key does the end come before the beginning. */
const nobodyUnpaged: Law = (evidence) => {
  const raised = new Set(factsOf(evidence, 'escalation.raised').map(({ escalation }) => escalation?.key ?? ''));
  const lost = [...raised].filter(
    (key) => !evidence.delivered.some((one) => one.key === key && one.what === 'trigger'),
  );
  const keys = new Set(evidence.delivered.map(({ key }) => key));
  const early = [...keys].filter((key) => evidence.delivered.find((one) => one.key === key)?.what === 'resolve');
  const mixed = Map.groupBy(evidence.delivered, ({ id }) => id)
    .entries()
    .filter(([, same]) => new Set(same.map(({ key, what }) => `${key} ${what}`)).size > 1);
  return [
    ...lost.map((key) => `L1: ${key} was raised and never delivered`),
    ...early.map((key) => `L1: ${key} was resolved before it was raised`),
    ...mixed.map(([id]) => `L1: the message id ${id} was used for two things`),
  ];
};

/** Every run and every reservation comes to one end. */
const nothingSticks: Law = (evidence) => {
  const ended = new Set(evidence.entries.filter(({ fact }) => fact.type === 'run.ended').map(({ run }) => run));
  return evidence.entries
    .filter(({ fact, run }) => fact.type === 'run.started' && !ended.has(run))
    .map(({ run }) => `L2: ${run} never ended`);
};

/** Nothing had begun, and Reeve died once: its next process goes on instead of paging a person. */
const takenUpAgain: Law = (evidence) =>
  factsOf(evidence, 'run.ended')
    .filter(({ cut_off, steps, outcome }) => cut_off === true && steps === 0 && outcome?.kind !== 'watching')
    .map(({ outcome }) => `a run that had called nothing ended as ${outcome?.kind}`);

const CAPS = 10;
const WINDOW = 14;

/** The start counts against the window, the caps and the cooldown, whether its end is known or not. */
const startsCount: Law = (evidence) => {
  const begun = startsOf(evidence).filter(({ channel }) => channel === 'news').length;
  const shownValue = (id: number) => evidence.whyNot.checks.find((check) => check.id === id)?.value ?? '';
  const number = (id: number, pattern: RegExp) => Number(pattern.exec(shownValue(id))?.[1] ?? Number.NaN);
  const daily = number(CAPS, /(\d+) in 24 h/);
  const inWindow = number(WINDOW, /^(\d+) starts/);
  return [
    ...(daily >= begun ? [] : [`S5: ${begun} starts, and the cap counts "${shownValue(CAPS)}"`]),
    ...(inWindow >= begun ? [] : [`S2: ${begun} starts, and the window counts "${shownValue(WINDOW)}"`]),
  ];
};

const auditHolds: Law = ({ chain: { ok, because } }) => (ok ? [] : [`S14: ${because}`]);

const endsWell: Law = ({ code }) => (code === 0 ? [] : [`the second process ended with ${code}`]);

const LAWS: readonly Law[] = [
  atMostOnce,
  unknownIsKept,
  nobodyUnpaged,
  nothingSticks,
  takenUpAgain,
  startsCount,
  auditHolds,
  endsWell,
];
