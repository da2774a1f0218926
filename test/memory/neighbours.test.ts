import { describe, expect, it } from 'vitest';
import { aMemory, incidentDrafts } from './support.ts';

describe('THEA 1, the quad memory: semantic layer', () => {
  it('finds the incidents that are most like one', () => {
    const { live, reads } = aMemory();
    live(incidentDrafts({ id: 'inc-1', line: 'Connection refused by icecast' }));
    live(incidentDrafts({ id: 'inc-2', line: 'No space left on device', failureClass: 'upstream_auth_expired' }));
    live(incidentDrafts({ id: 'inc-3', line: 'icecast: Connection refused' }));
    const [first] = reads.neighbours('inc-3', { limit: 99 }).filter(({ edge }) => edge === 'similar_to');
    expect(first?.id).toBe('inc-1');
  });
});

describe('THEA 1, the quad memory: conceptual layer', () => {
  it('ties experience of different channels together by concept nodes', () => {
    const { live, reads } = aMemory();
    live(incidentDrafts({ id: 'inc-1' }));
    live(incidentDrafts({ id: 'inc-2', channel: 'sport' }));
    const tied = reads.neighbours('concept:error:http_403', { limit: 9 });
    expect(tied.filter(({ type }) => type === 'incident').map(({ id }) => id)).toEqual(['inc-2', 'inc-1']);
    expect(tied[0]).toMatchObject({ type: 'insight', edge: 'about' });
  });
});
