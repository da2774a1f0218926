import { describe, expect, it } from 'vitest';
import { better, byLines, byReading } from '../../../src/ground/rules/whole_reading.ts';
import { died, endOf, factsOf, runs, symptomOf } from '../given.ts';

const reading = symptomOf('upstream_unreachable', 1_000, { whole: true });
const line = symptomOf('process_crash', 2_000);
const named = (classification: Parameters<typeof better>[0]['classification'], trouble = true) => ({
  trouble,
  classification,
});

describe('the last lines of a log read as a whole', () => {
  it('are left out where each line is to count by itself; facts without a reading stay the same object', () => {
    const plain = factsOf({ symptoms: [line] });
    expect(byLines(plain)).toBe(plain);
    expect(byLines(factsOf({ symptoms: [line, reading] })).symptoms).toEqual([line]);
  });

  it('take the place of lines before them that name something else', () => {
    expect(byReading(factsOf({ symptoms: [line, reading] }))?.symptoms).toEqual([reading]);
  });

  it('leave what came after them, what was pushed and what a probe saw', () => {
    const kept = [
      symptomOf('process_crash', 500),
      symptomOf('process_crash', 2_000, { pushed: true }),
      symptomOf('process_crash', 2_000, { origin: 'probe' }),
    ];
    expect(byReading(factsOf({ symptoms: [...kept, reading] }))?.symptoms).toEqual([...kept, reading]);
  });

  it('are not counted beside a line that says the same', () => {
    const same = symptomOf('upstream_unreachable', 3_000);
    expect(byReading(factsOf({ symptoms: [same, reading] }))?.symptoms).toEqual([same]);
  });

  it('say nothing where nothing was read, and nothing of a process that was killed by a signal', () => {
    expect(byReading(factsOf({ symptoms: [line] }))).toBeUndefined();
    const killed = died(5_000, endOf(5_000, { exitSignal: 9 }));
    expect(byReading(factsOf({ symptoms: [reading], process: killed }))).toBeUndefined();
    expect(byReading(factsOf({ symptoms: [reading], process: runs() }))).toBeDefined();
  });
});

describe('which of the two names a trouble', () => {
  it('is the reading where it names what no start cures', () => {
    const [lines, found] = [named('process_crashed'), named('upstream_unavailable')];
    expect(better(lines, found)).toBe(found);
  });

  it.each(['process_crashed', 'output_stalled', 'hls_window_slip', 'publisher_lost', 'unknown'] as const)(
    'are the lines where the reading would make a restart possible or names nothing: %s (law S10)',
    (classification) => {
      const lines = named('media_unplayable');
      expect(better(lines, named(classification))).toBe(lines);
    },
  );

  it('are the lines where one of the two finds no trouble', () => {
    const well = named(undefined, false);
    expect(better(well, named('upstream_unavailable'))).toBe(well);
    const lines = named('process_crashed');
    expect(better(lines, named('upstream_unavailable', false))).toBe(lines);
  });
});
