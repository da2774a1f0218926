import type { Sample } from '../core/sample.ts';
import type { ProcessFacts } from '../ground/process_facts.ts';
import type { Watched } from './watch.ts';

/**
 * Whether a sample says anything that may change a judgement. A healthy channel whose process is what it was needs
 * none: what time alone changes is seen by the sweep. A machine or engine that is well changes no channel's finding.
 */
export function isNews(sample: Sample, process: ProcessFacts | undefined, watched: Watched | undefined): boolean {
  if (sample.kind === 'engine') return !sample.ok;
  if (sample.kind !== 'process' || process === undefined || watched === undefined) return true;
  const { finding } = watched;
  if (finding.trouble || finding.healthy !== true || sample.halted === true) return true;
  return process.state !== sample.state || process.generation !== sample.generation;
}
