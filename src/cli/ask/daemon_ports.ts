/** What a turn asks of the daemon besides its tools: proposals, the record of the dialogue, ids that still exist. */
import { SYSTEM_TEXT } from '../../ask/engine.ts';
import type { Gate } from '../../ask/gate.ts';
import type { Session } from '../../ask/message.ts';
import { proposedIn } from '../../ask/proposal.ts';
import { presentable } from '../../ask/tool.ts';
import type { Recording, TurnDeps } from '../../ask/turns.ts';
import { ReeveError } from '../../core/errors.ts';
import { type Exchange, fitted } from '../../memory/short_memory.ts';
import type { Cli } from '../context.ts';
import type { AskFlags } from './flags.ts';

export interface PortDeps {
  readonly cli: Cli;
  readonly gate: Gate;
  readonly flags: AskFlags;
  readonly redact: (text: string) => string;
}

type Ports = Pick<TurnDeps, 'propose' | 'begin' | 'stillKnown' | 'newestOf'>;

const CHANNELS = '/api/v1/channels';
const ASKED_AGAIN_MAX = 8;
const EVICTED_MAX = 8;
const CITED = /\[(inc-[a-z0-9]{1,40})(?:#\d+)?\]/g;
/** The daemon takes 64 KiB in one body; of a turn whose end is longer it would record nothing. */
const TEXT_CHARS_MAX = 4_000;
const EVICTED_CHARS_MAX = 800;

export function daemonPorts({ cli, gate, flags, redact }: PortDeps): Ports {
  const evicted = new Evictions();
  return {
    propose: (prompt) =>
      proposedIn(prompt, {
        channels: async () => (await cli.client().get<{ channels: readonly { id: string }[] }>(CHANNELS)).channels,
        propose: (wanted) => cli.client().post('/api/v1/ask/proposals', wanted),
      }),
    async begin(prompt, session) {
      const question = redact(prompt).slice(0, TEXT_CHARS_MAX);
      const about = { question, ...(session !== undefined && { session: session.id }) };
      const begun = await cli.client().post<Begun>('/api/v1/ask/turns', about).catch(ignoreUnavailable);
      const turn = begun?.ok === true ? begun.more?.turn : undefined;
      if (turn === undefined) return undefined;
      const recalled = presentable(begun?.more?.recalled ?? [], redact);
      return recordingOf(cli, { turn, recalled, session: session?.id, evicted });
    },
    async stillKnown({ messages }) {
      if (!gate.allows('incidents-read')) return [];
      const cited = messages.flatMap(({ content }) => [...content.matchAll(CITED)].map(([, id = '']) => id));
      const newest = [...new Set(cited.reverse())].slice(0, ASKED_AGAIN_MAX);
      const exists = async (id: string) => {
        const found = await cli
          .client()
          .get<object>(`/api/v1/incidents/${id}`)
          .catch(() => undefined);
        return found === undefined ? [] : [id];
      };
      return (await Promise.all(newest.map(exists))).flat();
    },
    newestOf(session, incoming) {
      const { kept, messages } = newestFitting(session, [SYSTEM_TEXT, ...incoming], flags.contextTokens);
      evicted.note(exchangesOf(session).slice(0, -kept || undefined));
      return messages;
    },
  };
}

interface Begun {
  readonly ok: boolean;
  readonly more?: {
    readonly turn: string;
    readonly recalled: readonly { readonly id: string; readonly text: string }[];
  };
}

/** Without a daemon, or without leave to be recorded there, a question is asked all the same. */
function ignoreUnavailable(thrown: unknown): undefined {
  if (!(thrown instanceof ReeveError)) throw thrown;
}

interface Open {
  readonly turn: string;
  readonly recalled: readonly { readonly id: string; readonly text: string }[];
  readonly session: string | undefined;
  readonly evicted: Evictions;
}

function recordingOf(cli: Cli, { turn, recalled, session, evicted }: Open): Recording {
  return {
    recalled,
    async end({ text, cites, model, ok }) {
      const about = { ...(model !== undefined && { model }), ...(session !== undefined && { session }) };
      const reply = { text: text.slice(0, TEXT_CHARS_MAX), cites: cites.slice(0, 100) };
      const answer = { turn, ...reply, ok, evicted: evicted.take(), ...about };
      await cli.client().post('/api/v1/ask/turns/end', answer).catch(ignoreUnavailable);
    },
  };
}

/** What left the short memory in this process, each pair once. */
class Evictions {
  readonly #seen = new Set<string>();
  #fresh: Exchange[] = [];

  note(gone: readonly Exchange[]): void {
    for (const each of gone) {
      if (this.#seen.has(each.turn)) continue;
      this.#seen.add(each.turn);
      this.#fresh.push(each);
    }
  }

  take(): readonly { readonly turn: string; readonly question: string; readonly answer: string }[] {
    const taken = this.#fresh.slice(0, EVICTED_MAX);
    this.#fresh = this.#fresh.slice(EVICTED_MAX);
    return taken.map(({ turn, question, answer }) => ({
      turn,
      question: question.slice(0, EVICTED_CHARS_MAX),
      answer: answer.slice(0, EVICTED_CHARS_MAX),
    }));
  }
}

const exchangesOf = ({ messages }: Session): readonly Exchange[] =>
  messages.flatMap(({ id, content, role }, at) => {
    const answer = messages[at + 1];
    if (role !== 'user' || answer?.role !== 'assistant') return [];
    return [{ turn: id, question: content, answer: answer.content, cites: [] }];
  });

/** The newest pairs of question and answer that fit; the session itself keeps all. */
function newestFitting(session: Session, incoming: readonly string[], contextTokens: number) {
  const { kept } = fitted(exchangesOf(session), incoming, contextTokens);
  const from =
    kept[0] === undefined ? session.messages.length : session.messages.findIndex(({ id }) => id === kept[0]?.turn);
  return { kept: kept.length, messages: session.messages.slice(from) };
}
