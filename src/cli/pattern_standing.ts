/** Says how a pattern that was proposed stands, for `reeve patterns show` and `list`. */
import { plain } from './output.ts';

/** A pattern that was proposed, as the daemon tells of it. */
export interface WirePattern {
  readonly id: string;
  readonly state: string;
  readonly who: string | null;
  readonly shadowed: number;
  readonly next: string | null;
  /** States that a person may set now. */
  readonly moves: readonly string[];
  readonly record: WireRecord | null;
  readonly offer: { readonly to: string; readonly because: string } | null;
  readonly file: string;
  readonly text: string;
}
interface Counted {
  readonly successes: number;
  readonly failures: number;
}
interface WireRecord {
  readonly named_by: string;
  readonly treated: Counted;
  readonly control: Counted;
  readonly incidents: number;
  readonly aimless: number;
  readonly uplift: { readonly mean: number; readonly low: number; readonly high: number };
}
/** `3 of 5`, or a dash where nothing was counted. */
export const counted = (of: Counted | undefined): string =>
  of === undefined || of.successes + of.failures === 0 ? '–' : `${of.successes} of ${of.successes + of.failures}`;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** State, record and what comes next, in lines for people. */
export function standing({ id, state, next, record, offer }: WirePattern): readonly string[] {
  if (record === null) return [`${id} (${state})`];
  const { treated, control, incidents, aimless, uplift } = record;
  return [
    `${id} (${state}), named by ${plain(record.named_by)}`,
    `fitted ${incidents} incidents, and ${aimless} times no trouble at all`,
    `cured ${counted(treated)}; left alone it went by itself ${counted(control)}`,
    `better than doing nothing by ${percent(uplift.mean)} (${percent(uplift.low)} to ${percent(uplift.high)})`,
    ...(state === 'staging' ? ['a change that rests on it alone waits for a yes'] : []),
    ...(offer === null ? [] : [`ready for ${offer.to}: ${offer.because}`]),
    ...(next === null ? [] : [`next: reeve patterns promote ${id} --because … (${next})`]),
  ];
}
