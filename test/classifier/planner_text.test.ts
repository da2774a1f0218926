import { describe, expect, it } from 'vitest';
import { readCatalogue } from '../../scripts/corpus.ts';
import { createPlannerText } from '../../src/classifier/planner_text.ts';

const { templateOf, templatesOf } = createPlannerText(readCatalogue());

describe('a line as a planner sees it', () => {
  it('that no pattern fits is shown as kinds of values alone, without a word of it', () => {
    expect(templateOf('frobnicate the gizmo at 192.0.2.1')).toBe('<str> <ip>');
    expect(templateOf('')).toBe('');
  });

  it('that a pattern fits is named by it, with the words of the pattern and no others', () => {
    const template = templateOf('av_interleaved_write_frame(): No space left on device');
    expect(template).toMatch(/^\w+: .*\bno space left on\b/);
    expect(templateOf('zebra av_interleaved_write_frame(): No space left on device zebra')).not.toContain('zebra');
    expect(templateOf('RTMP_Connect1, TLS_Connect zebra failed')).toMatch(
      /^\w+: rtmp connect <str> connect <str> fail/,
    );
  });

  it('never has five words of a log in a row', () => {
    const runs = templateOf('av_interleaved_write_frame(): No space left on device')
      .replace(/^\w+: /, '')
      .split(/<\w+>/)
      .map((run) => run.trim().split(/\s+/).length);
    expect(Math.max(...runs)).toBeLessThanOrEqual(4);
  });

  it('has at most 240 characters', () => {
    const line = Array.from({ length: 300 }, (_, at) => `word${'x'.repeat(at % 3)} /srv/media/a`).join(' ');
    expect(templateOf(line)).toHaveLength(240);
  });
});

describe('the lines of one record', () => {
  it('say nothing where a quoted value let its text through onto them', () => {
    const full = 'av_interleaved_write_frame(): No space left on device';
    const [, inside] = templatesOf(['level=info user="ann', full]);
    expect(inside).not.toContain('space');
    expect(templatesOf(['level=info user="ann"', full])[1]).toContain('space');
  });
});
