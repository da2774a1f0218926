import { expect, describe, it } from 'vitest';
import { aMemory, incidentDrafts } from './support.ts';

describe('THEA 4.2, the reflection loop over the memory', () => {
  it('crystallises each closed incident into one weak insight of strength 1', () => {
    const { live, reads } = aMemory();
    live(incidentDrafts({ id: 'inc-1' }));
    expect(reads.insights.list({ limit: 9 })).toMatchObject([
      {
        pair: ['class:process_crashed', 'error:http_403'],
        subject: 'restart_channel',
        verdict: 'cured',
        strength: 1,
        state: 1,
        origin: 'inc-1',
        text: 'class process_crashed with error http_403: restart_channel cured it, verified on fresh samples (seen once)',
      },
    ]);
  });
});
