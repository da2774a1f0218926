import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/core/duration.ts';
import { dueTo } from '../../src/escalate/due.ts';
import { FLOOD_MS, type Outbox, type Page } from '../../src/escalate/outbox.ts';
import { doneFact, fold, raisedFact, resolvedFact } from './support.ts';

const onlyPage = ({ pages }: Outbox): Page => pages[0]!;

/** A storm under one key: each message lists one channel more. */
const storm = ({ fromMs, count }: { readonly fromMs: number; readonly count: number }) =>
  Array.from({ length: count }, (_, index) => {
    const channels = Array.from({ length: index + 1 }, (_, each) => `ch-${each}`);
    return [fromMs + index, raisedFact(`esc-${fromMs + index}`, { channels })] as const;
  });

describe('a message that was under way in a storm', () => {
  it('counts for what it said, also where more was raised meanwhile than is kept of it', () => {
    const page = onlyPage(fold([...storm({ fromMs: 1, count: 40 }), [50, doneFact('trigger', 'esc-1')]]));
    expect(page.told).toMatchObject([{ state: 'open', content: { id: 'esc-1' } }]);
    expect(dueTo(page, 'pager', HOUR_MS)).toEqual({ what: 'trigger', dueMs: 50 + FLOOD_MS });
  });

  it('ends no page that came back since, however much was raised there', () => {
    const before = [
      [1, raisedFact('esc-1')],
      [2, doneFact('trigger', 'esc-1')],
      [3, resolvedFact()],
    ] as const;
    const late = [40, doneFact('resolve', 'esc-1')] as const;
    const page = onlyPage(fold([...before, ...storm({ fromMs: 10, count: 20 }), late]));
    expect(dueTo(page, 'pager', HOUR_MS)).toMatchObject({ what: 'trigger' });
  });

  it('says the newest where a record does not tell what it said', () => {
    const told = { type: 'delivery.done', key: 'incident/inc-1', receiver: 'pager', what: 'trigger' } as const;
    const page = onlyPage(fold([...storm({ fromMs: 1, count: 40 }), [50, { ...told, attempts: 1 }]]));
    expect(page.told).toMatchObject([{ content: { id: 'esc-40' } }]);
  });
});
