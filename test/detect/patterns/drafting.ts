// Drafts a pattern for a line that no pattern fits.
import { type DraftOrder, draftPattern } from '../../../src/detect/patterns/draft.ts';
import { aCatalogue } from '../catalogue_source.ts';

export const LINE = '2026-11-21 21:24:17 ERROR [mux-7] zorble matrix desync on channel news: offset 4711 beyond 12.5 s';

export const order = (with_: Partial<DraftOrder> = {}): DraftOrder => ({
  lines: [LINE],
  symptom: 'stalled_output',
  names: ['news', 'sport'],
  catalogue: aCatalogue([{ id: 'other', regex: 'connection refused' }]),
  history: [],
  taken: [],
  ...with_,
});

export const draftOf = (with_: Partial<DraftOrder> = {}) => {
  const drafted = draftPattern(order(with_));
  if (!drafted.ok) throw new Error(drafted.because);
  return drafted.draft;
};
