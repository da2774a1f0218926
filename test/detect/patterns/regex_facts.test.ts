import { describe, expect, it } from 'vitest';
import { parseRegex } from '../../../src/detect/patterns/regex.ts';
import { requiredLiterals } from '../../../src/detect/patterns/regex_facts.ts';

const literals = (source: string) => {
  const { root, ignoreCase } = parseRegex(source);
  return requiredLiterals(root, ignoreCase);
};

describe('requiredLiterals', () => {
  it('finds the longest string that every match holds', () => {
    expect(literals('stream key [a-z]+ (?:revoked|rejected)')).toEqual(['stream key ']);
  });

  it('takes one of each branch of a choice', () => {
    expect(literals('Connection reset|ECONNRESET')).toEqual(['Connection reset', 'ECONNRESET']);
  });

  it('spells out small sets', () => {
    expect(literals('HTTP error 40[13]')).toEqual(['HTTP error 401', 'HTTP error 403']);
  });

  it('knows that an optional part is not required', () => {
    expect(literals('token(?: has)? expired')).toEqual(['token expired', 'token has expired']);
  });

  it('finds nothing where nothing is certain', () => {
    expect(literals('\\d+ \\w*')).toEqual([' ']);
    expect(literals('[a-z]*')).toBeUndefined();
  });

  it('is in lower case where case is ignored', () => {
    expect(literals('(?i)Disk Full')).toEqual(['disk full']);
  });
});
