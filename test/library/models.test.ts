import { describe, expect, it } from 'vitest';
import { modelNamed } from '../../src/library/models.ts';
import { fakeClock } from '../support/fake_clock.ts';

const named = (name: string) => modelNamed(name, fakeClock().clock).name;

describe('the name of a model', () => {
  it.each(['ollama/qwen2.5', 'gemini/gemini-2.0-flash', 'openai/org/model:tag'])('%s is provider and model', (name) => {
    expect(named(name)).toBe(name);
  });

  it.each(['qwen2.5', 'ollama/', '/qwen', 'unknown/x', 'toString/x', ''])(
    '%j is refused with the providers',
    (name) => {
      expect(() => named(name)).toThrow(
        expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('ollama') }),
      );
    },
  );
});
