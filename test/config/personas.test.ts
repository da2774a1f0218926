import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPersonas } from '../../src/config/personas.ts';
import { accessOf, type Persona } from '../../src/core/persona.ts';
import { TOOL_NAMES } from '../../src/core/tool.ts';
import { aFolder, problemLines } from './support.ts';

const SHIPPED = join(import.meta.dirname, '../../personas');

const GOOD = `id: p
risk_tolerance: low
aggressiveness: cautious
tool_access_policy: { restart_channel: allow }
escalation_policy: { on_containment: immediate }
containment_bias: true
operational_mode: remediation
restart_cap: 1
planning_depth_max: 1
retry_threshold: 0.5
`;

describe('the shipped personas', () => {
  const { personas, problems } = loadPersonas(SHIPPED);
  const named = (id: string): Persona => personas.find((persona) => persona.id === id)!;

  it('are five, all sound', () => {
    expect(problemLines(problems)).toEqual([]);
    expect(personas.map(({ id }) => id)).toEqual(['cautious', 'lab', 'live_event', 'system_admin', 'watcher']);
  });

  it('system_admin has every key of the plan with the value of the plan', () => {
    expect(named('system_admin')).toMatchObject({
      id: 'system_admin',
      risk_tolerance: 'medium',
      aggressiveness: 'moderate',
      tool_access_policy: { restart_channel: 'require_evidence', rebuild_playout: 'require_approval' },
      escalation_policy: { on_containment: 'immediate' },
      containment_bias: true,
      operational_mode: 'remediation',
      restart_cap: 3,
      planning_depth_max: 2,
      retry_threshold: 0.6,
    });
  });

  it('name every tool, so that the reader need not guess', () => {
    for (const { id, tool_access_policy } of personas) {
      expect(Object.keys(tool_access_policy).sort(), id).toEqual([...TOOL_NAMES].sort());
    }
  });

  it('watcher changes nothing, three times over', () => {
    const watcher = named('watcher');
    expect(watcher).toMatchObject({ operational_mode: 'diagnostic', restart_cap: 0 });
    for (const tool of ['restart_channel', 'rebuild_playout', 'refresh_credentials', 'invalidate_cache']) {
      expect(accessOf(watcher, tool)).toBe('deny');
    }
  });

  it('live_event lets nothing that viewers see happen without a yes', () => {
    const live = named('live_event');
    expect(accessOf(live, 'restart_channel')).toBe('require_approval');
    expect(accessOf(live, 'rebuild_playout')).toBe('deny');
  });

  it('only the lab is more permissive than system_admin', () => {
    const admin = named('system_admin');
    const laxer = personas.filter(
      ({ restart_cap, planning_depth_max, operational_mode }) =>
        operational_mode === 'remediation' &&
        (restart_cap > admin.restart_cap || planning_depth_max > admin.planning_depth_max),
    );
    expect(laxer.map(({ id }) => id)).toEqual(['lab']);
  });
});

describe('loadPersonas', () => {
  const problemsOf = (text: string) => problemLines(loadPersonas(aFolder({ 'p.yaml': text })).problems);

  it.each([
    [
      'risk_tolerance: low',
      'risk_tolerence: low',
      '2:1 risk_tolerence: unknown key "risk_tolerence" (did you mean risk_tolerance?)',
    ],
    [
      'risk_tolerance: low',
      'risk_tolerance: lo',
      '2:17 risk_tolerance: expected low, medium or high, got "lo" (did you mean low?)',
    ],
    [
      'restart_channel: allow',
      'restart_chanel: allow',
      '4:23 tool_access_policy.restart_chanel: "restart_chanel" is not the name of a tool (see: reeve schema persona) (did you mean restart_channel?)',
    ],
    ['restart_channel: allow', 'reboot: allow', '(the tools are restart_channel, refresh_credentials'],
    [
      'restart_channel: allow',
      'restart_channel: yes',
      '4:40 tool_access_policy.restart_channel: expected allow, require_evidence, require_approval or deny, got "yes"',
    ],
    [
      'containment_bias: true',
      'containment_bias: yes',
      '6:19 containment_bias: expected true or false, got "yes" (write true: in YAML 1.2 this word is text)',
    ],
    [
      'restart_cap: 1',
      'restart_cap: 11',
      '8:14 restart_cap: expected at most 10, got the number 11 (the nearest allowed value is 10)',
    ],
    [
      'restart_cap: 1',
      'restart_cap: -1',
      '8:14 restart_cap: expected at least 0, got the number -1 (the nearest allowed value is 0)',
    ],
    ['restart_cap: 1', 'restart_cap: .inf', '8:14 restart_cap: expected a number, got the number Infinity'],
    ['restart_cap: 1', 'restart_cap:', '8:1 restart_cap: expected a number, got nothing'],
    ['planning_depth_max: 1', 'planning_depth_max: 4', '9:21 planning_depth_max: expected at most 3, got the number 4'],
    ['retry_threshold: 0.5', 'retry_threshold: .nan', '10:18 retry_threshold: expected a number, got the number NaN'],
    ['retry_threshold: 0.5', 'retry_threshold: 60%', '10:18 retry_threshold: expected a number, got "60%"'],
    ['id: p', 'id: P-1', '1:5 id: expected lower case letters, digits and _, at most 40, got "P-1"'],
    ['id: p\n', '', '1:1 id: expected text, got nothing'],
    [
      'restart_cap: 1',
      'restart_cap: 1\nrestart_cap: 10',
      '9:1 restart_cap: the key "restart_cap" stands here a second time',
    ],
  ])('reports %j as %j', (sound, broken, expected) => {
    expect(problemsOf(GOOD)).toEqual([]);
    expect(problemsOf(GOOD.replace(sound, broken)).join('\n')).toContain(expected);
  });

  it('takes an older name of a tool', () => {
    const { personas } = loadPersonas(aFolder({ 'p.yaml': GOOD.replace('restart_channel', 'refresh_plex_token') }));
    expect(accessOf(personas[0]!, 'refresh_credentials')).toBe('allow');
  });

  it('refuses one id in two files, and a file that would silently not count', () => {
    const folder = aFolder({ 'a.yaml': GOOD, 'b.yaml': GOOD, 'c.yml': GOOD, '.hidden.yaml': 'x', 'notes.txt': 'x' });
    expect(problemLines(loadPersonas(folder).problems)).toEqual([
      `1:5 id: the persona p stands in ${join(folder, 'a.yaml')} already (give it another id)`,
      '1:1 : this file is not read: its name does not end in .yaml (rename it, or move it elsewhere)',
    ]);
  });

  it('reports a folder that does not exist', () => {
    expect(problemLines(loadPersonas('/nowhere/at/all').problems)[0]).toContain('expected a readable folder');
  });
});
