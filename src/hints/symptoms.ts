/** What kind of error a log reports: ten labels, found by fixed expressions; four of them get a fixed answer. */

/** Labels of errors. The first four are about safety; the last one means that nothing fitted. */
const SYMPTOM_LABELS = [
  'Emergency_Stop',
  'Collision_Detected',
  'Limit_Exceeded',
  'Thermal_Overload',
  'Numerical_Instability',
  'Memory_Exhaustion',
  'Communication_Timeout',
  'Compile_Error',
  'Oscillation_Divergence',
  'Unknown_Error',
] as const;
export type SymptomLabel = (typeof SYMPTOM_LABELS)[number];

/** Text beyond this many characters is cut in the middle: an error stands at the beginning or at the end of a log. */
const LOG_CHARS_MAX = 8_192;

/** In this order: the first that fits counts. Each takes time in proportion to the text. */
const EXPRESSIONS: readonly (readonly [SymptomLabel, RegExp])[] = [
  ['Emergency_Stop', /\be-?stop\b|emergency[ _-]?(?:stop|shut)|safety[ _-]?(?:relay|interlock|stop)/i],
  ['Collision_Detected', /\bcollision\b|\bcollided\b|self-collision|(?:person|human) in (?:the )?(?:cell|workspace)/i],
  [
    'Limit_Exceeded',
    /(?:joint|torque|force|velocity|position|current|voltage|power)[ _-]?limit\b.{0,40}(?:exceed|violat|reach)|over-?(?:current|voltage|torque)\b/i,
  ],
  ['Thermal_Overload', /over-?(?:heat|temperature)|thermal (?:runaway|shutdown|throttl|overload)|\bon fire\b/i],
  ['Numerical_Instability', /\bnan\b|\binf(?:inity)?\b in |singular matrix|gradients? explod|loss explod/i],
  ['Memory_Exhaustion', /out of memory|\boom\b|cannot allocate|memory exhaust|no space left/i],
  [
    'Communication_Timeout',
    /time[d]?[ _-]?out|connection (?:refused|reset|lost)|broken pipe|unreachable|deadline exceeded/i,
  ],
  [
    'Compile_Error',
    /syntax ?error|compil(?:e|ation) (?:error|failed)|undefined (?:reference|symbol)|cannot find module|invalid config/i,
  ],
  ['Oscillation_Divergence', /oscillat|diverg|overshoot|wind-?up|torque overflow|unstable|\bflapp?ing\b/i],
];

/** The label of a log. Never throws; text of any length and content. */
export function symptomOf(log: string): SymptomLabel {
  const text = excerptOf(log);
  return EXPRESSIONS.find(([, expression]) => expression.test(text))?.[0] ?? 'Unknown_Error';
}

/** The beginning and the end of a log that is longer than `LOG_CHARS_MAX`, else the log itself. */
export function excerptOf(log: string): string {
  if (log.length <= LOG_CHARS_MAX) return log;
  const half = LOG_CHARS_MAX / 2;
  return `${log.slice(0, half)}\n${log.slice(-half)}`;
}

/** What a label means in the terms of clusters: searched for where the log's own text finds none. */
export const phraseOf = (label: SymptomLabel): string | undefined => PHRASES[label];

const PHRASES: Partial<Readonly<Record<SymptomLabel, string>>> = {
  Numerical_Instability: 'nan or inf values in loss or weights, numerical instability',
  Memory_Exhaustion: 'out of memory, memory exhausted, cannot allocate',
  Communication_Timeout: 'communication timeout, connection lost, requests time out',
  Compile_Error: 'compile error, syntax error, undefined symbol',
  Oscillation_Divergence: 'commanded velocity or torque output oscillates and diverges',
};

/** The text sent for a label of safety, 50 to 100 tokens; undefined for every other label. Needs no index. */
export const constraintFor = (label: SymptomLabel): string | undefined => CONSTRAINTS[label];

const CONSTRAINTS: Partial<Readonly<Record<SymptomLabel, string>>> = {
  Emergency_Stop: `## ⚠️ SAFETY: emergency stop
A stop was triggered on purpose. Do not clear it, retry or bypass it from code. Make the next attempt change nothing \
that moves, heats or restarts. Find out what raised the stop from the log, report it to a person, and go on only after \
that person has released it.`,
  Collision_Detected: `## ⚠️ SAFETY: collision
Something touched what it must not touch. Keep the next attempt slower and smaller than the last one: lower the limits \
of speed and force first, keep clear of the place of contact, check the model of the surroundings, and stop at the \
first new contact instead of pushing through it.`,
  Limit_Exceeded: `## ⚠️ SAFETY: a rated limit was exceeded
Do not raise the limit. Clamp the command to the rated range before it is sent, stop integrating while the output is \
saturated, and lower the gain before anything else is tuned. Reject every result of an attempt in which the limit was \
exceeded, however good its score.`,
  Thermal_Overload: `## ⚠️ SAFETY: too hot
Reduce the load before anything else: fewer parallel jobs, lower rates, longer pauses. Do not raise power, duty or \
clock to reach a score. Wait until the temperature has fallen below its warning level, and have a person look at the \
cooling when it rises again at half the load.`,
};
