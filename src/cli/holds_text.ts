/** Words what people hold Reeve off: leases and maintenance windows. */
import { spell } from '../core/duration.ts';
import { plain } from './output.ts';

export interface WireWindow {
  readonly id: string;
  readonly scope: string;
  readonly starts_in_ms: number;
  readonly ends_in_ms: number;
  readonly rolling: boolean;
  readonly who: string;
  readonly because: string;
}

interface Leased {
  readonly id: string;
  readonly leased_for_ms: number;
}

const NAMED_MAX = 10;

export const windowText = ({ id, scope, starts_in_ms, ends_in_ms, rolling, who, because }: WireWindow): string => {
  const when = starts_in_ms > 0 ? `begins in ${spell(starts_in_ms)}` : `ends in ${spell(ends_in_ms)}`;
  return plain(`${id}  ${scope}  ${when}${rolling ? '  rolling restart' : ''}  ${who}: ${because}`);
};

/** Where nothing is changed because a person said so: whoever wonders why nothing happens looks here first. */
export function holdLines(channels: readonly Leased[], windows: readonly WireWindow[]): readonly string[] {
  const leased = channels.filter(({ leased_for_ms }) => leased_for_ms > 0);
  const named = leased.slice(0, NAMED_MAX).map(({ id, leased_for_ms }) => `${plain(id)} for ${spell(leased_for_ms)}`);
  const more = leased.length > named.length ? `, and ${leased.length - named.length} more` : '';
  return [
    ...(named.length === 0 ? [] : [`leased, nothing is changed there: ${named.join(', ')}${more}`]),
    ...windows.map((window) => `maintenance: ${windowText(window)}`),
  ];
}
