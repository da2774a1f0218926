/** A small bundle of hints, and the request that its documentation has as an example. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CLAMP = `---
pattern_id: output_saturation_clamp
---
# Commanded velocity diverges
## Fix
Clamp every command to the rated range before it is sent.
## Patch
\`\`\`diff
-v = step(error)
+v = clamp(step(error), -V_MAX, V_MAX)
\`\`\`
`;

/** A cluster as a bundle has it. */
export const aCluster = (standardName: string, pattern: string, more: object = {}) => ({
  standard_name: standardName,
  domain: 'Control',
  matched_keywords: ['velocity', 'diverges', 'overflow', 'torque'],
  cross_domain_analogies: [
    { source_domain: 'Memory', insight: 'cap the running state', action_suggestion: 'bound the integrator itself' },
  ],
  associated_patterns: [pattern],
  ...more,
});

export const CLUSTERS = {
  output_saturation_clamp: aCluster(
    'Commanded velocity or torque overflow diverges to ±∞ when the controller does not clamp its output',
    'pattern_output_saturation_clamp',
  ),
  '20260518_1bfb99e13c': aCluster('The planner loses its route after a map update', 'pattern_20260518_1bfb99e13c', {
    matched_keywords: ['planner', 'route', 'map'],
    priority: 0,
  }),
  bad_habit: aCluster('The gripper drops its part when it is turned', 'pattern_bad_habit', {
    matched_keywords: ['gripper', 'part'],
    priority: -1,
  }),
};

/** Writes a bundle and gives its folder. */
export function aBundle(folder: string, clusters: object = CLUSTERS): string {
  mkdirSync(join(folder, 'code_patterns'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'bridge_index.json'), JSON.stringify({ symptom_clusters: clusters }));
  // Files of curated hints leave out the prefix.
  writeFileSync(join(folder, 'code_patterns', 'output_saturation_clamp.md'), CLAMP);
  return folder;
}

/** The request of the documented example. */
export const EXAMPLE = {
  error_log: 'ERROR: torque overflow on joint 2',
  previous_scores: [0.42, 0.47, 0.47, 0.46],
  current_iteration: 4,
};
