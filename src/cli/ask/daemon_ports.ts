/** What a turn asks of the daemon besides its tools: proposals, the record of the dialogue, ids that still exist. */
import type { Gate } from '../../ask/gate.ts';
import { SYSTEM_TEXT } from '../../ask/engine.ts';
import type { Session } from '../../ask/message.ts';
import { fitted } from '../../memory/short_memory.ts';
import type { Cli } from '../context.ts';
import type { AskFlags } from './flags.ts';
import type { TurnDeps } from './turns.ts';

export interface PortDeps {
  readonly cli: Cli;
  readonly gate: Gate;
  readonly flags: AskFlags;
  readonly redact: (text: string) => string;
}

const ASKED_AGAIN_MAX = 8;
const CITED = /\[(inc-[a-z0-9]{1,40})(?:#\d+)?\]/g;

export function daemonPorts(deps: PortDeps): Pick<TurnDeps, 'propose' | 'begin' | 'stillKnown' | 'newestOf'> {
  const { cli, gate, flags } = deps;
  return {
    propose: async () => undefined,
    begin: async () => undefined,
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
    newestOf: (session, incoming) => newestFitting(session, [SYSTEM_TEXT, ...incoming], flags.contextTokens),
  };
}

/** The newest pairs of question and answer that fit; the session itself keeps all. */
function newestFitting({ messages }: Session, incoming: readonly string[], contextTokens: number): Session['messages'] {
  const exchanges = [];
  for (let at = 0; at + 1 < messages.length; at += 2) {
    const [question, answer] = [messages[at]!, messages[at + 1]!];
    exchanges.push({ turn: question.id, question: question.content, answer: answer.content, cites: [] });
  }
  const { kept } = fitted(exchanges, incoming, contextTokens);
  return messages.slice((exchanges.length - kept.length) * 2);
}
