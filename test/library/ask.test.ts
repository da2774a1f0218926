import { describe, expect, it } from 'vitest';
import {
  Ask,
  type AskTool,
  Gate,
  GateError,
  type Message,
  newSession,
  Reasoner,
  type Response,
  RuleRouter,
  targetsOf,
} from '../../src/index.ts';

/** A backend of one's own. */
class Echoing extends Reasoner {
  async reason(messages: readonly Message[]): Promise<Response> {
    const content = `${messages.length} messages [note:1].`;
    return { content, model_id: 'own', id: 'x', timestamp: 0, metadata: {} };
  }
}

const stamp = { now: () => 0, uuid: () => crypto.randomUUID() };
const tool: AskTool = {
  ...{ name: 'notes', description: 'notes', requiredPermissions: ['memory-read'], args: [], routingHints: ['notes'] },
  extractArgs: () => ({}),
  run: async () => [{ id: 'note:1', text: 'the spare encoder is cold' }],
};

describe('Modules: the package facade', () => {
  it('gives router, gate, reasoner and session to a program of its own', async () => {
    const decision = new RuleRouter(0.5, stamp).route('any notes?', targetsOf([tool]));
    expect(decision.target).toBe('notes');
    const options = { monotonicMs: () => 0, redact: (text: string) => text };
    await expect(new Gate([], options).run(tool, decision.args)).rejects.toThrow(GateError);
    const result = await new Gate(['memory-read'], options).run(tool, decision.args);
    const session = newSession(stamp);
    const ask = new Ask(new Echoing(), { stamp, redact: options.redact });
    const { response, cites, uncited } = await ask.execute('any notes?', { session, toolResults: [result] });
    expect({ content: response.content, cites, uncited }).toEqual({
      ...{ content: '3 messages [note:1].', cites: ['note:1'], uncited: 0 },
    });
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});
