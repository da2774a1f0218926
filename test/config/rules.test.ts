import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRules } from '../../src/config/rules.ts';
import { aFolder, TOOLS, problemLines } from './support.ts';

const load = (...texts: string[]) =>
  loadRules(aFolder(Object.fromEntries(texts.map((text, index) => [`r${index}.rule.yaml`, text]))), TOOLS);

const problemsOf = (...texts: string[]) => problemLines(load(...texts).problems);

const ONE = `id: restart_stalled
description: The output stands still.
classification: output_stalled
priority: 50
when:
  - { fact: channel_healthy, equals: false }
  - { fact: symptom, equals: stalled_output }
  - { fact: evidence, regex: 'unchanged for (?<seconds>\\d+) s' }
  - { fact: lasting_ms, at_least: 10s }
  - { fact: confidence, at_least: 0.6 }
  - { fact: restart_count, below: 3 }
  - { fact: last_error_type, contains: stalled }
then:
  - call: fetch_recent_logs
  - call: restart_channel
  - escalate: true
`;

describe('loadRules', () => {
  it('reads one rule of a file', () => {
    const { rules, problems } = load(ONE);
    expect(problemLines(problems)).toEqual([]);
    expect(rules).toEqual([
      {
        id: 'restart_stalled',
        description: 'The output stands still.',
        classification: 'output_stalled',
        priority: 50,
        when: [
          { fact: 'channel_healthy', test: { kind: 'equals', value: false } },
          { fact: 'symptom', test: { kind: 'equals', value: 'stalled_output' } },
          { fact: 'evidence', test: { kind: 'regex', pattern: 'unchanged for (?<seconds>\\d+) s' } },
          { fact: 'lasting_ms', test: { kind: 'at_least', value: 10_000 } },
          { fact: 'confidence', test: { kind: 'at_least', value: 0.6 } },
          { fact: 'restart_count', test: { kind: 'below', value: 3 } },
          { fact: 'last_error_type', test: { kind: 'contains', text: 'stalled' } },
        ],
        // biome-ignore lint/suspicious/noThenProperty: a key of rules
        then: [
          { kind: 'call', tool: 'fetch_recent_logs' },
          { kind: 'call', tool: 'restart_channel' },
          { kind: 'escalate' },
        ],
        origin: expect.stringMatching(/r0\.rule\.yaml:1$/),
      },
    ]);
  });

  it('reads several rules of a file, an older tool name, a wait, and the standard priority', () => {
    const { rules, problems } = load(`rules:
  - id: wait_upstream
    description: It comes back by itself.
    classification: upstream_unavailable
    then: [{ wait: { escalate_after: 60s } }]
  - id: refresh
    description: New credentials, then a start where it still does not play.
    classification: upstream_auth_expired
    then: [{ call: refresh_plex_token }, { call: restart_channel }]
`);
    expect(problemLines(problems)).toEqual([]);
    expect(
      rules.map(({ id, priority, then, origin }) => ({ id, priority, steps: then, line: origin.split(':').at(-1) })),
    ).toEqual([
      { id: 'wait_upstream', priority: 100, steps: [{ kind: 'wait', escalateAfterMs: 60_000 }], line: '2' },
      {
        id: 'refresh',
        priority: 100,
        steps: [
          { kind: 'call', tool: 'refresh_credentials' },
          { kind: 'call', tool: 'restart_channel' },
        ],
        line: '6',
      },
    ]);
  });

  it('leaves proposals alone and refuses a file that would silently not count', () => {
    const folder = aFolder({ 'a.rule.yaml': ONE, 'b.yaml': ONE, 'proposed/c.rule.yaml': 'nonsense' });
    const { rules, problems } = loadRules(folder, TOOLS);
    expect(rules).toHaveLength(1);
    expect(problemLines(problems)).toEqual([
      '1:1 : this file is not read: its name does not end in .rule.yaml (rename it, or move it elsewhere)',
    ]);
  });

  it('refuses one id twice, over all files, and says where the first is', () => {
    expect(problemsOf(ONE, ONE)[0]).toMatch(/^1:5 id: the rule restart_stalled stands at .*r0\.rule\.yaml:1 already/);
  });

  it.each([
    ['classification: output_stalled', 'classification: output_staled', '3:17 classification: expected'],
    ['classification: output_stalled', 'classification: output_staled', '(did you mean output_stalled?)'],
    [
      'classification: output_stalled',
      'classification: upstream_unavailable',
      '15:5 then.1: restart_channel does not cure upstream_unavailable (nothing does: wait or escalate)',
    ],
    [
      'classification: output_stalled',
      'classification: playout_empty',
      'restart_channel does not cure playout_empty (rebuild_playout can)',
    ],
    [
      'classification: output_stalled',
      'classification: upstream_auth_expired',
      'restart_channel does not cure upstream_auth_expired (refresh_credentials can)',
    ],
    ['call: restart_channel', 'call: restart_chanel', '15:11 then.1.call: expected restart_channel'],
    ['call: restart_channel', 'call: restart_chanel', '(did you mean restart_channel?)'],
    [
      'call: restart_channel',
      'call: restart_channel\n    wait: { escalate_after: 5s }',
      'expected one of call, action, plan, wait, escalate or stop, got call and wait',
    ],
    ['escalate: true', 'escalate: false', '16:15 then.2.escalate: expected true, got false'],
    ['- escalate: true', '- {}', '16:5 then.2: expected one of call, action, plan, wait, escalate or stop, got none'],
    ['- call: fetch_recent_logs', '- stop: true', '15:5 then.1: nothing comes after stop (make it the last step)'],
    [
      '- escalate: true',
      '- call: get_channel_health\n  - call: restart_channel',
      '17:5 then.3: expected at most 3 calls, got 4',
    ],
    ['fact: symptom', 'fact: symptoms', '7:13 when.1.fact: expected one of 20 known words'],
    [
      'fact: symptom, equals: stalled_output',
      'fact: timestamp, at_least: 5',
      '7:13 when.1.fact: expected one of 20 known words',
    ],
    [
      'equals: stalled_output',
      'equals: stall_output',
      '7:5 when.1: symptom is never "stall_output" (did you mean stalled_output?)',
    ],
    [
      'equals: stalled_output',
      'equal: stalled_output',
      '7:22 when.1.equal: unknown key "equal" (did you mean equals?)',
    ],
    [
      ', equals: stalled_output',
      '',
      '7:5 when.1: expected one of equals, contains, regex, at_least or below, got none',
    ],
    ['equals: stalled_output', 'equals: a, contains: b', 'got equals and contains (one test to a line)'],
    ['equals: false', 'equals: "no"', '6:5 when.0: channel_healthy is true or false, got "no"'],
    ['equals: false', 'contains: x', 'channel_healthy is true or false: it has no text to search'],
    ['at_least: 10s', 'at_least: 10', '9:5 when.3: expected a duration such as 30s, got the number 10 without a unit'],
    ['at_least: 0.6', 'at_least: high', '10:5 when.4: expected a number, got "high"'],
    ['at_least: 0.6', 'at_least: .nan', 'expected'],
    ['contains: stalled', 'below: 5', '12:5 when.6: last_error_type is a text: it has no size'],
    ['(?<seconds>\\d+)', '(?=5)', '8:5 when.2: look-around is not supported: it has no linear-time form'],
    ['(?<seconds>\\d+)', '(x)\\1', 'back-references are not supported'],
    ['(?<seconds>\\d+)', '(', 'not a pattern in RE2 syntax: missing closing )'],
    ['priority: 50', 'priority: 5000', '4:11 priority: expected at most 1000'],
    ['id: restart_stalled', 'id: Restart', '1:5 id: expected lower case letters'],
    ['then:', 'than:', 'unknown key "than" (did you mean then?)'],
  ])('reports %j as %j', (sound, broken, expected) => {
    expect(problemsOf(ONE.replace(sound, broken)).join('\n')).toContain(expected);
  });

  it('reports the problems of every rule of a list, and whether each is otherwise sound', () => {
    const text = `rules:
  - { id: a, description: d, classification: nothing, then: [{ stop: true }] }
  - { id: b, description: d, classification: host_exhausted, then: [{ call: restart_channel }] }
  - { id: a, description: d, classification: unknown, then: [{ stop: true }] }
`;
    const problems = problemsOf(text);
    expect(problems).toHaveLength(3);
    expect(problems[0]).toContain(
      '2:46 rules.0.classification: expected one of 26 known words, got "nothing" (known are telemetry_untrusted',
    );
    expect(problems[1]).toContain('3:69 rules.1.then.0: restart_channel does not cure host_exhausted');
    expect(problems[2]).toMatch(/^4:11 rules\.2\.id: the rule a stands at .*:2 already/);
  });

  it('lets a restart follow the tool that cures, never come before it', () => {
    const rule = (...calls: string[]) =>
      `id: r\ndescription: d\nclassification: upstream_url_expired\nthen: [${calls.map((call) => `{ call: ${call} }`).join(', ')}]\n`;
    expect(problemsOf(rule('invalidate_cache', 'restart_channel'))).toEqual([]);
    expect(problemsOf(rule('restart_channel', 'invalidate_cache'))[0]).toContain('restart_channel does not cure');
    expect(problemsOf(rule('fetch_recent_logs', 'restart_channel'))[0]).toContain('restart_channel does not cure');
  });

  it('the shipped rules are sound', () => {
    expect(problemLines(loadRules(join(import.meta.dirname, '../../config/rules'), TOOLS).problems)).toEqual([]);
  });
});
