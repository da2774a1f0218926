import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compositesFrom } from '../../src/config/composites.ts';
import { loadYamlFolder } from '../../src/config/files.ts';
import { loadRules } from '../../src/config/rules.ts';
import { aFolder, TOOLS, problemLines } from './support.ts';

const composites = (...texts: string[]) =>
  compositesFrom(
    loadYamlFolder(aFolder(Object.fromEntries(texts.map((text, index) => [`a${index}.yaml`, text]))), '.yaml'),
  );
const RENEW = `name: renew
description: Renew, then start.
calls: [invalidate_cache, refresh_plex_token, restart_channel]
`;
const load = (text: string, actions: readonly string[] = [RENEW]) =>
  loadRules(aFolder({ 'r.rule.yaml': text }), TOOLS, composites(...actions).composites);
const problemsOf = (text: string, actions?: readonly string[]) => problemLines(load(text, actions).problems);

const HEAD = `id: stale
description: The address is stale.
classification: upstream_url_expired
`;

describe('Theow 4, the format of a rule', () => {
  it('reads name, tags, collection, examples and explorable, and leaves out what is not written', () => {
    const text = `${HEAD}name: stale-url
tags: [iptv, url]
collection: sources
examples: ["410 Gone for https://cdn/x"]
explorable: true
when:
  - { fact: evidence, contains: "410", examples: ["HTTP 410 Gone"] }
then:
  - escalate: true
`;
    const { rules, problems } = load(text);
    expect(problemLines(problems)).toEqual([]);
    expect(rules[0]).toMatchObject({
      name: 'stale-url',
      tags: ['iptv', 'url'],
      collection: 'sources',
      examples: ['410 Gone for https://cdn/x'],
      explorable: true,
      when: [{ fact: 'evidence', test: { kind: 'contains', text: '410' }, examples: ['HTTP 410 Gone'] }],
    });
    expect(Object.keys(load(`${HEAD}then: [{ escalate: true }]`).rules[0] ?? {})).not.toContain('tags');
  });

  it('refuses a second name that another rule has as its id', () => {
    const text = `rules:
  - { id: a, description: d, classification: unknown, then: [{ escalate: true }] }
  - { id: b, name: a, description: d, classification: unknown, then: [{ escalate: true }] }
`;
    expect(problemsOf(text)[0]).toMatch(/^3:\d+ .*the rule a stands at .*:2 already/);
  });

  it('reads llm_config with its prompt inline, and the standard bounds', () => {
    const { rules, problems } = load(`${HEAD}llm_config:
  prompt_template: Look at the address.
  tools: [invalidate_cache]
  use_secondary: true
`);
    expect(problemLines(problems)).toEqual([]);
    expect(rules[0]?.llmConfig).toEqual({
      prompt: 'Look at the address.',
      tools: ['invalidate_cache'],
      toolCallsMax: 15,
      tokensMax: 8_192,
      useSecondary: true,
    });
    expect(rules[0]?.then).toEqual([{ kind: 'plan' }, { kind: 'escalate' }]);
  });

  it('reads a prompt from a file beside the rules, and says where one is missing or too long', () => {
    const rule = (file: string) => `${HEAD}llm_config: { prompt_template: "file://${file}" }\n`;
    const folder = aFolder({ 'r.rule.yaml': rule('look.md'), 'look.md': 'Look.' });
    expect(loadRules(folder, TOOLS).rules[0]?.llmConfig?.prompt).toBe('Look.');
    expect(problemsOf(rule('none.md'))[0]).toMatch(/^4:\d+ .*expected a readable prompt/);
    writeFileSync(join(folder, 'look.md'), 'x'.repeat(16_385));
    expect(problemLines(loadRules(folder, TOOLS).problems)[0]).toContain('expected at most 16384 bytes');
  });

  it('refuses a tool that there is not, two ways of deciding, and a rule that does nothing', () => {
    expect(problemsOf(`${HEAD}llm_config: { prompt_template: x, tools: [restart_chanel] }`)[0]).toMatch(
      /^4:\d+ .*there is no tool restart_chanel.*did you mean restart_channel/,
    );
    expect(problemsOf(`${HEAD}llm_config: { prompt_template: x }\nthen: [{ escalate: true }]`)[0]).toContain(
      'expected then or llm_config, got both',
    );
    expect(problemsOf(HEAD)[0]).toContain('expected then, llm_config, sets or retracts, got none');
  });

  it('takes `- plan: true` between calls', () => {
    const { rules, problems } = load(`${HEAD}then:
  - call: invalidate_cache
  - plan: true
  - escalate: true
`);
    expect(problemLines(problems)).toEqual([]);
    expect(rules[0]?.then.map(({ kind }) => kind)).toEqual(['call', 'plan', 'escalate']);
  });
});

describe('composite actions', () => {
  it('are expanded into their calls when the rules are read', () => {
    const { rules, problems } = load(`${HEAD}then: [{ action: renew }, { escalate: true }]`);
    expect(problemLines(problems)).toEqual([]);
    expect(rules[0]?.then).toEqual([
      { kind: 'call', tool: 'invalidate_cache' },
      { kind: 'call', tool: 'refresh_credentials' },
      { kind: 'call', tool: 'restart_channel' },
      { kind: 'escalate' },
    ]);
  });

  it('count call by call towards the three of a run', () => {
    expect(problemsOf(`${HEAD}then: [{ call: invalidate_cache }, { action: renew }]`)[0]).toMatch(
      /^4:\d+ .*expected at most 3 calls, got 4/,
    );
  });

  it('are named by what is nearest when one is misspelt', () => {
    expect(problemsOf(`${HEAD}then: [{ action: renw }]`)[0]).toContain('did you mean renew?');
    expect(problemsOf(`${HEAD}then: [{ action: renew }]`, [])[0]).toContain('there is none in config/actions');
  });

  it('have one name each, and their problems stand at their place', () => {
    expect(problemLines(composites(RENEW, RENEW).problems)[0]).toMatch(/^1:\d+ .*the action renew stands at/);
    expect(problemLines(composites('name: a\ndescription: d\ncalls: [reboot]\n').problems)[0]).toMatch(/^3:/);
  });
});

describe('Theow 11, facts that one rule sets for the next', () => {
  const two = (sets: string, test: string) => `rules:
  - { id: a, description: d, classification: unknown, sets: [${sets}] }
  - { id: b, description: d, classification: unknown, when: [${test}], then: [{ escalate: true }] }
`;

  it('are read with their type', () => {
    const { rules, problems } = load(two('{ fact: leak, value: 3 }', '{ derived: leak, at_least: 2 }'));
    expect(problemLines(problems)).toEqual([]);
    expect(rules[0]?.sets).toEqual([{ name: 'leak', value: 3 }]);
    expect(rules[1]?.when).toEqual([{ fact: 'derived.leak', test: { kind: 'at_least', value: 2 } }]);
  });

  it('are refused where no rule sets them, or as another type', () => {
    expect(problemsOf(two('{ fact: leak, value: true }', '{ derived: leek, equals: true }'))[0]).toMatch(
      /^3:\d+ .*no rule sets leek .*did you mean leak/,
    );
    expect(problemsOf(two('{ fact: leak, value: true }', '{ derived: leak, at_least: 2 }'))[0]).toContain(
      'leak is boolean, not number',
    );
    expect(
      problemsOf(two('{ fact: leak, value: 1 }, { fact: leak, value: x }', '{ derived: leak, below: 2 }'))[0],
    ).toContain('leak is number elsewhere, here string');
  });

  it('are tested under `derived`, the envelope under `fact`, and never under both', () => {
    expect(problemsOf(two('{ fact: x, value: 1 }', '{ equals: 1 }'))[0]).toContain(
      'expected fact or derived, got neither',
    );
    expect(problemsOf(two('{ fact: x, value: 1 }', '{ fact: confidence, derived: x, equals: 1 }'))[0]).toContain(
      'expected fact or derived, got both',
    );
  });
});
