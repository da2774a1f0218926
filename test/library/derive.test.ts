import { describe, expect, it } from 'vitest';
import { createReeve } from '../../src/library/reeve.ts';
import { aLibraryFolder } from './support.ts';

const detection = (name: string, when: string, says: string) =>
  `name: ${name}\ndescription: ${name.replaceAll('_', ' ')}\nwhen:\n  - ${when}\n${says}\n`;

/** The example of the seed: three small rules instead of one for each combination. */
const FILES = {
  'rules/a.rule.yaml': detection('oom', '{ fact: events, contains: OOMKilled }', 'sets: { memory: short }'),
  'rules/b.rule.yaml': detection('hpa', '{ fact: replicas, equals: max }', 'sets: { scale: spent }'),
  'rules/c.rule.yaml': `name: leak
description: memory is short although all replicas run
when:
  - { fact: memory, equals: short }
  - { fact: scale, equals: spent }
then:
  - action: roll_back
    params: { because: "{memory}, {scale}" }
`,
};
const SITUATION = { events: 'pod x OOMKilled twice', replicas: 'max' };

describe('Theow 11, forward chaining', () => {
  it('lets small rules set facts that the rules which act test, and fill in', () => {
    const reeve = createReeve({ directory: aLibraryFolder(FILES) });
    expect(reeve.resolve(SITUATION)?.actions).toEqual([{ action: 'roll_back', params: { because: 'short, spent' } }]);
    expect(reeve.resolve({ ...SITUATION, replicas: 3 })).toBeUndefined();
  });

  it('lets a rule retract a fact', () => {
    const planned = detection('planned', '{ fact: note, equals: load_test }', 'retracts: [scale, memory]');
    // Both are drawn in one round, in the order of their names: what is retracted there is gone in the next one.
    const reeve = createReeve({ directory: aLibraryFolder({ ...FILES, 'rules/p.rule.yaml': planned }) });
    expect(reeve.resolve(SITUATION)?.name).toBe('leak');
    expect(reeve.resolve({ ...SITUATION, note: 'load_test' })).toBeUndefined();
  });

  it.each([
    [3, true],
    [4, false],
  ])('draws a chain of %i rules: %s', (length, isDrawn) => {
    const chain = Object.fromEntries(
      Array.from({ length }, (_, at) => [
        `rules/s${at}.rule.yaml`,
        detection(`s${at}`, `{ fact: f${at}, equals: "yes" }`, `sets: { f${at + 1}: "yes" }`),
      ]),
    );
    const end = `name: end\ndescription: the end\nwhen: [{ fact: f${length}, equals: "yes" }]\nthen: [{ action: stop }]\n`;
    const reeve = createReeve({ directory: aLibraryFolder({ ...chain, 'rules/end.rule.yaml': end }) });
    expect(reeve.resolve({ f0: 'yes' }) !== undefined).toBe(isDrawn);
  });

  it('never calls a rule, and never gives one that only sets facts', () => {
    const reeve = createReeve({ directory: aLibraryFolder({ 'rules/a.rule.yaml': FILES['rules/a.rule.yaml'] }) });
    expect(reeve.resolve(SITUATION)).toBeUndefined();
    expect(reeve.resolve(SITUATION, { rules: ['oom'] })).toBeUndefined();
  });

  it.each([
    ['sets: {}', 'expected at least one fact'],
    ['tags: [x]', 'expected then, llm_config, sets or retracts'],
    ['sets: { a: [1] }', 'sets'],
  ])('refuses a rule that says only %s', (says, because) => {
    const directory = aLibraryFolder({
      'rules/a.rule.yaml': detection('bad', '{ fact: events, contains: x }', says),
    });
    const reeve = createReeve({ directory });
    expect(reeve.rules).toEqual([]);
    const problems = reeve.sync().problems.map(({ path, message }) => `${path} ${message}`);
    expect(problems.join('\n')).toContain(because);
  });

  it('leaves what holds in another collection alone', () => {
    const elsewhere = FILES['rules/a.rule.yaml'].replace('when:', 'collection: other\nwhen:');
    const reeve = createReeve({ directory: aLibraryFolder({ ...FILES, 'rules/a.rule.yaml': elsewhere }) });
    expect(reeve.resolve(SITUATION)).toBeUndefined();
  });
});
