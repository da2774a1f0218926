import { describe, expect, it } from 'vitest';
import { choicesOf, PROMPT_CHARS_MAX, promptFor, type PromptFacts } from '../../src/agent/prompt.ts';

const facts: PromptFacts = {
  classification: 'process_crashed',
  symptom: 'process_crash',
  confidence: 0.8,
  healthy: false,
  restartCount: 1,
  contained: false,
  templates: ['ffmpeg_exit: exit <num>'],
};

describe('the prompt', () => {
  it('numbers the choices without a gap and always ends with stop and escalate', () => {
    const choices = choicesOf([{ tool: 'restart_channel', target: 'channel:news' }]);
    expect(choices.map(({ index, tool }) => `${index} ${tool}`)).toEqual(['0 restart_channel', '1 stop', '2 escalate']);
    expect(promptFor(facts, choices)).toContain('\n0: restart_channel channel:news\n1: stop -\n2: escalate -\n');
  });

  it('gives the same bytes for the same facts', () => {
    const choices = choicesOf([]);
    expect(promptFor(facts, choices)).toBe(promptFor({ ...facts }, choices));
  });

  it('says unknown where something is not known, never false', () => {
    const prompt = promptFor({ ...facts, healthy: undefined, classification: undefined }, choicesOf([]));
    expect(prompt).toContain('channel_healthy: unknown');
    expect(prompt).toContain('failure_classification: unknown');
  });

  it('stays within its bound whatever the log holds', () => {
    const templates = Array.from({ length: 1_000 }, () => 'x'.repeat(10_000));
    expect(promptFor({ ...facts, templates }, choicesOf([])).length).toBeLessThanOrEqual(PROMPT_CHARS_MAX);
  });
});
