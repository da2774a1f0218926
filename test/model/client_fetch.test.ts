import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { clientFetch } from '../../src/model/client_fetch.ts';
import { ModelWire } from '../../src/model/wire.ts';
import { closeServersAfterAll, serve } from '../support/servers.ts';

closeServersAfterAll();

/** What a client library is given by a server that sends these pieces, one after another. */
async function given(pieces: readonly string[], stream: boolean): Promise<string> {
  const url = await serve(async (_, response) => {
    for (const piece of pieces) await new Promise((done) => response.write(piece, done));
    response.end();
  });
  const wire = new ModelWire({ id: 'local', url, bytesMax: 10_000 }, systemClock);
  onTestFinished(() => wire[Symbol.dispose]());
  const ask = clientFetch(wire, new AbortController().signal);
  const answer = await ask(`${url}/api/chat`, { method: 'POST', body: JSON.stringify({ stream }) });
  return answer.text();
}

describe('the answer that a client library is given', () => {
  it('is the object that the server sent', async () => {
    expect(await given(['{"a"', ':1}'], false)).toBe('{"a":1}');
  });

  it.each(['', 'html', '[]', 'null', '1', '{"a":1'])('is none where the server sent %j', async (text) => {
    await expect(given([text], false)).rejects.toThrow('local: the answer is no JSON object');
  });
});

describe('the stream that a client library is given', () => {
  it('has whole lines however the pieces were cut, and the last one without its end of line', async () => {
    const text = '{"a":1}\n\n{"done":true}';
    expect(await given(['{"a"', ':1}\n\n{"do', 'ne":true}'], true)).toBe(text);
  });

  it('fails where it ends before a line says that it is done', async () => {
    expect(await given(['{"done":true}\n'], true)).toBe('{"done":true}\n');
    await expect(given(['{"done":false}\n'], true)).rejects.toThrow('the stream ended before the reply did');
    await expect(given(['{"a":1}\n'], true)).rejects.toThrow('the stream ended before the reply did');
  });

  it('fails at a line that is no JSON object, also at the last one', async () => {
    await expect(given(['{"a":1}\nhtml\n'], true)).rejects.toThrow('a line of the stream is no JSON object');
    await expect(given(['{"done":true}\n[1]'], true)).rejects.toThrow('a line of the stream is no JSON object');
  });

  it('fails at a line that reports an error, with its text in plain ASCII', async () => {
    await expect(given(['{"error":"out of\\u0007memory"}\n'], true)).rejects.toMatchObject({
      code: 'MODEL_UNREACHABLE',
      message: 'local: out of memory',
    });
  });
});
