/** A reasoner that says what a test wants, and counts how often it was asked. */
import type { Message, Response, Stamp } from '../../src/ask/message.ts';
import { Reasoner } from '../../src/ask/reasoner.ts';
import type { Tool, ToolResult } from '../../src/ask/tool.ts';

/** UUIDs that count up, and one moment. */
export function aStamp(): Stamp {
  let last = 0;
  return {
    now: () => 1_767_225_600_000,
    uuid: () => {
      last += 1;
      return `00000000-0000-4000-8000-${String(last).padStart(12, '0')}`;
    },
  };
}

export class Scripted extends Reasoner {
  readonly asked: (readonly Message[])[] = [];
  says: string | Error;

  constructor(says: string | Error) {
    super();
    this.says = says;
  }

  async reason(messages: readonly Message[]): Promise<Response> {
    this.asked.push(messages);
    if (this.says instanceof Error) throw this.says;
    return { content: this.says, model_id: 'scripted', id: 'r', timestamp: 1, metadata: {} };
  }
}

export const aTool = (more: Partial<Tool> = {}): Tool => ({
  ...{ name: 'logs', description: 'lines', requiredPermissions: ['logs-read'], args: [], routingHints: ['logs'] },
  extractArgs: () => ({}),
  run: async () => [{ id: 'inc-81', text: 'news was down' }],
  ...more,
});

export const aResult = (id: string, text: string): ToolResult => ({
  ...{ tool_name: 'logs', output: `[${id}] ${text}`, status: 'ok', evidence: [{ id, text }] },
  metadata: { execution_time_ms: 1, checked_permissions: [] },
});
