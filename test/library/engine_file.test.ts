import { describe, expect, it } from 'vitest';
import { engineFile } from '../../src/library/engine_file.ts';
import { createReeve } from '../../src/library/reeve.ts';
import { scriptedModel } from './scripted_model.ts';
import { aLibraryFolder } from './support.ts';

const folder = (text: string) => aLibraryFolder({ 'config.yaml': text });

describe("Theow 10, the folder's config.yaml", () => {
  it('names models, budgets and thresholds', () => {
    const directory = folder(
      'llm: ollama/qwen3:8b\nllm_secondary: openai/small\nsession_limit: 3\nthresholds: { same_situation: 0.7 }\n',
    );
    expect(engineFile(directory)).toEqual({
      ...{ llm: 'ollama/qwen3:8b', llm_secondary: 'openai/small', session_limit: 3 },
      thresholds: { same_situation: 0.7 },
    });
    expect(engineFile(aLibraryFolder())).toEqual({});
    expect(engineFile(folder('# nothing yet\n'))).toEqual({});
  });

  it('applies where the program sets nothing else', async () => {
    const explored = async (sessionLimit?: number) => {
      const { model, asked } = scriptedModel([{ tool: 'give_up', input: {} }]);
      const directory = folder('session_limit: 1\n');
      const reeve = createReeve({
        ...{ directory, model, explore: () => true },
        ...(sessionLimit !== undefined && { sessionLimit }),
      });
      for (const stderr of ['a quota is exceeded', 'no route to the host', 'the certificate has expired'])
        await reeve.explore({ stderr });
      return asked.length;
    };
    expect(await explored()).toBe(1);
    expect(await explored(2)).toBe(2);
  });

  it('bounds tool calls of one session', async () => {
    const { model, asked } = scriptedModel([{ tool: 'list_rules', input: {} }]);
    const directory = folder('budget: { max_tool_calls: 4 }\n');
    const reeve = createReeve({ directory, model, explore: () => true });
    await reeve.explore({ stderr: 'a quota is exceeded' });
    expect(asked).toHaveLength(4);
  });

  it('says from which likeness on two situations are one', async () => {
    const explored = async (text: string) => {
      const { model, asked } = scriptedModel([{ tool: 'give_up', input: {} }]);
      const reeve = createReeve({ directory: folder(text), model, explore: () => true });
      await reeve.explore({ stderr: 'the quota of the build disk was exceeded' });
      await reeve.explore({ stderr: 'the quota of the build host was exceeded' });
      return asked.length;
    };
    expect(await explored('thresholds: { same_situation: 0.3 }\n')).toBe(1);
    expect(await explored('thresholds: { same_situation: 1 }\n')).toBe(2);
  });

  it.each([
    ['llm: qwen\n', 'config.yaml:1:6: '],
    ['llm: ollama/qwen\nbudged: { max_tokens: 4 }\n', 'config.yaml:2:1: '],
    ['session_limit: 0\n', 'config.yaml:1:16: '],
    ['thresholds: { likeness: 0 }\n', 'config.yaml:1:25: '],
    ['llm: [\n', 'config.yaml:'],
  ])('is refused with its place: %j', (text, place) => {
    expect(() => createReeve({ directory: folder(text) })).toThrow(place);
  });
});
