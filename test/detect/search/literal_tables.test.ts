import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { literalTables, Owners } from '../../../src/detect/search/literal_tables.ts';
import { aCatalogue } from '../catalogue_source.ts';

const ranks = fc.uniqueArray(fc.nat(40), { maxLength: 6 });

describe('the patterns of literals', () => {
  property.prop([fc.array(ranks, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(7), { maxLength: 12 })])(
    'are gathered by rank, each once, whatever literals were found',
    (byLiteral, found) => {
      const owners = new Owners(byLiteral);
      const candidates: number[] = [];
      const hits = found.map((literal) => literal % byLiteral.length);
      for (const literal of hits) owners.addTo(candidates, literal);
      const expected = new Set(hits.flatMap((literal) => byLiteral[literal]!));
      expect(candidates).toEqual([...expected].sort((one, other) => one - other));
    },
  );

  property.prop([fc.array(ranks, { minLength: 1, maxLength: 8 })])(
    'are said to be none only where a literal has none',
    (byLiteral) => {
      const owners = new Owners(byLiteral);
      expect(byLiteral.map((_, literal) => owners.addTo([], literal))).toEqual(
        byLiteral.map((patterns) => patterns.length > 0),
      );
    },
  );
});

describe('the tables of literals', () => {
  const tables = literalTables(
    aCatalogue([
      { id: 'it_broke', symptom: 'corrupt_input', regex: 'it broke: \\d+', match: ['it broke: 1'] },
      { id: 'all_well', symptom: 'benign_noise', regex: 'frame= \\d+', match: ['frame= 1'] },
    ]),
  );
  const textsOf = (kind: 'telling' | 'ordinary') => tables[kind].literals.map(({ text }) => text);

  it('look first for what alarms and for complaints, and for what only harmless patterns have apart from that', () => {
    expect(textsOf('telling')).toEqual(expect.arrayContaining(['it broke: ', 'cannot ']));
    expect(textsOf('ordinary')).toEqual(['frame= ']);
  });

  it('know whose a literal is, and that a complaint is nobody’s', () => {
    const at = (text: string) => textsOf('telling').indexOf(text);
    const candidates: number[] = [];
    expect(tables.telling.owners.addTo(candidates, at('cannot '))).toBe(false);
    expect(tables.telling.owners.addTo(candidates, at('it broke: '))).toBe(true);
    expect(candidates).toHaveLength(1);
  });
});
