import { describe, expect, it } from 'vitest';
import { withoutOwnReeve } from '../../demo/reeve.ts';

describe('the environment of Reeve on a stage', () => {
  it('has nothing that a person has exported for the own Reeve, such as where its journal is', () => {
    const exported = { REEVE_STATE: '/var/lib/reeve', REEVE_CONFIG: '/etc/reeve/reeve.yaml', REEVE_PHASE: '0' };
    expect(withoutOwnReeve({ ...exported, PATH: '/usr/bin', TB_PASSWORD: 'x' })).toEqual({
      PATH: '/usr/bin',
      TB_PASSWORD: 'x',
    });
  });
});
