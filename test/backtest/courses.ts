// Backtests made by hand: what was decided in one or two courses of a recording.
import type { DecisionLine, IncidentStory } from '../../src/backtest/decisions.ts';
import type { Backtest, Course } from '../../src/backtest/run.ts';
import { at } from './support.ts';

export const aStory = (with_: Partial<IncidentStory> = {}): IncidentStory => ({
  ...{ id: 'inc-1', scope: 'channel:news', classification: 'process_crashed', classifications: ['process_crashed'] },
  ...{ channels: [], openedAt: at(0), closedAt: at(60), ending: 'self_healed', symptoms: [], decisions: [] },
  ...with_,
});

export const aLine = (seconds: number, step: string, with_: Partial<DecisionLine> = {}): DecisionLine => ({
  ...{ at: at(seconds), kind: 'plan', step, because: '', no: false, ...with_ },
});

export const aCourse = (with_: Partial<Course> = {}): Course => ({
  ...{ policy: 'as configured', sha256: 'abc', incidents: [], wouldAct: [], refusedByCode: [], pages: [] },
  ...{ containments: [], storms: 0, startsSeen: 0, viewerSeconds: undefined },
  ...with_,
});

/** Of ten minutes. */
export const aBacktest = (base: Partial<Course> = {}, with_: Partial<Backtest> = {}): Backtest => ({
  ...{ from: at(0), to: at(600), channels: ['news'], phase: 4, samples: 7, sources: [], undated: [], failures: [] },
  ...{ base: aCourse(base), against: undefined, diff: undefined },
  ...with_,
});
