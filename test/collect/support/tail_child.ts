import { createTail } from '../../../src/collect/tail/tail.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { SqliteCheckpoints } from '../../../src/journal/checkpoints.ts';
import { countChunk } from './counting.ts';

/** A process that follows one file until it is killed: `node tail_child.ts LOG DATABASE`. Prints its count. */
const [path = '', database = ''] = process.argv.slice(2);
const tail = createTail({
  sources: [{ id: 's', path }],
  clock: systemClock,
  checkpoints: new SqliteCheckpoints(database),
  sink: (chunk) => countChunk(chunk).count,
  limits: { checkpointMs: 20, pollMs: 50, lingerMs: 200, backlogBytes: 0 },
});
tail.start();
setInterval(() => process.stdout.write(`${tail.stats()[0]?.lines}\n`), 10);
