import type http from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { InvariantError } from '../../src/core/errors.ts';
import type { ModelReply } from '../../src/core/model.ts';
import { answered, ModelWire, plainText } from '../../src/model/wire.ts';
import { closeServersAfterAll, serve } from '../support/servers.ts';

closeServersAfterAll();

const BYTES_MAX = 1_000;
const REPLY: ModelReply = { text: 'x', model: 'm', promptTokens: 1, replyTokens: 1, durationMs: 1 };

async function aWire(answer: http.RequestListener, key?: () => string) {
  const url = await serve(answer);
  const wire = new ModelWire({ id: 'local', url, bytesMax: BYTES_MAX, key }, systemClock);
  onTestFinished(() => wire[Symbol.dispose]());
  const send = (onData?: (piece: Buffer) => void) =>
    wire.exchange(5_000, undefined, (signal) =>
      wire.send({ url: `${url}/api`, method: 'POST', body: '{}', signal, ...(onData && { onData }) }),
    );
  const failure = async () => {
    const answer = await answered(undefined, () => send().then(() => REPLY));
    return answer.ok ? undefined : { failure: answer.failure, because: answer.because };
  };
  return { url, wire, send, failure };
}

const status = (code: number, body: string) => aWire((_, response) => void response.writeHead(code).end(body));
const errorOf = (message: string, code?: string) => JSON.stringify({ error: { message, code } });

describe('a request to a model server', () => {
  it('carries the key of its server, asked for each time, and none where there is none', async () => {
    const seen: unknown[] = [];
    const listener: http.RequestListener = ({ headers }, response) => {
      seen.push(headers.authorization);
      response.end('{}');
    };
    let keys = 0;
    const keyed = await aWire(listener, () => `key-${++keys}`);
    await keyed.send();
    await keyed.send();
    await (await aWire(listener)).send();
    expect(seen).toEqual(['Bearer key-1', 'Bearer key-2', undefined]);
  });

  it('to another place than its server is a bug, and is not sent', async () => {
    const { wire } = await status(200, '{}');
    const { signal } = new AbortController();
    await expect(wire.send({ url: 'http://127.0.0.1:1/api', method: 'GET', signal })).rejects.toThrow(InvariantError);
  });

  it('hands on the pieces of a good answer, and none of a refusal', async () => {
    const pieces: string[] = [];
    await (await status(200, 'good')).send((piece) => void pieces.push(piece.toString()));
    await (await status(400, 'bad')).send((piece) => void pieces.push(piece.toString())).catch(() => undefined);
    expect(pieces).toEqual(['good']);
  });
});

describe('a refusal of a model server', () => {
  it.each([
    [400, errorOf('no such option'), 'refused'],
    [400, errorOf('the model is busy'), 'refused'],
    [404, errorOf('not here'), 'refused'],
    [404, '{"error":"model \\"x\\" not found"}', 'model_not_found'],
    [404, errorOf('not here', 'model_not_found'), 'model_not_found'],
    [404, errorOf('remodelled'), 'refused'],
    [408, '', 'unreachable'],
    [425, '', 'unreachable'],
    [429, '', 'unreachable'],
    [499, '', 'refused'],
    [500, '', 'unreachable'],
    [302, '', 'redirected'],
  ])('of %i with %s is: %s', async (code, body, failure) => {
    expect(await (await status(code, body)).failure()).toMatchObject({ failure });
  });

  it('is quoted in plain text, and is no quote where it is no JSON', async () => {
    expect((await (await status(400, errorOf('a\nb\u001b[31mc'))).failure())?.because).toBe(
      'MODEL_REFUSED: local answered 400: a b [31mc',
    );
    expect((await (await status(400, '<html>')).failure())?.because).toBe('MODEL_REFUSED: local answered 400');
    expect((await (await status(400, 'null')).failure())?.because).toBe('MODEL_REFUSED: local answered 400');
  });

  it('to read more than was agreed is named so', async () => {
    expect(await (await status(200, 'x'.repeat(BYTES_MAX))).failure()).toBeUndefined();
    expect(await (await status(200, 'x'.repeat(BYTES_MAX + 1))).failure()).toMatchObject({ failure: 'too_large' });
  });
});

describe('what an exchange came to', () => {
  it('is aborted where the caller left, whatever else went wrong', async () => {
    const answer = await answered(AbortSignal.abort(), () => Promise.reject(new Error('x')));
    expect(answer).toMatchObject({ ok: false, failure: 'aborted' });
  });

  it('is never a bug of Reeve', async () => {
    await expect(answered(undefined, () => Promise.reject(new InvariantError('a bug')))).rejects.toThrow('a bug');
  });

  it('is described in 300 characters at most', async () => {
    const told = async (length: number) => {
      const answer = await answered(undefined, () => Promise.reject(new Error('x'.repeat(length))));
      return answer.ok ? 0 : answer.because.length;
    };
    expect([await told(300), await told(301)]).toEqual([300, 300]);
  });
});

describe('the text of a server', () => {
  it('is shown as ASCII on one line, 120 characters at most', () => {
    expect(plainText(' a\tb\u00e9\u202ec ')).toBe('a b c');
    expect([plainText('x'.repeat(120)).length, plainText('x'.repeat(121)).length]).toEqual([120, 120]);
    expect(plainText(undefined)).toBe('undefined');
  });
});
