import { describe, expect, it } from 'vitest';
import { scoreOf } from '../../src/agent/score.ts';
import { aCall, anEnvelope, aResult, aVerification } from '../support/a.ts';

const before = anEnvelope({ errorFrequency: 10 });
const failed = aVerification({ cured: false });
const cured = aVerification();
const gone = { failureClassification: undefined, channelHealthy: true };
const refreshed = aResult({ call: aCall({ tool: 'refresh_credentials' }) });

describe('how much a step helped', () => {
  it.each([
    ['1 when the trouble is gone after a look', gone, undefined, aResult({ ok: false }), 1],
    ['1 for another fix that was verified, when the channel plays', { channelHealthy: true }, cured, refreshed, 1],
    ['0.3 when the trouble is gone and the call is not what ended it', gone, failed, aResult(), 0.3],
    ['0 when a trouble beside the picture stays as it was', { channelHealthy: true }, failed, refreshed, 0],
    ['0.6 for a look while that trouble lasts', { channelHealthy: true }, undefined, aResult(), 0.6],
    ['1 for a restart that was verified', {}, aVerification(), aResult(), 1],
    ['0.8 for another fix that was verified while the channel does not play', {}, aVerification(), refreshed, 0.8],
    ['0.6 for a look that did its work', {}, undefined, aResult(), 0.6],
    ['0 for a look that failed', {}, undefined, aResult({ ok: false }), 0],
    ['0 when nothing is any better', { errorFrequency: 10 }, failed, aResult(), 0],
    ['0.3 when the trouble became another one', { failureClassification: 'unknown' }, failed, aResult(), 0.3],
    ['0.3 when the errors have halved', { errorFrequency: 5 }, failed, aResult(), 0.3],
    ['0 when they have not quite halved', { errorFrequency: 5.01 }, failed, aResult(), 0],
  ] as const)('is %s', (_, change, verification, result, score) => {
    const envelope = anEnvelope({ errorFrequency: 10, ...change });
    expect(scoreOf(before, { envelope, result, verification })).toBe(score);
  });

  it('takes no errors after no errors for no improvement', () => {
    const silent = anEnvelope({ errorFrequency: 0 });
    expect(scoreOf(silent, { envelope: silent, result: aResult(), verification: failed })).toBe(0);
  });
});
