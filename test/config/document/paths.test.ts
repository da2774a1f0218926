import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { promotedFolder, SHIPPED } from '../../../src/config/document/paths.ts';

const shipped = { rules: join(SHIPPED, 'config/rules'), patterns: join(SHIPPED, 'config/patterns') };

describe('the folder that is promoted into', () => {
  it.each(['rules', 'patterns'] as const)(
    'is beside the configuration where the %s are those of the package',
    (name) => {
      const config = { file: '/etc/reeve/reeve.yaml', folders: shipped };
      expect(promotedFolder(name, config)).toBe(`/etc/reeve/${name}.d`);
    },
  );

  it.each(['rules', 'patterns'] as const)('is the folder of %s where the configuration has one of its own', (name) => {
    const folders = { ...shipped, [name]: `/etc/reeve/${name}` };
    expect(promotedFolder(name, { file: '/etc/reeve/reeve.yaml', folders })).toBe(`/etc/reeve/${name}`);
  });

  it("is the package's own for the configuration of the package itself", () => {
    const config = { file: join(SHIPPED, 'config/reeve.yaml'), folders: shipped };
    expect(promotedFolder('rules', config)).toBe(shipped.rules);
  });
});
