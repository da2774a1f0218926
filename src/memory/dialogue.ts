/** The record of what people ask: each step of a turn becomes a fact of the journal, for the memory. */
import { redact } from '../collect/redact.ts';
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/id.ts';
import type { Append } from '../core/journal.ts';
import type { CommandAnswer } from '../core/command_answer.ts';
import { beginTurn, type Turn } from './interaction.ts';
import type { Reads } from './reads.ts';
import { distilled } from './short_memory.ts';

export interface DialogueDeps {
  /** Undefined while the memory is off: then nothing is recorded. */
  readonly reads: Reads | undefined;
  readonly append: Append;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly channels: readonly string[];
}

export interface Began {
  readonly question: string;
  readonly session: string | undefined;
  readonly who: string;
}

export interface Ended {
  readonly turn: string;
  readonly text: string;
  readonly cites: readonly string[];
  readonly model: string | undefined;
  readonly ok: boolean;
}

/** A pair that left the short memory. */
export interface Evicted {
  readonly turn: string;
  readonly question: string;
  readonly answer: string;
}

export interface Dialogue {
  begin(order: Began): CommandAnswer;
  end(order: Ended, evicted: readonly Evicted[], session: string | undefined): CommandAnswer;
}

/** Turns that are begun and not ended; the oldest is forgotten first. */
const OPEN_MAX = 64;
const OFF: CommandAnswer = { ok: false, because: 'the memory of this daemon is off: nothing is recorded' };

export function createDialogue({ reads, append, clock, ids, channels }: DialogueDeps): Dialogue {
  const open = new Map<string, Turn>();
  return {
    begin({ question, session, who }) {
      if (reads === undefined) return OFF;
      const deps = { reads, record: append, redact, channels, clock, ids };
      const turn = beginTurn(deps, { text: question, who, session });
      open.set(turn.id, turn);
      for (const id of open.keys()) if (open.size > OPEN_MAX) open.delete(id);
      return { ok: true, said: turn.id, more: { turn: turn.id, recalled: turn.recalled } };
    },
    end({ turn: id, ...answer }, evicted, session) {
      const turn = open.get(id);
      if (turn === undefined) return { ok: false, because: `no question ${id} is open` };
      open.delete(id);
      // What stands in the record as cited exists: an id that does not exist is left out.
      const cites = answer.cites.filter((each) => reads?.get(each) !== undefined);
      turn.answered({ ...answer, cites });
      const clean = ({ turn: of, question, answer: reply }: Evicted) => ({
        ...{ turn: of, question: redact(question), answer: redact(reply), cites: [] },
      });
      append(evicted.map((each) => ({ fact: distilled(clean(each), session) })));
      return { ok: true, said: id };
    },
  };
}
