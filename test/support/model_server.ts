/** What the servers of both model interfaces share: how they misbehave, and what they keep of each request. */
import type http from 'node:http';

/** What a model server does with one request for a reply. */
export type ModelTurn =
  | {
      /** The reply, sent in pieces where a stream was asked for. */
      readonly text: string;
      readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
      readonly promptTokens?: number;
      readonly replyTokens?: number;
      /** Waits before it answers. */
      readonly afterMs?: number;
    }
  | { readonly does: Misdeed }
  /** Exactly these bytes after a 200. */
  | { readonly raw: string }
  /** This status, with an error body in the server's own format. */
  | { readonly status: number; readonly error: string; readonly code?: string };

export const MISDEEDS = ['hang', 'drip', 'gigabyte', 'redirect', 'reset', 'break_off'] as const;
export type Misdeed = (typeof MISDEEDS)[number];

/** What a server says of texts that it is to make vectors of: one row each, or whatever else a turn can be. */
export type VectorTurn = readonly (readonly number[])[] | Extract<ModelTurn, { does: Misdeed } | { raw: string }>;

/** One request as it came. */
export interface Asked {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** Plays a misdeed. A drip and a gigabyte end when the client goes away. */
export function misbehave(what: Misdeed, response: http.ServerResponse): void {
  switch (what) {
    case 'hang':
      return;
    case 'redirect':
      response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'break_off':
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"model":', () => response.socket?.destroy());
      return;
    case 'drip': {
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'gigabyte':
      pour(response, 1_024);
  }
}

function pour(response: http.ServerResponse, mebibytes: number): void {
  const block = Buffer.alloc(1 << 20, 0x20);
  let left = mebibytes;
  const next = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(block)) {
        response.once('drain', next);
        return;
      }
    }
    response.end();
  };
  next();
}

export async function bodyOf(request: http.IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** About four characters each, as a streaming model sends its tokens. */
export const piecesOf = (text: string): readonly string[] => text.match(/[\s\S]{1,4}/g) ?? [''];

/** A vector that says little, but always the same for the same text. */
export function vectorFor(text: string, length = 8): readonly number[] {
  const sums = Array.from({ length }, () => 0);
  for (const [at, letter] of [...text].entries()) sums[at % length]! += letter.codePointAt(0)! / 1_000;
  const size = Math.hypot(...sums) || 1;
  return sums.map((sum) => sum / size);
}
