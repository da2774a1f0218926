import { describe, expect, it } from 'vitest';
import {
  adviceLines,
  channelLines,
  incidentLines,
  logLines,
  poolLines,
  ruleLines,
  spotLines,
  statusLines,
  storyLines,
  type WireChannel,
  type WireIncident,
  type WireStatus,
  type WireStory,
} from '../../src/ask/tool_lines.ts';

const channel = (over: Partial<WireChannel> = {}): WireChannel => ({
  ...{ id: 'news', engine: 'local', healthy: true, classification: null, because: 'it plays' },
  ...{ restart_count: 0, breaker: 'closed' },
  ...over,
});

const incident = (over: Partial<WireIncident> = {}): WireIncident => ({
  ...{ id: 'inc-1', scope: 'channel:news', classification: 'process_crashed', state: 'open' },
  ...{ ending: null, open_ms: 12_340 },
  ...over,
});

const status = (over: Partial<WireStatus> = {}): WireStatus => ({
  ...{ phase: 3, frozen: false, containment: [], channels: [channel()], incidents: [], approvals: [], problems: [] },
  ...over,
});

describe('a channel', () => {
  it.each([
    [true, 'is healthy'],
    [false, 'is NOT healthy'],
    [null, 'health not known'],
  ])('whose health is %s', (healthy, health) =>
    expect(channelLines([channel({ healthy })], [])[0]?.text).toContain(health),
  );

  it('is cited by its id and shows its classification, starts and breaker', () => {
    const [line] = channelLines([channel({ classification: 'output_stalled', restart_count: 2, breaker: 'open' })], []);
    expect(line?.id).toBe('channel:news');
    expect(line?.text).toContain('(output_stalled)');
    expect(line?.text).toContain('starts in the last hour: 2; breaker open');
  });

  it('that was named alone is shown alone, and without a name all are', () => {
    const all = [channel(), channel({ id: 'films' })];
    expect(channelLines(all, ['films']).map(({ id }) => id)).toEqual(['channel:films']);
    expect(channelLines(all, []).map(({ id }) => id)).toEqual(['channel:news', 'channel:films']);
  });

  it('that is in trouble stands before those that play, for of many not all are shown', () => {
    const all = [
      channel({ healthy: true }),
      channel({ id: 'films', healthy: null }),
      channel({ id: 'b', healthy: false }),
    ];
    const ids = ['channel:b', 'channel:films', 'channel:news'];
    expect(channelLines(all, []).map(({ id }) => id)).toEqual(ids);
    expect(
      statusLines(status({ channels: all }))
        .map(({ id }) => id)
        .slice(-3),
    ).toEqual(ids);
  });

  it('that does not exist is an error and no empty answer', () => {
    expect(() => channelLines([channel()], ['films', 'news'])).toThrow('there is no channel films');
  });
});

describe('an incident', () => {
  it('that is open has its state and how long', () =>
    expect(incidentLines([incident()])[0]).toEqual({
      id: 'inc-1',
      text: 'process_crashed on channel:news: open for 12.3 s',
    }));

  it('that is closed has its ending', () =>
    expect(incidentLines([incident({ state: 'closed', ending: 'cured', opened_at: 0 })])[0]?.text).toBe(
      'process_crashed on channel:news since 1970-01-01T00:00:00.000Z: closed (cured) after 12.3 s',
    ));

  it('without a classification is called trouble, and says why it waits', () =>
    expect(incidentLines([incident({ classification: null, because: 'cooldown' })])[0]?.text).toBe(
      'trouble on channel:news: open for 12.3 s; cooldown',
    ));
});

describe('the state of all', () => {
  it('says that nothing is changed while it is frozen, and only then', () => {
    expect(statusLines(status({ frozen: true }))[0]?.text).toBe('phase 3, FROZEN: nothing is changed');
    expect(statusLines(status())[0]?.text).toBe('phase 3');
  });

  it('lists problems, containment, incidents, questions and channels, each with its own id', () => {
    const lines = statusLines(
      status({
        problems: ['the journal cannot be written'],
        containment: [{ scope: 'group:pull', reason: 'restart_storm', detail: '10 starts' }],
        incidents: [incident()],
        approvals: [{ id: 'apr-1', what: 'restart_channel of news', incident: 'inc-1' }],
      }),
    );
    expect(lines.map(({ id }) => id)).toEqual([
      ...['fleet:status', 'fleet:status', 'group:pull', 'inc-1', 'apr-1', 'channel:news'],
    ]);
  });

  it('cites a containment of the whole fleet under an id that exists', () => {
    const containment = [{ scope: 'fleet', reason: 'restart_storm', detail: '10 starts' }];
    expect(statusLines(status({ containment }))[1]?.id).toBe('fleet:containment');
  });
});

describe('the pool of an engine', () => {
  it('is a share in percent, once for each engine', () => {
    const channels = [channel({ pool_pressure: 0.834 }), channel({ id: 'films', pool_pressure: 0.834 })];
    expect(poolLines(status({ channels }))).toEqual([{ id: 'engine:local', text: 'pool of local: 83 % in use' }]);
  });

  it('that is not reported is never shown as empty', () =>
    expect(poolLines(status({ channels: [channel({ pool_pressure: null })] }))[0]?.text).toBe(
      'pool of local: it reports none',
    ));

  it('comes with containment for pressure and with no other', () => {
    const containment = [
      { scope: 'engine:local', reason: 'pool_pressure', detail: '97 %' },
      { scope: 'fleet', reason: 'restart_storm', detail: '10 starts' },
    ];
    expect(poolLines(status({ containment })).map(({ text }) => text)).toContain(
      'contained (pool_pressure) engine:local: 97 %',
    );
    expect(poolLines(status({ containment })).join()).not.toContain('restart_storm');
  });
});

describe('the story of an incident', () => {
  const evidence = [{ source: 'news.err', text: 'Connection refused' }];
  const entries = [
    { seq: 7, after_ms: 0, fact: { type: 'symptom.raised', symptom: { evidence } } },
    { seq: 8, after_ms: 50, fact: { type: 'plan.made' } },
    { seq: 9, after_ms: 1_949, fact: { type: 'silent.fact' } },
  ];
  const story: WireStory = { ...incident(), entries };
  const tell = (fact: unknown) => ((fact as { type: string }).type === 'plan.made' ? 'restarts it' : undefined);

  it('has each entry that has a sentence, cited by its number', () =>
    expect(storyLines(story, tell).slice(1)).toEqual([{ id: 'inc-1#8', text: 'after 0.1 s: restarts it' }]));

  it('has the log lines apart, each with its source', () =>
    expect(logLines(story).slice(1)).toEqual([{ id: 'inc-1#7', text: 'news.err: Connection refused' }]));

  it('keeps the last thirty entries of a long one', () => {
    const long = Array.from({ length: 31 }, (_, at) => ({ seq: at, after_ms: at, fact: { type: 'plan.made' } }));
    const lines = storyLines({ ...story, entries: long }, tell);
    expect(lines).toHaveLength(31);
    expect(lines[1]?.id).toBe('inc-1#1');
  });
});

describe('advice', () => {
  const advice = { verdict: 'deny', code: 'cooldown', because: '40 s left', flips: ['40 s pass'] };

  it('cites the incident, or the channel where there is none', () => {
    expect(adviceLines('news', { ...advice, incident: 'inc-1' })[0]?.id).toBe('inc-1');
    expect(adviceLines('news', advice)[0]?.id).toBe('channel:news');
  });

  it('has the code and what would change the verdict', () => {
    expect(adviceLines('news', advice).map(({ text }) => text)).toEqual([
      'deny (cooldown): 40 s left',
      'it would be otherwise if: 40 s pass',
    ]);
    expect(adviceLines('news', { ...advice, verdict: 'allow', code: null, flips: [] })[0]?.text).toBe(
      'allow: 40 s left',
    );
  });
});

describe('rules and blind spots', () => {
  it('never say where a file lies', () => {
    const row = {
      id: 'restart_crashed',
      uses: 3,
      origin: '/etc/reeve/a.yaml',
      file: '/etc/b',
      sha256: 'abc',
      when: {},
    };
    expect(ruleLines({ rules: [row] })).toEqual([{ id: 'rule:restart_crashed', text: 'id restart_crashed, uses 3' }]);
  });

  it('are numbered from one, with their keys as plain text', () =>
    expect(spotLines({ blind_spots: [{ count_per_hour: 4 }, { count_per_hour: 2 }] })).toEqual([
      { id: 'spot:1', text: 'count per hour 4' },
      { id: 'spot:2', text: 'count per hour 2' },
    ]));
});
