// A folder of proposed rules, and a trial over them.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalFact } from '../../src/core/journal.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { openProposals } from '../../src/rulebook/proposals.ts';
import { recordOf, ruleRecordsProjection } from '../../src/rulebook/record/record.ts';
import { Trial } from '../../src/rulebook/trial.ts';
import { fakeClock } from '../support/fake_clock.ts';

export const TEXT = `id: start_crashed
description: Start what died.
classification: process_crashed
then:
  - call: restart_channel
`;

export function setUp(texts: readonly string[] = [TEXT]) {
  const directory = join(mkdtempSync(join(tmpdir(), 'reeve-trial-')), 'proposals/rules');
  const { clock } = fakeClock();
  const ledger = new Ledger(new MemoryStore(), clock);
  const records = ledger.register(ruleRecordsProjection);
  ledger.open();
  const proposals = openProposals(directory, [...TOOL_SPECS.values()]);
  for (const text of texts) proposals.write(text);
  /** As the next process does. */
  const begun = (): Trial => {
    const trial = new Trial({ records, append: ledger.append, clock, proposals: () => proposals.list() });
    ledger.subscribe((entry) => trial.onEntry(entry));
    return trial;
  };
  const trial = begun();
  const facts = (type: JournalFact['type']) =>
    [...ledger.read({ types: [type] })].map(({ fact }) => fact).filter((fact) => fact.type === type);
  return { directory, ledger, proposals, trial, begun, facts, record: () => recordOf(records(), 'start_crashed') };
}
