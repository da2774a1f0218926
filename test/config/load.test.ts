import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import { aFolder, TOOLS, problemLines } from './support.ts';
import { CONFIG, PERSONA, SOUND as sound } from './sound.ts';

describe('loadConfiguration', () => {
  const load = (files: Record<string, string>, checks?: Parameters<typeof loadConfiguration>[0]['checks']) =>
    loadConfiguration({ cwd: aFolder(files), env: {}, tools: TOOLS, ...(checks && { checks }) });

  it('gives the whole set, patterns with their places', () => {
    const { configuration } = load(sound);
    expect(configuration?.personas.map(({ id }) => id)).toEqual(['mine']);
    expect(configuration?.rules.map(({ id }) => id)).toEqual(['r']);
    expect(configuration?.patterns[0]).toMatchObject({ value: { patterns: [] } });
    expect(configuration?.patterns[0]?.at(['patterns'])).toEqual({ line: 1, column: 11 });
    expect(configuration?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('gives nothing at all when one file of any kind is broken', () => {
    for (const [name, text] of Object.entries(sound)) {
      expect(load({ ...sound, [name]: `${text}broken: [` }).configuration, name).toBeUndefined();
    }
  });

  it('gives nothing when another room finds a problem in a pattern', () => {
    const problem = { file: 'p', line: 1, column: 1, path: '', message: 'no' };
    expect(load(sound, [({ patterns }) => patterns.map(() => problem)]).problems).toEqual([problem]);
  });

  it.each([
    [CONFIG.replace('persona: mine', 'persona: min'), '2:10 persona: there is no persona min in '],
    [CONFIG.replace('persona: mine\n', ''), '1:1 : there is no persona system_admin in '],
    [
      `${CONFIG}engines: [{ id: e, kind: supervisor, socket: /s }]\nchannels: [{ id: a, engine: e, persona: mime }]\n`,
      '7:41 channels.0.persona: there is no persona mime in ',
    ],
    [
      `${CONFIG}engines: [{ id: e, kind: supervisor, socket: /s }]\nchannels: [{ id: a, engine: e }]\ngroups: [{ id: e, persona: yours }]\n`,
      '8:28 groups.0.persona: there is no persona yours in ',
    ],
  ])('reports a persona that does not exist', (config, expected) => {
    expect(problemLines(load({ ...sound, 'config/reeve.yaml': config }).problems)[0]).toContain(expected);
  });

  it('says that there is no persona at all where its folder is empty', () => {
    const { 'config/personas/mine.yaml': _, ...without } = sound;
    const [problem] = load({ ...without, 'config/personas/note.txt': '' }).problems;
    expect(problem).toMatchObject({ path: 'persona', hint: 'there is none' });
  });

  it('has another hash when the content of any file changes', () => {
    const sha = (files: Record<string, string>) => {
      const folder = aFolder(files);
      return loadConfiguration({ cwd: folder, env: {}, tools: TOOLS }).configuration?.sha256;
    };
    expect(sha(sound)).not.toBe(
      sha({ ...sound, 'config/personas/mine.yaml': PERSONA.replace('retry_threshold: 1', 'retry_threshold: 0.9') }),
    );
  });
});
