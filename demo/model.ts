/** Stands for a local model behind Ollama's wire format (docs/api.md of ollama/ollama): always for the restart. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LOOPBACK, portOf } from './ports.ts';

export interface DemoModel extends AsyncDisposable {
  readonly url: string;
  /** How often it was asked for a reply. */
  asked(): number;
}

/** The choice that restarts the channel, resting on the first witness; otherwise a person. */
function replyTo(prompt: string): string {
  const restart = /^(\d+): restart_channel /m.exec(prompt)?.[1];
  if (restart !== undefined)
    return `{"choice": ${restart}, "evidence_ids": ["s1"], "because_code": "evidence_fits_tool"}`;
  const escalate = /^(\d+): escalate /m.exec(prompt)?.[1] ?? '0';
  return `{"choice": ${escalate}, "evidence_ids": [], "because_code": "nothing_fits"}`;
}

export async function openModel(): Promise<DemoModel> {
  let asked = 0;
  const server = createServer((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (request.url !== '/api/chat') return void response.writeHead(200).end('{"models":[]}');
    asked += 1;
    const { messages } = JSON.parse(text) as { messages: readonly { content: string }[] };
    const content = replyTo(messages.map((message) => message.content).join('\n'));
    const line = (done: boolean, piece: string) =>
      `${JSON.stringify({ model: 'demo', created_at: new Date().toISOString(), message: { role: 'assistant', content: piece }, done })}\n`;
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(line(false, content) + line(true, ''));
  }

  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  return {
    url: `http://${LOOPBACK}:${portOf(server)}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}
