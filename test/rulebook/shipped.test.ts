import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRules } from '../../src/config/rules.ts';
import { FAILURE_CLASSES, type FailureClass } from '../../src/core/classification.ts';
import type { ToolName } from '../../src/core/tool.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';

const loaded = loadRules(resolve(import.meta.dirname, '../../config/rules'), [...TOOL_SPECS.values()]);
const book = createRulebook(loaded.rules);

/** Classes for which docs/classification.md forbids a restart outright. */
const NEVER_RESTARTED = FAILURE_CLASSES.filter(
  (one) =>
    !['process_crashed', 'output_stalled', 'hls_window_slip', 'upstream_auth_expired', 'upstream_url_expired'].includes(
      one,
    ),
);

const callsOf = (classification: FailureClass): readonly ToolName[] =>
  book.rules
    .filter((rule) => rule.classification === classification)
    .flatMap(({ then }) => then.flatMap((step) => (step.kind === 'call' ? [step.tool] : [])));

describe('the shipped rules', () => {
  it('are without problems, and answer every classification', () => {
    expect(loaded.problems).toEqual([]);
    const answered = new Set(loaded.rules.map(({ classification }) => classification));
    expect(FAILURE_CLASSES.filter((one) => !answered.has(one))).toEqual([]);
  });

  it.each(NEVER_RESTARTED)('never restart for %s', (classification) => {
    expect(callsOf(classification)).not.toContain('restart_channel');
  });

  it('end each rule with a person, a wait that ends with one, or a stop', () => {
    for (const { id, then } of book.rules) expect([id, then.at(-1)?.kind]).not.toEqual([id, 'call']);
  });

  it('never change anything for what is not understood, or seen through a broken instrument', () => {
    const looks: readonly ToolName[] = ['fetch_recent_logs', 'get_channel_health', 'inspect_pool_status'];
    for (const classification of ['unknown', 'telemetry_untrusted', 'control_plane_down', 'expected_quiet'] as const) {
      expect(callsOf(classification).filter((tool) => !looks.includes(tool))).toEqual([]);
    }
  });

  it('keep the order of the cures', () => {
    expect(callsOf('upstream_auth_expired')).toEqual(['refresh_credentials', 'restart_channel']);
    expect(callsOf('upstream_url_expired').at(-1)).toBe('restart_channel');
    expect(callsOf('process_crashed')).toEqual(['restart_channel']);
    expect(callsOf('output_stalled')).toEqual(['restart_channel']);
    expect(callsOf('unknown')).toEqual(['fetch_recent_logs', 'get_channel_health']);
  });
});
