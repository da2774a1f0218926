import { describe, expect, it } from 'vitest';
import { actionIn, asksForAction } from '../../src/ask/proposal.ts';
import { CHANGING_TOOLS } from '../../src/core/tool.ts';
import { TOOLS } from '../../src/remediation/catalog.ts';

const channels = ['news', 'sport-2', 'Kids'];

describe('what asks for an action', () => {
  it('has a phrase for each tool that changes something, and for no other', () => {
    const asked = Object.values(TOOLS).filter(({ phrase }) => phrase !== undefined);
    expect(asked.map(({ spec }) => spec.name)).toEqual(CHANGING_TOOLS);
  });

  it.each([
    ['restart news', 'restart_channel', 'news'],
    ['Please restart the channel sport-2 now!', 'restart_channel', 'sport-2'],
    ['can you restart channel:kids?', 'restart_channel', 'Kids'],
    ['rebuild the playout of news', 'rebuild_playout', 'news'],
    ['refresh the credentials for news', 'refresh_credentials', 'news'],
    ['clear the cache of news.', 'invalidate_cache', 'news'],
  ])('%s', (text, tool, channel) => expect(actionIn(text, channels)).toEqual({ tool, channel }));

  it.each([
    'why was news restarted?',
    'restart count of news since yesterday',
    'the log says: restart news',
    'do not restart news',
    'restart news and sport-2',
    'restart everything',
  ])('not: %s', (text) => expect(actionIn(text, channels)).toBeUndefined());

  it('knows an action on something that is no channel', () => {
    expect(asksForAction('restart everything')).toBe(true);
    expect(asksForAction('why was it restarted')).toBe(false);
  });
});
