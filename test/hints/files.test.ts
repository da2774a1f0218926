import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES } from '../../src/core/classification.ts';
import { jsonSchemaOf } from '../../src/config/schema.ts';
import { hintDocument, hintsIn, readHintFiles } from '../../src/hints/files.ts';
import { EXAMPLE } from '../support/hint_bundle.ts';
import { aWorld, temporary } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const request = {
  errorLog: EXAMPLE.error_log,
  previousScores: EXAMPLE.previous_scores,
  currentIteration: EXAMPLE.current_iteration,
};

const CLAMP = 'pattern_output_saturation_clamp';

describe('hints of an operator', () => {
  const HINT = `---\nid: clamp\ndescribes: [the widget wobbles]\npriority: 0\n---\n## Fix\nHold it.\n`;
  const written = (folder: string, text: string, name = 'clamp.md') => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('are Markdown files that stand beside a bundle, or alone', () => {
    const { hints, directory } = aWorld();
    written(join(directory, 'own'), HINT);
    expect(hints.reload()).toMatchObject({ symptoms: 3, symptomsDetail: { added: 1 } });
    const wobbles = { ...request, errorLog: 'ERROR the widget wobbles' };
    const answer = hints.build(wobbles, 'a');
    expect(answer).toMatchObject({ patternId: 'clamp', isStaging: true });
    expect(answer.promptSnippet).toContain('Hold it.');
    const alone = aWorld({ clusters: undefined });
    expect(() => alone.hints.reload()).toThrow('bridge_index.json');
    written(join(alone.directory, 'own'), HINT);
    expect(alone.hints.reload()).toMatchObject({ symptoms: 1 });
  });

  it.each([
    ['no head', '## Fix\nHold it.\n', 1, /between two lines of ---/],
    ['a wrong key', HINT.replace('priority', 'prioritee'), 4, /prioritee/],
    ['a wrong priority', HINT.replace('priority: 0', 'priority: 2'), 4, /2/],
    ['no hint', HINT.slice(0, HINT.indexOf('## Fix')), 1, /expected the hint below/],
  ])('with %s are refused with the place, and the last good ones stay', (_, text, line, message) => {
    const { hints, directory } = aWorld();
    const file = written(join(directory, 'own'), text);
    const [problem] = hintsIn([file]).problems;
    expect(problem).toMatchObject({ file, line, message: expect.stringMatching(message) });
    expect(() => hints.reload()).toThrow(file);
    expect(hints.build(request, 'a')).toMatchObject({ patternId: CLAMP });
  });

  it('have each id once', () => {
    const folder = temporary();
    const files = [written(folder, HINT), written(folder, HINT, 'again.md')];
    expect(hintsIn(files).problems).toMatchObject([{ file: files[1], message: expect.stringContaining('clamp.md') }]);
  });

  it('have a schema for editors, which is the one that is committed', () => {
    const committed: unknown = JSON.parse(readFileSync(join(ROOT, 'config/schemas/hint.schema.json'), 'utf8'));
    expect(committed).toEqual(jsonSchemaOf('hint', { hint: hintDocument }));
  });

  it('are shipped for troubles of channels, and the planner finds each by its classification', () => {
    const { bundle, problems } = readHintFiles(join(ROOT, 'config/hints'));
    expect(problems).toEqual([]);
    const { hints } = aWorld({ clusters: undefined, deps: { similarityFloor: 0.3 } });
    hints.take(bundle);
    for (const { associatedPatterns } of bundle.clusters) {
      const [id = ''] = associatedPatterns;
      expect(FAILURE_CLASSES).toContain(id);
      expect(hints.find(id.replaceAll('_', ' '))?.pattern).toBe(id);
    }
  });
});
