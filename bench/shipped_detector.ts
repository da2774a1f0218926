/** Builds the detector that the benches measure, as the daemon has it. */
import { safeText } from '../src/collect/clean.ts';
import { parseProgress } from '../src/collect/formats/progress.ts';
import { systemClock } from '../src/core/clock.ts';
import type { Symptom } from '../src/core/symptom.ts';
import { createChannelTable } from '../src/detect/channel_table.ts';
import { createDetector, type Detector } from '../src/detect/detector.ts';
import { readCatalogue } from '../scripts/corpus.ts';

/** The detector as the daemon has it: the shipped catalogue, redaction, progress. */
export function shippedDetector(channels: readonly string[], onSymptom: (symptom: Symptom) => void): Detector {
  return createDetector({
    catalogue: readCatalogue(),
    clock: systemClock,
    channels: createChannelTable(channels),
    clean: safeText,
    parseProgress,
    onSymptom,
    onProgress: () => undefined,
    onNotice: () => undefined,
    onUnrecognised: () => undefined,
  });
}
