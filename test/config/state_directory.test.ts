import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { stateDirectoryFor } from '../../src/config/state_directory.ts';
import { aFolder, MINIMAL } from './support.ts';

const HOME = '/home/ann';
const env = { HOME };
const USUAL = process.getuid?.() === 0 ? '/var/lib/reeve' : join(HOME, '.local/state/reeve');
const withFile = (text: string): string => aFolder({ 'config/reeve.yaml': text });

describe('the state directory that a command looks into', () => {
  it.each([
    ['', {}, {}],
    ['state: ./here\n', {}, {}],
    ['state: "${PLACE}/reeve"\n', {}, { PLACE: '/srv' }],
    ['state: "${PLACE:-/opt}/reeve"\n', {}, {}],
    ['state: ./here\n', { state: 'there' }, {}],
    ['state: ./here\n', {}, { REEVE_STATE: '/elsewhere' }],
    ['state: ./here\n', {}, { STATE_DIRECTORY: '/var/lib/reeve' }],
  ])('is the one that the daemon has with %j, %j and %j', (more, flags, variables) => {
    const cwd = withFile(`${MINIMAL}${more}`);
    const environment = { ...env, ...variables };
    const { config } = loadConfig({ flags, env: environment, cwd });
    expect(config?.stateDirectory).toBeTypeOf('string');
    expect(stateDirectoryFor(flags, environment, cwd)).toBe(config?.stateDirectory);
  });

  it.each([
    ['an edit that is not sound', 'phase: 9\n'],
    ['a secret that the shell does not have', 'http: { token_env: NOWHERE_SET }\n'],
    ['a variable that the shell does not have', 'persona: "${NOWHERE_SET}"\n'],
  ])('is found beside %s', (_, broken) => {
    const cwd = withFile(`${MINIMAL}state: ./here\n${broken}`);
    expect(loadConfig({ env, cwd }).config).toBeUndefined();
    expect(stateDirectoryFor({}, env, cwd)).toBe(join(cwd, 'config/here'));
  });

  it.each([
    ['is no YAML', 'state: ./here\n{'],
    ['says what it is by a variable that is not set', `${MINIMAL}state: "\${NOWHERE_SET}"\n`],
    ['says no text', `${MINIMAL}state: 7\n`],
    ['says nothing', `${MINIMAL}state: ""\n`],
  ])('is the usual one where the file %s', (_, text) => {
    expect(stateDirectoryFor({}, env, withFile(text))).toBe(USUAL);
  });

  it('is the usual one where there is no file', () => {
    expect(stateDirectoryFor({ config: 'gone.yaml' }, env, aFolder())).toBe(USUAL);
  });
});
