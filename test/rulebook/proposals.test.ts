import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalFact } from '../../src/core/journal.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { openProposals } from '../../src/rulebook/proposals.ts';
import { recordOf, ruleRecordsProjection } from '../../src/rulebook/record/record.ts';
import { Trial } from '../../src/rulebook/trial.ts';
import { fakeClock } from '../support/fake_clock.ts';

const TEXT = `id: start_crashed
description: Start what died.
classification: process_crashed
then:
  - call: restart_channel
`;

function setUp(texts: readonly string[] = [TEXT]) {
  const directory = join(mkdtempSync(join(tmpdir(), 'reeve-trial-')), 'proposals/rules');
  const { clock } = fakeClock();
  const ledger = new Ledger(new MemoryStore(), clock);
  const records = ledger.register(ruleRecordsProjection);
  ledger.open();
  const proposals = openProposals(directory, [...TOOL_SPECS.values()]);
  for (const text of texts) proposals.write(text);
  const trial = new Trial({ records, append: ledger.append, clock, proposals: () => proposals.list() });
  ledger.subscribe((entry) => trial.onEntry(entry));
  const facts = (type: JournalFact['type']) =>
    [...ledger.read({ types: [type] })].map(({ fact }) => fact).filter((fact) => fact.type === type);
  return { directory, ledger, proposals, trial, facts, record: () => recordOf(records(), 'start_crashed') };
}

describe('Theow 7, proposals', () => {
  it('are files of their own that are never written over', () => {
    const { directory, proposals } = setUp();
    const [name = ''] = readdirSync(directory);
    const before = readFileSync(join(directory, name), 'utf8');
    const again = proposals.write(TEXT);
    expect(readdirSync(directory)).toEqual([name]);
    expect(again.file).toBe(join(directory, name));
    proposals.write(TEXT.replace('what died', 'it anew'));
    expect(readdirSync(directory)).toHaveLength(2);
    expect(readFileSync(join(directory, name), 'utf8')).toBe(before);
    expect(proposals.find('start_crashed')?.rule.description).toBe('Start it anew.');
  });

  it('are left out with their problem where they are not sound', () => {
    const { directory, proposals } = setUp();
    writeFileSync(join(directory, '0000.bad.rule.yaml'), 'id: bad\n');
    expect(proposals.list().map(({ rule }) => rule.id)).toEqual(['start_crashed']);
    expect(proposals.problems()[0]?.file).toContain('0000.bad.rule.yaml');
  });
});
