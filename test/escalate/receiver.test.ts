import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { describeFailure, isRefusal, postOrThrow } from '../../src/escalate/receiver.ts';
import { RequestFailed } from '../../src/resilience/failure.ts';

const request = { body: '{}', headers: {}, signal: new AbortController().signal };
const URL_WITH_SECRET = 'https://hooks.example/services/secret';
const posted = (status: number, retryAfterMs?: number) =>
  postOrThrow(async () => ({ status, retryAfterMs }), URL_WITH_SECRET, request);

describe('a message that is posted', () => {
  it.each([200, 202, 299])('is taken by an answer of %i', async (status) => {
    await expect(posted(status)).resolves.toBeUndefined();
  });

  it('is not taken by a web page before the receiver, unless the receiver may answer whatever it likes', async () => {
    const page = async () => ({ status: 200, isWebPage: true });
    const error = await postOrThrow(page, URL_WITH_SECRET, request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'RECEIVER_REFUSED', status: 200 });
    expect(describeFailure(error)).toBe('answered with a web page');
    await expect(postOrThrow(page, URL_WITH_SECRET, { ...request, takesAnyAnswer: true })).resolves.toBeUndefined();
  });

  it('is not taken by a no with a good status, unless the receiver may answer whatever it likes', async () => {
    const no = async () => ({ status: 200, saysNo: true });
    const error = await postOrThrow(no, URL_WITH_SECRET, request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'RECEIVER_REFUSED', status: 200 });
    expect(describeFailure(error)).toBe('answered that it did not take it');
    await expect(postOrThrow(no, URL_WITH_SECRET, { ...request, takesAnyAnswer: true })).resolves.toBeUndefined();
  });

  it.each([408, 425, 429, 500, 503])('is to be sent again after %i', async (status) => {
    await expect(posted(status, 2_000)).rejects.toMatchObject({
      ...{ code: 'RECEIVER_UNREACHABLE', retryable: true, status, retryAfterMs: 2_000 },
    });
  });

  it.each([199, 302, 400, 404, 410])('is refused by %i, and is not sent again', async (status) => {
    const error = await posted(status).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'RECEIVER_REFUSED', retryable: false, status });
    expect(isRefusal(error)).toBe(true);
    expect(String(error)).not.toContain('secret');
  });
});

describe('what is journaled of a failed delivery', () => {
  it('is the status, the open breaker, or the kind of the failure, and never the text of an error', () => {
    expect(describeFailure(new RequestFailed('RECEIVER_REFUSED', 'x', { failure: 'http_status', status: 404 }))).toBe(
      'answered 404',
    );
    expect(describeFailure(new ReeveError('BREAKER_OPEN', URL_WITH_SECRET))).toBe('breaker open');
    expect(describeFailure(new ReeveError('TIMED_OUT', URL_WITH_SECRET))).toBe('timeout');
    expect(describeFailure(new Error(URL_WITH_SECRET))).toBe('unreachable');
  });

  it('is a refusal only where the receiver answered so', () => {
    expect(isRefusal(new ReeveError('RECEIVER_UNREACHABLE', 'x'))).toBe(false);
    expect(isRefusal(new Error('RECEIVER_REFUSED'))).toBe(false);
  });
});
