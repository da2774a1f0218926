import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import { withUpstreamWait } from '../../src/config/upstream_wait.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { aRule } from '../rulebook/support.ts';
import { aFolder } from './support.ts';

const waits = aRule({
  classification: 'upstream_unavailable',
  steps: [
    { kind: 'call', tool: 'fetch_recent_logs' },
    { kind: 'wait', escalateAfterMs: 60_000 },
  ],
});
const others = aRule({
  id: 'limited',
  classification: 'upstream_rate_limited',
  steps: [{ kind: 'wait', escalateAfterMs: 120_000 }],
});

/** The waits of the shipped rules with this `escalation:` in the file. */
function shippedWaits(escalation: string) {
  const folder = aFolder({ 'config/reeve.yaml': `version: 1\n${escalation}` });
  const { configuration, problems } = loadConfiguration({ cwd: folder, env: {}, tools: [...TOOL_SPECS.values()] });
  expect(problems).toEqual([]);
  return Object.fromEntries(
    configuration!.rules.flatMap(({ id, then }) =>
      then.flatMap((step) => (step.kind === 'wait' ? [[id, step.escalateAfterMs]] : [])),
    ),
  );
}

describe('escalation.upstream_after', () => {
  it('is how long rules for an upstream that is away wait before a person is paged', () => {
    const [changed] = withUpstreamWait([waits], 15_000);
    expect(changed!.then).toEqual([waits.then[0], { kind: 'wait', escalateAfterMs: 15_000 }]);
  });

  it('leaves the waits of other troubles alone, and all of them where it is not given', () => {
    expect(withUpstreamWait([others], 15_000)).toEqual([others]);
    expect(withUpstreamWait([waits, others], undefined)).toEqual([waits, others]);
  });

  it('reaches the shipped rule from the file, whose own wait is the documented default', () => {
    const standard = shippedWaits('');
    expect(standard.upstream_unavailable).toBe(60_000);
    expect(shippedWaits('escalation: { upstream_after: 25s }\n')).toEqual({
      ...standard,
      upstream_unavailable: 25_000,
    });
  });
});
