import { symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KeptRules } from '../../src/library/kept.ts';
import { aLibraryFolder, ruleText } from './support.ts';

it('a kept rule that cannot be read keeps no other one from being found', () => {
  const folder = `${aLibraryFolder({ 'proposals/b.rule.yaml': ruleText('b') })}/proposals`;
  symlinkSync('/nowhere', `${folder}/a.rule.yaml`);
  expect(new KeptRules(folder).all().map(({ name }) => name)).toEqual(['b']);
});
