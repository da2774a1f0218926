/** Scores the classifier on labelled excerpts. */

/** One labelled excerpt. `also_accept`: finer classes that are right too. */
export interface Item {
  readonly id: string;
  readonly software: string;
  readonly lines: readonly string[];
  readonly label: string;
  readonly remedy: string;
  readonly also_accept?: readonly string[];
}

export interface Answer {
  readonly id: string;
  readonly symptom: string;
  readonly remedy: string;
  readonly pattern: string | undefined;
}

export interface Scores {
  readonly items: number;
  readonly accuracy: number;
  readonly macro_f1: number;
  /** Harmless or unknowable text taken for a failure. */
  readonly false_alarm_rate: number;
  /** A failure taken for harmless or unknown. */
  readonly missed_rate: number;
  /** A failure taken for another failure. */
  readonly wrong_class_rate: number;
  readonly restarts: number;
  readonly restarts_wrong: number;
}

const HARMLESS = new Set(['client_disconnect_benign', 'benign_noise', 'unknown']);

export const readCorpus = (text: string): readonly Item[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Item);

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000);

/** Macro-F1 is over the labels that occur; a false positive counts against the class that was answered. */
export function scoreOf(items: readonly Item[], answers: readonly Answer[]): Scores {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const judged = items.map((item) => {
    const answer = byId.get(item.id)!;
    const right = answer.symptom === item.label || (item.also_accept?.includes(answer.symptom) ?? false);
    return { item, answer, right };
  });
  const failures = judged.filter(({ item }) => !HARMLESS.has(item.label));
  const harmless = judged.filter(({ item }) => HARMLESS.has(item.label));
  const wrong = (some: typeof judged) => some.filter(({ right }) => !right);
  const restarts = judged.filter(({ answer }) => answer.remedy === 'restart_channel');
  return {
    items: items.length,
    accuracy: ratio(judged.filter(({ right }) => right).length, items.length),
    macro_f1: macroF1(judged),
    false_alarm_rate: ratio(
      wrong(harmless).filter(({ answer }) => !HARMLESS.has(answer.symptom)).length,
      harmless.length,
    ),
    missed_rate: ratio(wrong(failures).filter(({ answer }) => HARMLESS.has(answer.symptom)).length, failures.length),
    wrong_class_rate: ratio(
      wrong(failures).filter(({ answer }) => !HARMLESS.has(answer.symptom)).length,
      failures.length,
    ),
    restarts: restarts.length,
    restarts_wrong: restarts.filter(({ item }) => item.remedy !== 'restart_channel').length,
  };
}

function macroF1(judged: readonly { item: Item; answer: Answer; right: boolean }[]): number {
  const labels = [...new Set(judged.map(({ item }) => item.label))];
  const f1s = labels.map((label) => {
    const hits = judged.filter(({ item, right }) => item.label === label && right).length;
    const missed = judged.filter(({ item, right }) => item.label === label && !right).length;
    const wrongly = judged.filter(({ answer, right }) => answer.symptom === label && !right).length;
    return (2 * hits) / (2 * hits + wrongly + missed);
  });
  return Math.round((f1s.reduce((sum, f1) => sum + f1, 0) / f1s.length) * 10_000) / 10_000;
}
