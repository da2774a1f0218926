// Writes a journal of many incidents, as the benches need it.
import { FAILURE_CLASSES } from '../src/core/classification.ts';
import { systemClock } from '../src/core/clock.ts';
import { Ledger } from '../src/journal/ledger.ts';
import { SqliteStore } from '../src/journal/sqlite.ts';
import { incidentDrafts } from '../test/support/incident_story.ts';

/** The log lines of the incidents, in turn. */
export const LINES = [
  'Server returned 403 Forbidden',
  'Connection refused by http://origin.example/live',
  'No space left on device',
  'icecast: broken pipe',
  'h264_nvenc: out of memory',
  'nginx: connection timed out',
  'mediamtx: too many open files',
];

/** The id of the incident with this number: in no order, as real ones are. */
export const incidentId = (index: number): string => `inc-${(index * 2_654_435_761).toString(16)}`;

function story(index: number) {
  return incidentDrafts({
    ...{ id: incidentId(index), channel: `ch${index % 500}`, cured: index % 9 > 0 },
    ...{ line: LINES[index % LINES.length]!, failureClass: FAILURE_CLASSES[index % FAILURE_CLASSES.length]! },
  });
}

/** A journal of so many incidents of about eleven entries each; returns the number of its entries. */
export function writeIncidents(path: string, incidents: number): number {
  using ledger = new Ledger(SqliteStore.open(path), systemClock, { snapshotEntries: 1_000_000_000 });
  ledger.open();
  for (let index = 0; index < incidents; index += 50)
    ledger.append(Array.from({ length: 50 }, (_, offset) => story(index + offset)).flat());
  return ledger.lastSeq;
}
