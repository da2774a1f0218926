import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../src/config/yaml.ts';
import { compileCatalogue } from '../../../src/detect/patterns/catalogue.ts';
import { patternText } from '../../../src/detect/patterns/draft.ts';
import { patternDocument } from '../../../src/detect/patterns/pattern.ts';
import { aCatalogue, aSource } from '../catalogue_source.ts';
import { draftOf, LINE } from './drafting.ts';

describe('a draft', () => {
  it('has an unused id made of its own terms', () => {
    const { id } = draftOf();
    expect(id).toBe('taught_mux_zorble_matrix_desync');
    expect(draftOf({ taken: [id] }).id).toBe(`${id}_2`);
  });

  it('reports what it would have matched, and what of it is classified otherwise', () => {
    const { fits, clashes } = draftOf({
      history: [
        { text: LINE.replace('4711', '1'), symptom: 'unknown' },
        { text: LINE.replace('4711', '2'), symptom: 'stalled_output' },
        { text: LINE.replace('4711', '3'), symptom: 'benign_noise' },
        { text: 'something else', symptom: 'unknown' },
      ],
    });
    expect(fits.map(({ symptom }) => symptom)).toEqual(['unknown', 'stalled_output']);
    expect(clashes.map(({ symptom }) => symptom)).toEqual(['benign_noise']);
  });

  it('clashes with the example of a pattern in force', () => {
    const catalogue = aCatalogue([{ id: 'zorble', regex: 'zorble', match: [LINE], symptom: 'benign_noise' }]);
    expect(draftOf({ catalogue }).clashes).toHaveLength(1);
  });

  it('says where it ends, by lines that are near and that it does not fit', () => {
    const near = 'zorble matrix resync on channel news: all is well';
    expect(draftOf({ history: [{ text: near, symptom: 'unknown' }] }).document.patterns[0]!.not_match).toEqual([near]);
  });

  it('is a file that the catalogue takes as it is', () => {
    const draft = draftOf({ lines: ['it said "quoted: stuff" # and\\more 100% of zorble [x] {y}'], names: [] });
    const text = patternText(draft.document, ['taught by ann\nfrom an incident']);
    const parsed = parseYaml('/x/a.yaml', text);
    expect(parsed.problems).toEqual([]);
    expect(patternDocument.parse(parsed.value)).toEqual(draft.document);
    expect(compileCatalogue([aSource(parsed.value)]).problems).toEqual([]);
  });
});
