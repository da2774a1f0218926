import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { failureOf, RequestFailed, statusOf } from '../../src/resilience/failure.ts';

const system = (code: string, cause?: unknown) => Object.assign(new Error(code, { cause }), { code });

describe('why a request failed', () => {
  it.each([
    ['ECONNREFUSED', 'refused'],
    ['ECONNRESET', 'reset'],
    ['ETIMEDOUT', 'timeout'],
    ['ENOTFOUND', 'dns'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['HPE_INVALID_HEADER_TOKEN', 'invalid_answer'],
    ['ENOTHINGKNOWN', 'unreachable'],
  ])('%s is %s', (code, failure) => {
    expect(failureOf(system(code))).toBe(failure);
    expect(failureOf(new Error('fetch failed', { cause: system(code) }))).toBe(failure);
  });

  it('is what the request itself states, whatever caused it', () => {
    const request = new RequestFailed('ENGINE_REFUSED', '503', {
      failure: 'http_status',
      status: 503,
      cause: system('EPIPE'),
    });
    expect([failureOf(request), statusOf(request)]).toEqual(['http_status', 503]);
    expect(statusOf(new Error('outer', { cause: request }))).toBe(503);
    expect(statusOf(system('EPIPE'))).toBeUndefined();
  });

  it('is read from the code of an error of Reeve', () => {
    expect(failureOf(new ReeveError('TIMED_OUT', 'x'))).toBe('timeout');
    expect(failureOf(new ReeveError('ANSWER_TOO_LARGE', 'x'))).toBe('too_large');
    expect(failureOf(new ReeveError('USAGE', 'x'))).toBe('unreachable');
  });

  it('is that of the first address where several were tried', () => {
    expect(failureOf(new AggregateError([system('EPROTO'), system('ECONNREFUSED')]))).toBe('tls');
  });

  it('is found eight causes deep and no deeper, so that causes in a circle end', () => {
    const nested = (depth: number): Error =>
      depth === 0 ? system('EPIPE') : new Error('outer', { cause: nested(depth - 1) });
    expect(failureOf(nested(7))).toBe('reset');
    expect(failureOf(nested(8))).toBe('unreachable');
    const circle = new Error('circle');
    circle.cause = circle;
    expect([failureOf(circle), statusOf(circle)]).toEqual(['unreachable', undefined]);
  });

  it('is unknown for what is no error', () => {
    expect([failureOf('ECONNREFUSED'), failureOf(undefined)]).toEqual(['unreachable', 'unreachable']);
  });
});
