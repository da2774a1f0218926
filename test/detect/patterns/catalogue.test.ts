import { describe, expect, it } from 'vitest';
import { compileCatalogue } from '../../../src/detect/patterns/catalogue.ts';
import { aCatalogue, aSource } from '../catalogue_source.ts';

const entry = (rest: object) => ({
  id: 'refused',
  symptom: 'upstream_unreachable',
  regex: 'Connection refused',
  match: ['Connection refused'],
  ...rest,
});
const problemsOf = (rest: object) =>
  compileCatalogue([aSource({ software: 'test', patterns: [entry(rest)] })]).problems;

describe('compileCatalogue', () => {
  it('reports a counter-example that matches, with file, line and path', () => {
    const problems = problemsOf({ not_match: ['fine', 'tcp: Connection refused'] });
    expect(problems).toEqual([expect.objectContaining({ file: 'test.yaml', line: 7, path: 'patterns.0.not_match.1' })]);
    expect(problems[0]?.message).toContain('refused: the counter-example matches');
  });

  it('reports an example that does not match', () => {
    expect(problemsOf({ match: ['Connection accepted'] })[0]?.message).toContain('the example does not match');
  });

  it('takes no line for ordinary that says that the disk is full, unless the pattern says so itself', () => {
    const watch = 'watch /srv: no space left on device';
    const ordinary = { symptom: 'benign_noise', match: ['watch /srv: limit reached', watch] };
    expect(problemsOf({ ...ordinary, regex: '^watch /srv: ' })).toMatchObject([{ path: 'patterns.0.match.1' }]);
    expect(problemsOf({ ...ordinary, regex: '^watch /srv: (?:limit|no space left on device)' })).toEqual([]);
    expect(problemsOf({ ...ordinary, symptom: 'config_error', regex: '^watch /srv: ' })).toEqual([]);
  });

  it('refuses look-around and says why', () => {
    expect(problemsOf({ regex: 'Connection(?= refused)' })[0]?.message).toContain('look-around');
  });

  it('refuses a pattern that every line might match', () => {
    expect(problemsOf({ regex: '\\d+', match: ['1'] })[0]?.message).toContain('no literal');
  });

  it('takes the letters of any language for what they are in a file, in an expression as in "any"', () => {
    const bytes = Buffer.from('流断开', 'utf8').toString('latin1');
    for (const rest of [{ regex: '流断开' }, { regex: '.开', any: ['流断开'] }]) {
      const source = aSource({ software: 'test', patterns: [entry({ ...rest, match: ['err: 流断开'] })] });
      const { catalogue, problems } = compileCatalogue([source]);
      expect(problems).toEqual([]);
      expect(catalogue.patterns[0]?.literals).toEqual([bytes]);
    }
  });

  it('refuses a misspelt key', () => {
    const [problem] = problemsOf({ symtom: 'x' });
    expect(problem?.message).toContain('symtom');
    expect(problem?.hint).toBeDefined();
  });

  it('refuses an id that is used twice', () => {
    const sources = [
      aSource({ software: 'a', patterns: [entry({})] }),
      aSource({ software: 'b', patterns: [entry({})] }, 'b.yaml'),
    ];
    expect(compileCatalogue(sources).problems[0]).toMatchObject({ file: 'b.yaml', path: 'patterns.0.id' });
  });

  it('refuses an id that is used twice also in files that were compiled before, and where it stands in the last of them', () => {
    const [a, b] = [
      aSource({ software: 'a', patterns: [entry({})] }),
      aSource({ software: 'b', patterns: [entry({ id: 'other' }), entry({})] }, 'b.yaml'),
    ];
    expect(compileCatalogue([a]).problems).toEqual([]);
    expect(compileCatalogue([b]).problems).toEqual([]);
    const { catalogue, problems } = compileCatalogue([a, b]);
    expect(problems).toMatchObject([{ file: 'b.yaml', path: 'patterns.1.id' }]);
    expect(catalogue.patterns.map(({ id }) => id)).toEqual(['refused']);
  });

  it('compiles anew only what was edited', () => {
    const before = aSource({ software: 'a', patterns: [entry({})] });
    const edited = (text: string) => aSource({ software: 'b', patterns: [entry({ id: 'b', match: [text] })] });
    const finds = (sources: Parameters<typeof compileCatalogue>[0]) =>
      new Map(compileCatalogue(sources).catalogue.patterns.map(({ id, find }) => [id, find]));
    const [one, two] = [
      finds([before, edited('Connection refused')]),
      finds([before, edited('Connection refused again')]),
    ];
    expect(two.get('refused')).toBe(one.get('refused'));
    expect(two.get('b')).not.toBe(one.get('b'));
  });

  it('reports the problems of a file at each try', () => {
    const broken = aSource({ software: 'a', patterns: [entry({ regex: '(' })] });
    expect(compileCatalogue([broken]).problems).toHaveLength(1);
    expect(compileCatalogue([broken]).problems).toHaveLength(1);
  });

  it('takes nothing from a file with a problem and everything from the others', () => {
    const { catalogue, problems } = compileCatalogue([
      aSource({ software: 'a', patterns: [entry({ regex: '(' })] }),
      aSource({ software: 'b', patterns: [entry({ id: 'other' })] }),
    ]);
    expect(problems).toHaveLength(1);
    expect(catalogue.patterns.map(({ id }) => id)).toEqual(['other']);
  });

  it('ranks by priority of the file, then severity, then order', () => {
    const { catalogue } = compileCatalogue([
      aSource({ software: 'a', priority: 10, patterns: [entry({ id: 'low', severity: 99 })] }),
      aSource({
        software: 'b',
        patterns: [
          entry({ id: 'weak', severity: 1 }),
          entry({ id: 'one', severity: 60 }),
          entry({ id: 'two', severity: 60 }),
        ],
      }),
    ]);
    expect(catalogue.patterns.map(({ id, index }) => [id, index])).toEqual([
      ['one', 0],
      ['two', 1],
      ['weak', 2],
      ['low', 3],
    ]);
  });

  it('tries a file with an anchor only on lines that contain it', () => {
    const { catalogue } = compileCatalogue([
      aSource({ software: 'a', anchor: '\\[app\\]', patterns: [entry({ match: ['[app] Connection refused'] })] }),
    ]);
    expect(catalogue.patterns[0]!.find('[app] Connection refused')).toBeDefined();
    expect(catalogue.patterns[0]!.find('[other] Connection refused')).toBeUndefined();
  });

  it('keeps to all, any and none', () => {
    const [pattern] = aCatalogue([{ id: 'a', regex: 'status \\d+', match: ['http status 5 upstream'] }], {
      any: ['http', 'https'],
      all: ['upstream'],
      none: ['ignored'],
    }).patterns;
    expect(pattern!.find('http status 5 upstream')).toBeDefined();
    expect(pattern!.find('rtmp status 5 upstream')).toBeUndefined();
    expect(pattern!.find('http status 5')).toBeUndefined();
    expect(pattern!.find('http status 5 upstream ignored')).toBeUndefined();
  });
});
