import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { policyAgainst, policyOf, settingsFor } from '../../src/backtest/policies.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { Settings } from '../../src/incident/pipeline/settings.ts';
import { aPersona } from '../support/a.ts';
import { aRule } from '../rulebook/support.ts';
import { recorded } from './support.ts';

const RULE = `id: mine
description: Start it.
classification: process_crashed
when:
  - { fact: channel_healthy, equals: false }
then:
  - call: restart_channel
`;
const PERSONA = `id: of_file
risk_tolerance: low
aggressiveness: cautious
tool_access_policy: { restart_channel: require_evidence }
escalation_policy: { on_containment: immediate }
containment_bias: true
operational_mode: remediation
restart_cap: 1
planning_depth_max: 1
retry_threshold: 0.6
`;
const channel = { kind: 'channel', id: 'news' } as const;
const configured = { personaOf: () => aPersona({ id: 'configured' }) } as unknown as Settings;
const filesWith = (settings?: Settings) => ({
  ...{ personas: ['system_admin', 'cautious'].map((id) => aPersona({ id })), rules: [aRule()], limits: DEFAULT_LIMITS },
  settings,
});
const flags = (persona?: string, rules?: string) => ({ persona, rules });
const rulesFolder = (text = RULE) => dirname(recorded({ 'mine.rule.yaml': text })[0]!);

describe('the policy of a backtest', () => {
  it('is the everyday persona where nothing is configured, and the configured ones where they are', () => {
    expect(policyOf(flags(), filesWith())).toMatchObject({
      name: 'persona system_admin',
      persona: { id: 'system_admin' },
    });
    expect(policyOf(flags(), filesWith(configured))).toMatchObject({
      name: 'the configured personas',
      persona: undefined,
    });
  });

  it('is the persona that is named, before those of the configuration', () => {
    expect(policyOf(flags('cautious'), filesWith(configured))).toMatchObject({ name: 'persona cautious' });
  });

  it('is none, where the folder holds something else and no rule: it would look like a quiet month', () => {
    const folder = dirname(recorded({ 'notes.txt': 'no rule' })[0]!);
    const said = `no rules (*.rule.yaml) in ${folder}`;
    expect(() => policyOf(flags(undefined, folder), filesWith())).toThrow(said);
    expect(() => policyAgainst(folder, policyOf(flags(), filesWith()), filesWith())).toThrow(said);
  });

  it('may be a persona of a file, and the rules of a folder', () => {
    const [file] = recorded({ 'p.yaml': PERSONA });
    const folder = rulesFolder();
    const policy = policyOf(flags(file, folder), filesWith());
    expect([policy.name, policy.rules.map(({ id }) => id)]).toEqual([`persona of_file, rules of ${folder}`, ['mine']]);
  });

  it('may call what the configuration gives one name, as a rule of the daemon', () => {
    const calls = ['restart_channel'] as const;
    const composite = { name: 'renew_then_start', description: 'd', calls, origin: 'a.yaml:1' };
    const files = { ...filesWith(), composites: [composite] };
    const folder = rulesFolder(RULE.replace('call: restart_channel', 'action: renew_then_start'));
    const base = policyOf(flags(undefined, folder), files);
    expect(base.rules.map(({ id }) => id)).toEqual(['mine']);
    expect(policyAgainst(folder, base, files).rules).toEqual(base.rules);
    expect(() => policyOf(flags(undefined, folder), filesWith())).toThrow('renew_then_start');
  });

  it('is refused for a persona that there is not, with the one that was meant or all that there are', () => {
    const refused = (name: string) => {
      try {
        return policyOf(flags(name), filesWith());
      } catch (thrown) {
        return thrown;
      }
    };
    expect(refused('cautius')).toMatchObject({ code: 'USAGE', hint: 'did you mean cautious?' });
    expect(refused('zzzzzzzz')).toMatchObject({
      hint: 'there are cautious, system_admin; a file (*.yaml) will do too',
    });
  });

  it('is refused for files that are not sound, each with its place', () => {
    const [file] = recorded({ 'p.yaml': 'id: of_file\n' });
    const unsound = { code: 'CONFIG_INVALID', message: expect.stringMatching(/problems:\n\S+\.yaml:\d+:\d+: /) };
    expect(() => policyOf(flags(file), filesWith())).toThrow(expect.objectContaining(unsound));
    const rules = rulesFolder('id: mine\n');
    expect(() => policyOf(flags(undefined, rules), filesWith())).toThrow(expect.objectContaining(unsound));
  });
});

describe('the other policy of a comparison', () => {
  const base = policyOf(flags('cautious'), filesWith());

  it('is another persona with the same rules', () => {
    const other = policyAgainst('system_admin', base, filesWith());
    expect([other.name, other.persona?.id, other.rules]).toEqual(['persona system_admin', 'system_admin', base.rules]);
  });

  it('is other rules with the same persona, where a folder is named', () => {
    const folder = rulesFolder();
    const other = policyAgainst(folder, base, filesWith());
    expect([other.name, other.persona?.id, other.rules.map(({ id }) => id)]).toEqual([
      ...[`rules of ${folder}`, 'cautious', ['mine']],
    ]);
  });

  it('has no rule where its folder has none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'reeve-policies-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(policyAgainst(folder, base, filesWith()).rules).toEqual([]);
  });
});

describe('what the decision path reads of a policy', () => {
  const frame = { limits: DEFAULT_LIMITS, phase: 2 as const, otherwise: configured };

  it('is its persona for every channel, its rules and the phase', () => {
    const settings = settingsFor(policyOf(flags('cautious'), filesWith()), frame);
    expect(settings.personaOf(channel, 'g').id).toBe('cautious');
    expect([settings.initialPhase('g'), settings.rulebook.rules.map(({ id }) => id)]).toEqual([2, ['r']]);
  });

  it('is the persona of the configuration where the policy names none', () => {
    const policy = policyOf(flags(), filesWith(configured));
    expect(settingsFor(policy, frame).personaOf(channel, 'g').id).toBe('configured');
    expect(() => settingsFor(policy, { ...frame, otherwise: undefined })).toThrow('no persona is known');
  });
});
