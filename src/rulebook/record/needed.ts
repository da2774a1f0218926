/** How often a model was needed, week by week, and what it cost: a fold over the journal. */
import { DAY_MS } from '../../core/duration.ts';
import type { JournalEntry, Projection } from '../../core/journal.ts';

interface Week {
  /** Whole weeks since the Unix epoch; the first begins on a Thursday. */
  readonly week: number;
  /** Incidents that closed and that a plan was made for. */
  readonly incidents: number;
  /** Of these: in which a model was asked for a plan or a pattern, or that were explored before they closed. */
  readonly asked: number;
}

export interface Needed {
  /** Oldest first, at most 104. */
  readonly weeks: readonly Week[];
  /** Open incidents that a plan was made for, and whether a model was asked; bounded. */
  readonly open: readonly { readonly incident: string; readonly asked: boolean }[];
  /** Calls of models to explore. */
  readonly explorationCalls: number;
  /** Millionths of the configured currency, of all calls of models. */
  readonly costMicros: number;
}

const WEEK_MS = 7 * DAY_MS;
const WEEKS_MAX = 104;
const OPEN_MAX = 500;

/** To be registered with the ledger. */
export const neededProjection: Projection<Needed> = {
  name: 'model_needed',
  initial: { weeks: [], open: [], explorationCalls: 0, costMicros: 0 },
  apply: fold,
};

/** The share of each week, 0 to 1, oldest first. */
export const ratioByWeek = ({ weeks }: Needed) =>
  weeks.map(({ week, incidents, asked }) => ({ week, incidents, llmNeededRatio: asked / incidents }));

function fold(state: Needed, { fact, incident, at }: JournalEntry): Needed {
  switch (fact.type) {
    case 'plan.made':
      return noted(state, incident, fact.plan.by.kind === 'model');
    case 'model.called': {
      const { purpose, costMicros } = fact;
      const explorationCalls = state.explorationCalls + (purpose === 'explore' ? 1 : 0);
      const counted = { ...state, explorationCalls, costMicros: state.costMicros + costMicros };
      return purpose === 'plan' || purpose === 'pattern' ? noted(counted, incident, true) : counted;
    }
    case 'incident.closed': {
      const of = state.open.find((one) => one.incident === incident);
      if (of === undefined) return state;
      const open = state.open.filter((one) => one !== of);
      return { ...state, open, weeks: counted(state.weeks, Math.floor(at / WEEK_MS), of.asked) };
    }
    default:
      return state;
  }
}

function noted(state: Needed, incident: string | undefined, isModel: boolean): Needed {
  if (incident === undefined) return state;
  const asked = isModel || state.open.some((one) => one.incident === incident && one.asked);
  const others = state.open.filter((one) => one.incident !== incident);
  return { ...state, open: [...others, { incident, asked }].slice(-OPEN_MAX) };
}

function counted(weeks: readonly Week[], week: number, asked: boolean): readonly Week[] {
  const last = weeks.at(-1);
  const plus = asked ? 1 : 0;
  // A wall clock that went back opens no old week again.
  if (last !== undefined && last.week >= week)
    return weeks.with(-1, { week: last.week, incidents: last.incidents + 1, asked: last.asked + plus });
  return [...weeks, { week, incidents: 1, asked: plus }].slice(-WEEKS_MAX);
}
