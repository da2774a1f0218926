import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Rule } from '../../src/library/rule.ts';
import { RuleSet } from '../../src/library/rule_set.ts';
import { aLibraryFolder, ruleText } from './support.ts';

describe('the rules of a folder', () => {
  it('are one list by name for as long as none comes or goes, for each collection', () => {
    const set = new RuleSet(aLibraryFolder({ 'rules/b.rule.yaml': ruleText('b'), 'rules/c.rule.yaml': ruleText('c') }));
    set.sync();
    const all = set.all();
    expect(all.map(({ name }) => name)).toEqual(['b', 'c']);
    set.sync();
    expect(set.all()).toBe(all);
    expect(set.all('default')).toBe(set.all('default'));
    const folder = aLibraryFolder({ 'a.rule.yaml': ruleText('a') });
    set.add(Rule.fromYaml(`${folder}/a.rule.yaml`).document);
    expect(set.names).toEqual(['a', 'b', 'c']);
    expect(set.all('default')).toHaveLength(3);
    expect(set.all('elsewhere')).toEqual([]);
  });

  it('stay when their file gets another name', () => {
    const folder = aLibraryFolder({ 'rules/a.rule.yaml': ruleText('one') });
    const set = new RuleSet(folder);
    set.sync();
    renameSync(`${folder}/rules/a.rule.yaml`, `${folder}/rules/b.rule.yaml`);
    expect(set.sync()).toMatchObject({ added: 1, removed: 1, problems: [] });
    expect(set.names).toEqual(['one']);
  });

  it('leave the one that a program has added in its place when their file goes', () => {
    const folder = aLibraryFolder({ 'rules/a.rule.yaml': ruleText('one'), 'own.rule.yaml': ruleText('one') });
    const set = new RuleSet(folder);
    set.sync();
    const own = Rule.fromYaml(`${folder}/own.rule.yaml`).document;
    set.add(own);
    rmSync(`${folder}/rules/a.rule.yaml`);
    expect(set.sync()).toMatchObject({ removed: 1 });
    expect(set.named('one')).toBe(own);
    expect(set.search({}, 'default', () => undefined).map(({ rule }) => rule)).toEqual([own]);
  });

  it('are read though one of the files cannot be, which is named', () => {
    const folder = aLibraryFolder({ 'rules/a.rule.yaml': ruleText('one'), 'rules/b.rule.yaml': ruleText('two') });
    const set = new RuleSet(folder);
    set.sync();
    symlinkSync('/nowhere', `${folder}/rules/c.rule.yaml`);
    mkdirSync(`${folder}/rules/d.rule.yaml`);
    rmSync(`${folder}/rules/b.rule.yaml`);
    expect(set.sync()).toMatchObject({
      removed: 1,
      problems: [
        { file: 'c.rule.yaml', message: expect.stringContaining('ENOENT') },
        { file: 'd.rule.yaml', message: 'cannot be read: it is no regular file' },
      ],
    });
    expect(set.names).toEqual(['one']);
  });

  it('are not gone through one by one for a text where there is no model for vectors', () => {
    const names = Array.from({ length: 300 }, (_, at) => `rule_${at}`);
    const files = Object.fromEntries(names.map((name) => [`rules/${name}.rule.yaml`, ruleText(name)]));
    const set = new RuleSet(aLibraryFolder(files));
    set.sync();
    let lists = 0;
    const all = set.all.bind(set);
    set.all = (collection) => {
      lists += 1;
      return all(collection);
    };
    expect(set.search({ stderr: 'rule_7 fails' }, 'default', () => undefined)[0]?.rule.name).toBe('rule_7');
    expect(lists).toBe(0);
  });
});
