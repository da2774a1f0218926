import { describe, expect, it } from 'vitest';
import { says, viewed } from './viewed.ts';

describe('an incident', () => {
  it('that was closed keeps its ending, and its story counts from its first entry', async () => {
    const { views, engine, live } = viewed({ channels: ['news', 'film'] });
    await live(10_000);
    engine.kill('news');
    await live(30_000);
    const [shown, ...others] = views.incidents({ channel: undefined, limit: 10 }) as { id: string }[];
    expect([shown, others]).toMatchObject([{ scope: 'channel:news', state: 'closed', ending: 'resolved' }, []]);
    const story = views.incident(shown!.id) as { entries: { afterMs: number; fact: { type: string } }[] };
    expect(story.entries[0]).toMatchObject({ afterMs: 0 });
    expect(story.entries.at(-1)!.afterMs).toBeGreaterThan(0);
    expect(story.entries.map(({ fact }) => fact.type)).toContain('incident.closed');
    expect(views.incident('inc-none')).toBeUndefined();
  });

  it('that is long is told from its beginning and by its newest records, with how many are left out between', () => {
    const { views, ledger } = viewed();
    const said = (count: number, incident: string) => {
      for (let n = 0; n < count; n += 1) ledger.append([{ incident, fact: { type: 'clock.jumped', byMs: n } }]);
      const story = views.incident(incident) as { entries: { fact: { byMs: number } }[]; leftOut: number };
      return { told: story.entries.map(({ fact }) => fact.byMs), leftOut: story.leftOut };
    };
    const whole = said(2_000, 'inc-a');
    expect([whole.told.length, whole.leftOut, whole.told.at(-1)]).toEqual([2_000, 0, 1_999]);
    const { told, leftOut } = said(2_345, 'inc-b');
    expect([told.length, leftOut]).toEqual([2_000, 345]);
    expect([told[0], told[499], told[500], told.at(-1)]).toEqual([0, 499, 845, 2_344]);
    expect(views.incident('inc-b')).toMatchObject({ leftOutAfter: expect.any(Number) });
    expect(views.incident('inc-a')).toMatchObject({ leftOutAfter: null });
  });

  it('that is open stays listed, with its reason, where retention has deleted its beginning', async () => {
    const { views, engine, live, ledger, advance } = viewed({ channels: ['news', 'film'], phase: 0 });
    await live(10_000);
    engine.kill('news');
    await live(20_000);
    const [{ id } = expect.unreachable()] = views.incidents({ channel: 'news', limit: 10 }) as { id: string }[];
    await advance(60_000);
    ledger.snapshot();
    await advance(60_000);
    expect(ledger.compact(30_000).deleted).toBeGreaterThan(0);
    expect([...ledger.read({ types: ['incident.opened'] })]).toEqual([]);
    expect(views.incidents({ channel: 'news', limit: 10 })).toMatchObject([{ id, scope: 'channel:news' }]);
    expect(views.incidents({ channel: 'film', limit: 10 })).toEqual([]);
    expect(views.incidents({ channel: undefined, limit: 0 })).toEqual([]);
    expect(views.incident(id)).toMatchObject({ id, scope: 'channel:news', classification: 'process_crashed' });
    expect(says(views.why('news'))).toMatch(/^inc-\w+ \(process_crashed\) is older than what the journal keeps/);
  });

  it('is listed under its channel alone, newest first, and no more than asked for', async () => {
    const { views, engine, live } = viewed({ channels: ['news', 'film'], phase: 0 });
    await live(10_000);
    engine.kill('news');
    await live(10_000);
    engine.kill('film');
    await live(10_000);
    const scopes = (channel: string | undefined, limit = 10) =>
      (views.incidents({ channel, limit }) as { scope: string; state: string }[]).map(({ scope }) => scope);
    expect(scopes(undefined)).toEqual(['channel:film', 'channel:news']);
    expect(scopes(undefined, 1)).toEqual(['channel:film']);
    expect([scopes('news'), scopes('sport')]).toEqual([['channel:news'], []]);
    expect(views.status()).toMatchObject({ incidents: [{ closedAt: null, ending: null }, {}] });
  });
});
