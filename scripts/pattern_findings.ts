// Writes config/pattern_findings.json: what the check of each shipped pattern found. A start takes it from there; a
// pattern that is not in it is checked in full, so the file may be old, but never wrong
// (test/detect/patterns/analysis.test.ts). Usage: node scripts/pattern_findings.ts
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SHIPPED } from '../src/config/document/paths.ts';
import { loadYamlFolder } from '../src/config/files.ts';
import { FINDINGS_FILE } from '../src/config/patterns.ts';
import { analyse, findingsText, keyOf } from '../src/detect/patterns/analysis.ts';
import { patternDocument } from '../src/detect/patterns/pattern.ts';

const found = loadYamlFolder(resolve(SHIPPED, 'config/patterns'), '.yaml').flatMap(({ value }) => {
  const { anchor, patterns } = patternDocument.parse(value);
  const entries = patterns.map((entry) => [keyOf(anchor, entry), analyse(entry.regex)] as const);
  return anchor === undefined ? entries : [...entries, [keyOf(anchor), analyse(anchor)] as const];
});
writeFileSync(FINDINGS_FILE, findingsText(found));
