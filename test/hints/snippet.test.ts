import { describe, expect, it } from 'vitest';
import type { BundleCluster } from '../../src/hints/bundle.ts';
import { lineOf, snippetOf } from '../../src/hints/snippet.ts';

const cluster = (with_: Partial<BundleCluster> = {}): BundleCluster => ({
  ...{ id: 'c', standardName: 'The output diverges', domain: 'Control', patterns: [], keywords: [] },
  ...{ associatedPatterns: [], priority: undefined },
  analogies: [{ sourceDomain: 'Memory', insight: 'cap the state', actionSuggestion: 'bound it' }],
  ...with_,
});
const BODY = '# Title\n## Fix\nClamp   it\nbefore sending.\n## Other\nno\n```diff\n-a\n+b\n\n```\n';
const HEADING = '## 🔧 Engineering Heuristics from ROSClaw-How';

describe('the text of a hint', () => {
  it('is what it was seen as, what others do, the fix in one line, and its diff', () => {
    expect(snippetOf(cluster(), BODY, false)).toBe(
      `${HEADING}\n**Seen elsewhere**: The output diverges\n**Analogy** (Memory): cap the state Try: bound it\n` +
        '**Fix**: Clamp it before sending.\n```diff\n-a\n+b\n```',
    );
  });

  it('leaves out what there is none of, and says where it is not proven', () => {
    expect(snippetOf(cluster({ analogies: [] }), undefined, true)).toBe(
      `${HEADING} _(staging: not yet proven)_\n**Seen elsewhere**: The output diverges`,
    );
    expect(snippetOf(cluster(), '## Fixed\nno\n', false)).not.toContain('**Fix**');
  });

  it('cuts a name at 240 characters and marks the cut', () => {
    const seen = (length: number) => snippetOf(cluster({ standardName: 'n'.repeat(length) }), undefined, false);
    expect(seen(240)).toContain(`: ${'n'.repeat(240)}\n`);
    expect(seen(241)).toContain(`: ${'n'.repeat(239)}…\n`);
  });

  it('holds whole lines of a diff, as many as 1,600 characters have room for', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `+${String(index).padStart(99, '.')}`);
    const text = snippetOf(cluster(), `\`\`\`diff\n${lines.join('\n')}\n\`\`\`\n`, false);
    expect(text.length).toBeLessThanOrEqual(1_600);
    expect(text.length).toBeGreaterThan(1_499);
    const kept = text.split('\n').filter((line) => line.startsWith('+'));
    expect(kept).toEqual(lines.slice(0, kept.length));
    expect(text.endsWith('\n```')).toBe(true);
  });

  it('has no diff at all where not even its first line has room', () => {
    const room = 1_600 - snippetOf(cluster(), undefined, false).length - '\n```diff\n\n```'.length - 1;
    const withLine = (length: number) => snippetOf(cluster(), `\`\`\`diff\n${'+'.repeat(length)}\n\`\`\``, false);
    expect(withLine(room)).toContain('```diff');
    expect(withLine(room + 1)).not.toContain('```diff');
  });

  it('shows nothing that a terminal or a reader of logs would obey', () => {
    const text = snippetOf(cluster({ standardName: 'a\u001b[31m\u202eb' }), '```diff\n+\u0007x\n```', false);
    expect(text).not.toMatch(/[\u0007\u001b\u202e]/);
  });
});

describe('a hint in one line', () => {
  it('is its fix, or else what others do, in 280 characters at most', () => {
    expect(lineOf(cluster(), BODY)).toBe('The output diverges: Clamp it before sending.');
    expect(lineOf(cluster(), undefined)).toBe('The output diverges: cap the state');
    expect(lineOf(cluster(), `## Fix\n${'x'.repeat(500)}\n`)).toHaveLength(280);
  });
});
