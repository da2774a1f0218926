import { describe, expect, it } from 'vitest';
import type { JournalFact } from '../../../src/core/journal.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { containmentPage, isPaged, massOutagePage, pageFor } from '../../../src/incident/pages/page.ts';
import { anEnvelope, anIncident, aResult } from '../../support/a.ts';

const about = { because: 'no rule fits', envelope: undefined, attempts: [] };

type Contained = Extract<JournalFact, { type: 'containment.raised' }>;
const contained = (with_: Partial<Contained>): Contained => ({
  ...{ type: 'containment.raised', scope: { kind: 'group', id: 'pull' }, reason: 'restart_storm' },
  ...{ detail: '10 starts in 60 s', releaseByPerson: false },
  ...with_,
});

describe('the page about an incident', () => {
  it('has one key for the incident, whatever it is about this time', () => {
    const keys = (['no_plan', 'lasting', 'containment'] as const).map(
      (reason) => pageFor(anIncident(), reason, about).key,
    );
    expect(new Set(keys)).toEqual(new Set(['incident/inc-1']));
  });

  it('says what was seen, what was done with what result, and where the whole story is', () => {
    const attempts = [
      {
        result: aResult({ summary: 'restarted in 2 s' }),
        verification: { permit: 'per-1', cured: false, because: 'the playlist stands still', waitedMs: 1 },
        score: 0,
      },
    ];
    const { details } = pageFor(anIncident(), 'not_cured' as never, {
      ...about,
      envelope: anEnvelope(),
      attempts: attempts as never,
    });
    expect(details).toContain('What was seen: exited by signal 9 (process); playlist unchanged for 7 s (probe)');
    expect(details).toContain(
      'What was done: restart_channel: restarted in 2 s; not verified: the playlist stands still',
    );
    expect(details).toContain('reeve trace inc-1');
    expect(details).not.toContain('What was done: nothing.');
  });

  it('says that nothing was done where nothing was, and how to answer where an answer is asked for', () => {
    expect(pageFor(anIncident(), 'no_plan', about).details).toContain('What was done: nothing.');
    expect(pageFor(anIncident(), 'no_plan', about).details).not.toContain('reeve approvals');
    expect(pageFor(anIncident(), 'approval_needed', about).details).toContain('reeve approvals');
  });

  it('says of a question that nobody answered that it is asked again, and how to answer', () => {
    const { details } = pageFor(anIncident(), 'approval_expired', about);
    expect(details).toContain('While the trouble lasts it is asked again. What waits for you: reeve approvals');
  });

  it('says what contains the channel, for that has no page of its own', () => {
    const containmentMode = { active: true, reasons: ['restart_storm'] } as const;
    const { details } = pageFor(anIncident(), 'no_plan', { ...about, envelope: anEnvelope({ containmentMode }) });
    expect(details).toContain('Contained (restart_storm): nothing is restarted now.');
    expect(pageFor(anIncident(), 'no_plan', { ...about, envelope: anEnvelope() }).details).not.toContain('Contained');
  });

  it('says in its first line what is seen now, before the rule that speaks of it', () => {
    const rule = { ...about, because: `rule process_crashed: ${'it is left alone. '.repeat(20)}` };
    const seen = pageFor(anIncident(), 'lasting', { ...rule, seen: 'exited by signal 9' });
    expect(seen.summary).toMatch(/^news: process_crashed: exited by signal 9\. rule process_crashed: .*…$/);
    const shared = pageFor(anIncident(), 'lasting', { ...rule, seen: 'process_crashed: 3 of 4 channels at once' });
    expect(shared.summary).toMatch(/^news: process_crashed: 3 of 4 channels at once\. rule/);
  });

  it('names a group and how many of it are hit', () => {
    const incident = anIncident({ scope: { kind: 'group', id: 'pull' }, channels: ['a', 'b', 'c'] });
    const page = pageFor(incident, 'no_plan', about);
    expect(page.summary).toMatch(/^group:pull \(3 channels\): process_crashed\. no rule fits$/);
    expect(page.details).toMatch(/\nChannels: a, b, c$/);
    expect(page.channels).toEqual(['a', 'b', 'c']);
  });

  it('cuts a list that is too long, and nothing of what may help or where the whole story is', () => {
    const channels = Array.from({ length: 400 }, (_, at) => `channel-${at}`);
    const { details } = pageFor(anIncident({ scope: { kind: 'group', id: 'pull' }, channels }), 'no_plan', about);
    expect(details).toContain('reeve trace inc-1');
    expect(details).toMatch(/channel-0, .*…$/);
    expect(details).toHaveLength(2_000);
  });

  it('keeps its texts within 200 and 2,000 characters', () => {
    const page = pageFor(anIncident(), 'no_plan', { ...about, because: 'x'.repeat(5_000) });
    expect([page.summary.length, page.details.length]).toEqual([200, 2_000]);
    expect(page.summary.endsWith('…')).toBe(true);
  });
});

describe('the page about a containment', () => {
  it.each([
    [{ kind: 'channel', id: 'news' }, 'restart_storm', false, 'warning'],
    [{ kind: 'group', id: 'pull' }, 'restart_storm', false, 'critical'],
    [{ kind: 'fleet' }, 'clock_anomaly', false, 'warning'],
    [{ kind: 'fleet' }, 'clock_anomaly', true, 'critical'],
  ] as const)('of %j for %s (ended by a person: %s) is %s', (scope, reason, releaseByPerson, severity) => {
    expect(containmentPage(contained({ scope: scope as Scope, reason, releaseByPerson })).severity).toBe(severity);
  });

  it('says what ends it: time, or only a person', () => {
    expect(containmentPage(contained({})).details).toContain('It ends by itself');
    expect(containmentPage(contained({ releaseByPerson: true })).details).toContain('It ends only when you release it');
    expect(containmentPage(contained({})).details).toContain('reeve release');
  });

  it('lists the channels in trouble last, for a long list is cut, and has no such line where there are none', () => {
    const page = containmentPage(contained({}), ['news', 'film']);
    expect(page.details.split('\n').at(-1)).toBe('In trouble (2): news, film');
    expect(page.channels).toEqual(['news', 'film']);
    expect(containmentPage(contained({})).details).not.toContain('In trouble');
    expect(containmentPage(contained({}))).not.toHaveProperty('channels');
    const many = Array.from({ length: 1_000 }, (_, at) => `ch${at}`);
    expect(containmentPage(contained({}), many).details).toMatch(
      /^Needs an operator.*\n.*\nIn trouble \(1000\): ch0, .*…$/,
    );
  });

  it('names a broken journal for what it is', () => {
    expect(containmentPage(contained({ reason: 'journal_error' })).reason).toBe('journal_broken');
  });

  it('sends nobody to a release before the journal is whole, which that does not mend', () => {
    const ending = (releaseByPerson: boolean) =>
      /What ends it: .*/.exec(containmentPage(contained({ reason: 'journal_error', releaseByPerson })).details)?.[0];
    const first = 'What ends it: no release ends it before the journal is whole and takes entries again';
    expect(ending(false)).toBe(`${first}: reeve audit verify (docs/audit.md); then it ends by itself`);
    expect(ending(true)).toBe(
      `${first}: reeve audit verify (docs/audit.md); then reeve release group:pull --because "…"`,
    );
  });

  it('is not sent for a freeze, which is a person’s own command, or for a shared cause, whose incident pages', () => {
    expect((['operator_freeze', 'shared_cause', 'restart_storm'] as const).map(isPaged)).toEqual([false, false, true]);
  });
});

describe('the page about a mass outage', () => {
  it('counts the channels that wait and those that are held, and leaves out a count of zero', () => {
    const held = { groups: 2, starting: 0, channels: 40 };
    expect(massOutagePage({ count: 7, held }).summary).toBe(
      '40 channels of 2 groups died and are contained for now; 7 channels or groups are down and wait to be started',
    );
    expect(massOutagePage({ count: 0, held }).summary).not.toContain('to be started');
    expect(massOutagePage({ count: 7, held: { groups: 0, starting: 0, channels: 0 } }).summary).not.toContain(
      'contained',
    );
  });

  it('tells how many groups are being started, and how many wait', () => {
    const summaryOf = (groups: number, starting: number) =>
      massOutagePage({ count: 0, held: { groups, starting, channels: 12 } }).summary;
    expect(summaryOf(3, 1)).toBe('12 channels of 3 groups died; 1 of the groups is being started, 2 wait');
    expect(summaryOf(3, 2)).toBe('12 channels of 3 groups died; 2 of the groups are being started, 1 waits');
    expect(summaryOf(3, 3)).toBe('12 channels of 3 groups died and are being started');
    expect(summaryOf(1, 1)).toBe('12 channels of one group died and are being started');
  });

  it('lists the channels that it speaks for', () => {
    const held = { groups: 1, starting: 0, channels: 2 };
    const page = massOutagePage({ count: 1, held }, ['news', 'film', 'sport']);
    expect(page.details).toMatch(/same window of starts\.\nIn trouble \(3\): news, film, sport$/);
    expect(page.channels).toEqual(['news', 'film', 'sport']);
  });

  it('uses the singular for one channel', () => {
    expect(massOutagePage({ count: 1, held: { groups: 1, starting: 0, channels: 4 } }).summary).toBe(
      '4 channels of one group died and are contained for now; one channel or group is down and waits to be started',
    );
  });
});
