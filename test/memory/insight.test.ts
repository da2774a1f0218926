import { describe, expect, it } from 'vitest';
import { type Claim, contradicts, insightId, keyOfClaim, sentenceOf } from '../../src/memory/insight.ts';

const claim = (with_: Partial<Claim> = {}): Claim => ({
  ...{ pair: ['class:process_crashed', 'error:http_403'], subject: 'restart_channel', verdict: 'cured' },
  ...with_,
});

describe('a claim', () => {
  it('has a key of its pair, its subject and its verdict', () => {
    expect(keyOfClaim(claim())).toBe('class:process_crashed|error:http_403|restart_channel|cured');
    expect(keyOfClaim(claim({ verdict: 'not_cured' }))).not.toBe(keyOfClaim(claim()));
  });

  it('contradicts another only where the same tool cured the same trouble and did not', () => {
    expect(contradicts(claim(), claim({ verdict: 'not_cured' }))).toBe(true);
    expect(contradicts(claim(), claim())).toBe(false);
    expect(contradicts(claim(), claim({ verdict: 'self_healed' }))).toBe(false);
    expect(contradicts(claim(), claim({ verdict: 'not_cured', subject: 'rebuild_playout' }))).toBe(false);
    expect(contradicts(claim(), claim({ verdict: 'not_cured', pair: ['class:unknown', 'error:http_403'] }))).toBe(
      false,
    );
  });

  it('is one sentence with how often it was seen', () => {
    expect(sentenceOf(claim({ verdict: 'not_cured' }), 1)).toBe(
      'class process_crashed with error http_403: restart_channel did not cure it (seen once)',
    );
    expect(sentenceOf(claim({ verdict: 'self_healed' }), 7)).toContain('it passed by itself (seen 7 times)');
  });

  it('has the same id each time it is made of the same origin', () => {
    expect(insightId('inc-1')).toBe(insightId('inc-1'));
    expect(insightId('inc-1')).toMatch(/^ins-[0-9a-f]{12}$/);
    expect(insightId('inc-2')).not.toBe(insightId('inc-1'));
  });
});
