/** Wires the naming of troubles to the journal, the collectors and the catalogue in force. */
import type { Configuration } from '../config/load.ts';
import { patternRecordsProjection } from '../detect/patterns/records.ts';
import { compiledOf } from '../config/patterns.ts';
import type { Decisions } from './decisions.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Paging } from './paging.ts';
import { patternFolder } from '../rulebook/patterns/files.ts';
import { Teaching } from '../rulebook/patterns/teaching.ts';

/** Before the journal is opened; `start` after it. */
export function createTeaching(parts: {
  readonly infrastructure: Infrastructure;
  readonly decisions: Decisions;
  readonly paging: Paging;
  readonly current: () => Configuration;
}): Teaching {
  const { ledger, clock, state } = parts.infrastructure;
  const { decisions } = parts;
  const { collectors } = decisions;
  return new Teaching({
    folder: patternFolder(state),
    clock,
    append: ledger.append,
    records: ledger.register(patternRecordsProjection),
    read: (query) => ledger.read(query),
    catalogue: () => compiledOf(parts.current().patterns).catalogue,
    names: collectors.channelSetups.map(({ id }) => id),
    fail: parts.paging.fail,
    onSilenced: () => decisions.use(parts.current()),
    unrecognised: (channels, from, until) => collectors.blindSpots().heard(channels, from, until),
  });
}
