import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { starterFiles } from '../../../src/config/init.ts';
import { aFolder, loadText, MINIMAL } from '../support.ts';
import { findConfigFile, promotedFolder, SHIPPED } from '../../../src/config/document/paths.ts';

describe('the place of a file or folder', () => {
  it.each([
    [{ state: 's1' }, { REEVE_STATE: '/s2', STATE_DIRECTORY: '/s3', XDG_STATE_HOME: '/s4' }, '--state'],
    [{}, { REEVE_STATE: '/s2', STATE_DIRECTORY: '/s3', XDG_STATE_HOME: '/s4' }, '/s2'],
    [{}, { STATE_DIRECTORY: '/s3:/other', XDG_STATE_HOME: '/s4' }, '/s3'],
    [{}, { XDG_STATE_HOME: '/s4' }, '/s4/reeve'],
    [{}, { XDG_STATE_HOME: 'relative' }, 'file'],
    [{}, {}, 'file'],
  ])('finds the state directory by %j and %j: %s', (flags, env, expected) => {
    const { config, cwd } = loadText(`${MINIMAL}state: ./here\n`, env, flags);
    const places: Record<string, string> = { '--state': join(cwd, 's1'), file: join(cwd, 'config/here') };
    expect(config?.stateDirectory).toBe(places[expected] ?? expected);
  });

  it('looks for the file at --config, REEVE_CONFIG, then ./config/reeve.yaml', () => {
    const cwd = aFolder({ 'config/reeve.yaml': MINIMAL, 'a.yaml': MINIMAL, 'b.yaml': MINIMAL });
    const fileOf = (flags: { config?: string }, env: { REEVE_CONFIG?: string }) =>
      loadConfig({ cwd, flags, env }).config?.file;
    expect(fileOf({ config: 'a.yaml' }, { REEVE_CONFIG: 'b.yaml' })).toBe(join(cwd, 'a.yaml'));
    expect(fileOf({}, { REEVE_CONFIG: 'b.yaml' })).toBe(join(cwd, 'b.yaml'));
    expect(fileOf({}, {})).toBe(join(cwd, 'config/reeve.yaml'));
  });

  it('looks in /etc/reeve last, for a file of its own and for the one that reeve init /etc/reeve writes', () => {
    const path = starterFiles(undefined)[0]!.path;
    const here = aFolder({ 'config/reeve.yaml': MINIMAL });
    const initialised = aFolder({ [path]: MINIMAL });
    const both = aFolder({ [path]: MINIMAL, 'reeve.yaml': MINIMAL });
    expect(findConfigFile({}, {}, here, both)).toBe(join(here, 'config/reeve.yaml'));
    expect(findConfigFile({}, {}, aFolder(), both)).toBe(join(both, 'reeve.yaml'));
    expect(findConfigFile({}, {}, aFolder(), initialised)).toBe(join(initialised, path));
    expect(findConfigFile({}, {}, aFolder(), aFolder())).toBeUndefined();
  });

  it('uses the folder beside the file when there is one, else the shipped one', () => {
    const cwd = aFolder({ 'config/reeve.yaml': MINIMAL, 'config/rules/x': '' });
    const folders = loadConfig({ cwd, env: {} }).config?.folders;
    expect(folders?.rules).toBe(join(cwd, 'config/rules'));
    expect(folders?.personas).toBe(join(import.meta.dirname, '../../../personas'));
  });

  it('uses the personas beside the folder config, where there are none in it', () => {
    const foldersIn = (files: Record<string, string>) => {
      const cwd = aFolder({ 'config/reeve.yaml': MINIMAL, ...files });
      return { cwd, personas: loadConfig({ cwd, env: {} }).config?.folders.personas };
    };
    const above = foldersIn({ 'personas/x': '' });
    expect(above.personas).toBe(join(above.cwd, 'personas'));
    const both = foldersIn({ 'personas/x': '', 'config/personas/x': '' });
    expect(both.personas).toBe(join(both.cwd, 'config/personas'));
  });

  it('leaves alone what lies above a folder of another name', () => {
    const cwd = aFolder({ 'etc/reeve.yaml': MINIMAL, 'personas/x': '' });
    const folders = loadConfig({ cwd, env: {}, flags: { config: 'etc/reeve.yaml' } }).config?.folders;
    expect(folders?.personas).toBe(join(import.meta.dirname, '../../../personas'));
  });
});

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
