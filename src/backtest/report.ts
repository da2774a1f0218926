/** The report of a backtest as JSON. */
import type { EpochMs } from '../core/clock.ts';
import { type Json, toWire } from '../core/wire.ts';
import type { DecisionLine, IncidentStory } from './decisions.ts';
import type { Backtest, Course } from './run.ts';

/** A moment as people and programs read it. */
export const timeText = (at: EpochMs): string => new Date(at).toISOString();

const maybeTime = (at: EpochMs | undefined): string | null => (at === undefined ? null : timeText(at));

/** The whole report as JSON on the wire. */
export function reportOf(result: Backtest): Json {
  const { from, to, base, against, diff, phase, channels, sources, undated, failures, samples } = result;
  return toWire({
    decisionsSha256: base.sha256,
    from: timeText(from),
    to: timeText(to),
    phase,
    channels,
    sources,
    undated,
    samples,
    ...courseWire(base),
    diff:
      diff === undefined || against === undefined
        ? null
        : {
            against: { decisionsSha256: against.sha256, ...courseWire(against) },
            same: diff.same,
            other: diff.other,
            onlyBase: diff.onlyBase,
            onlyAgainst: diff.onlyAgainst,
            incidents: diff.incidents.map((one) => ({ ...one, openedAt: timeText(one.openedAt) })),
          },
    failures,
  });
}

function courseWire(course: Course) {
  const { policy, incidents, wouldAct, refusedByCode, pages, containments, storms, startsSeen, viewerSeconds } = course;
  return {
    policy,
    incidents: incidents.map(incidentWire),
    wouldAct: wouldAct.map((one) => ({ ...one, at: timeText(one.at), helped: one.helped ?? null })),
    refusedByCode: Object.fromEntries(refusedByCode.map(({ code, count }) => [code, count])),
    storms,
    startsSeen,
    pages: pages.map((one) => ({ ...one, at: timeText(one.at) })),
    containments: containments.map((one) => ({ ...one, from: timeText(one.from), to: maybeTime(one.to) })),
    viewerSeconds: viewerSeconds ?? null,
  };
}

const incidentWire = (story: IncidentStory) => ({
  ...story,
  openedAt: timeText(story.openedAt),
  closedAt: maybeTime(story.closedAt),
  decisions: story.decisions.map((line: DecisionLine) => ({ ...line, at: timeText(line.at) })),
});
