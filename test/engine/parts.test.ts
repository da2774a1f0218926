import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { basicAuth, downReport, upSample } from '../../src/engine/parts.ts';
import { RequestFailed } from '../../src/resilience/failure.ts';

const reading = { engine: 'local', source: 'engine', moment: { at: 1, monoMs: 2 } };
const answered = (status: number) => new RequestFailed('ENGINE_REFUSED', 'no', { failure: 'http_status', status });

describe('the sample of an engine', () => {
  it('that answered is well, and says nothing of a pool that it does not report', () => {
    expect(upSample(reading)).toMatchObject({
      ok: true,
      at: 1,
      monoMs: 2,
      poolPressure: undefined,
      reportsPool: false,
    });
  });

  it.each([
    [answered(401), 'refused_credentials'],
    [answered(403), 'refused_credentials'],
    [answered(404), 'http_status'],
    [new ReeveError('TIMED_OUT', 'x'), 'timeout'],
    ['anything else', 'unreachable'],
  ])('that did not answer well for %s has the failure %s, and no channels', (thrown, failure) => {
    const report = downReport(reading, thrown, true);
    expect(report.engine).toMatchObject({ ok: false, failure, reportsPool: true });
    expect([report.processes, report.viewers]).toEqual([[], []]);
  });
});

describe('the header of a user and a password', () => {
  it('is the base64 of both, in UTF-8', () => {
    expect(basicAuth('Aladdin', 'open sesame')).toBe('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==');
    expect(Buffer.from(basicAuth('a', 'grüße').slice(6), 'base64').toString('utf8')).toBe('a:grüße');
  });
});
