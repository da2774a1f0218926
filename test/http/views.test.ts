import { describe, expect, it } from 'vitest';
import { modelPlanner } from '../../src/agent/planner.ts';
import { aSymptom } from '../support/a.ts';
import { chooses, scriptedModel } from '../support/scripted_model.ts';
import { says, viewed, type World } from './viewed.ts';

const person = { who: 'ann', because: 'a test' };
const ASKS_FIRST = { tool_access_policy: { restart_channel: 'require_approval' } } as const;
const NEWS = { kind: 'channel', id: 'news' } as const;

describe('a question whose tool the persona has been forbidden since', () => {
  it('is followed, once it was answered, by what came of it: the older refusal alone is no answer', async () => {
    const { views, live, engine, facts, say, reload } = viewed({ personaWith: ASKS_FIRST });
    await live(10_000);
    engine.kill('news');
    while (facts('approval.asked').length === 0) await live(250);
    const [{ approval } = expect.unreachable()] = facts('approval.asked');
    expect(says(views.why('news'))).not.toMatch(/since then/);
    reload({ persona: { tool_access_policy: { restart_channel: 'deny' } } });
    expect(says(views.why('news'))).toMatch(
      /; waits for reeve approve apr-\w+ .* left; the guard would refuse it now: .*does not allow restart_channel/,
    );
    say({ type: 'approval.answered', id: approval.id, yes: true, ...person });
    await live(5_000);
    expect(says(views.why('news'))).toMatch(/; since then escalated: .*does not allow restart_channel/);
  });
});

describe('an incident whose run is under way', () => {
  it('has what the run before ended with marked as that: the yes that it wanted is given', async () => {
    const { views, live, engine, facts, say } = viewed({ personaWith: ASKS_FIRST });
    const because = () => (views.status() as { incidents: { because: string }[] }).incidents[0]?.because;
    await live(10_000);
    engine.kill('news');
    while (facts('approval.asked').length === 0) await live(250);
    const [{ approval } = expect.unreachable()] = facts('approval.asked');
    expect(because()).toMatch(/^persona system_admin wants a person's yes/);
    say({ type: 'approval.answered', id: approval.id, yes: true, ...person });
    while (facts('tool.started').length === 0) await live(250);
    expect(views.status()).toMatchObject({ incidents: [{ state: 'running' }] });
    const change = /^restart_channel on channel:news ended \d+ s ago, and is being verified; /;
    expect(because()).toMatch(change);
    expect(because()?.replace(change, '')).toMatch(/^before this run: persona system_admin wants a person's yes/);
  });

  it('tells the change that is being verified', async () => {
    const { views, live, engine, facts } = viewed({});
    const because = () => (views.status() as { incidents: { because: string | null }[] }).incidents[0]?.because;
    await live(10_000);
    engine.kill('news');
    while (facts('tool.finished').length === 0) await live(100);
    expect(because()).toMatch(/^restart_channel on channel:news ended \d+ s ago, and is being verified$/);
  });

  it('tells the staged start of a group, and the tool of a whole engine', async () => {
    const told = async (channels: readonly string[], sources: boolean, tool: string, hurt: (world: World) => void) => {
      const world = viewed({ channels, sources });
      world.engine.capabilities.add('credentials');
      await world.live(30_000);
      hurt(world);
      const isBegun = () => world.facts('tool.started').some(({ permit }) => permit.call.tool === tool);
      while (!isBegun()) await world.live(100);
      return (world.views.status() as { incidents: { because: string | null }[] }).incidents[0]?.because;
    };
    const died = ({ engine }: World) => {
      for (const name of ['a', 'b', 'c']) engine.kill(name);
    };
    expect(await told(['a', 'b', 'c'], false, 'restart_channel', died)).toMatch(/^restart_channel on group:\w+ /);
    const expired = ({ engine, clock, pipeline }: World) => {
      engine.refusingSources.add('news');
      const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
      pipeline.symptom(aSymptom(moment, { channel: 'news', kind: 'auth_expired', confidence: 0.9 }));
      engine.end('news', 1);
    };
    expect(await told(['news'], true, 'refresh_credentials', expired)).toMatch(/^refresh_credentials on \S+ /);
  });
});

describe('a question that a person said no to', () => {
  it('is told wherever the incident is, with who said it and what lets Reeve ask again', async () => {
    const world = viewed({ personaWith: ASKS_FIRST });
    const { views, live, engine, facts, say } = world;
    await live(10_000);
    engine.kill('news');
    while (facts('approval.asked').length === 0) await live(250);
    const [{ approval } = expect.unreachable()] = facts('approval.asked');
    expect(says(views.why('news'))).toMatch(/waits for reeve approve/);
    say({ type: 'approval.answered', id: approval.id, yes: false, ...person });
    await live(60_000);
    const no = '; ann said no (a test), and it is not asked again until: reeve reset channel:news --because "…"';
    const row = { because: expect.stringMatching(/yes to restart_channel; ann said no/) };
    expect(says(views.why('news')).endsWith(no)).toBe(true);
    expect(views.status()).toMatchObject({ approvals: [], incidents: [row] });
    expect(views.incident(approval.incident)).toMatchObject(row);
    say({ type: 'control.reset', scope: NEWS, ...person });
    await live(5_000);
    expect(facts('approval.asked')).toHaveLength(2);
    expect(says(views.why('news'))).not.toContain('said no');
  });
});

describe('the status', () => {
  it('of a quiet daemon says that nothing is wrong, and that nothing was delivered yet', () => {
    expect(viewed().views.status()).toMatchObject({
      ...{
        version: '1.2.3',
        phase: 4,
        frozen: false,
        containment: [],
        incidents: [],
        approvals: [],
        pages: [],
        windows: [],
      },
      ...{ lastDelivery: { secondsAgo: null }, problems: [] },
    });
    const { views } = viewed({}, { secondsSinceLastDeliveryOk: () => 0 });
    expect(views.status()).toMatchObject({ lastDelivery: { secondsAgo: 0 } });
  });

  it('shows a freeze with who asked for it', () => {
    const { views, say } = viewed();
    say({ type: 'control.frozen', ...person });
    expect(views.status()).toMatchObject({ frozen: true, freeze: { who: 'ann' } });
  });

  it('shows a window until the moment it ends', async () => {
    const { views, say, advance } = viewed();
    say({ type: 'control.window_added', window: 'win-1', scope: NEWS, startsInMs: 1_000, forMs: 2_000, ...person });
    expect(views.status()).toMatchObject({
      windows: [{ id: 'win-1', scope: 'channel:news', startsInMs: 1_000, endsInMs: 3_000, rolling: false }],
    });
    await advance(2_999);
    expect(views.status()).toMatchObject({ windows: [{ startsInMs: 0, endsInMs: 1 }] });
    await advance(1);
    expect(views.status()).toMatchObject({ windows: [] });
  });

  it('names each problem of its files and its receivers, and none where all is well', () => {
    const problem = { file: 'reeve.yaml', line: 3, column: 5, path: 'x', message: 'no such key' };
    const receivers = () => [
      { id: 'pager', error: 'answered 503' },
      { id: 'chat', error: undefined },
    ];
    const { views } = viewed({}, { problems: () => [problem], receivers });
    expect(views.status()).toMatchObject({
      problems: ['edit refused: reeve.yaml:3:5: no such key', 'receiver pager does not take pages: answered 503'],
    });
  });

  it('names what was changed in the configuration and waits for the next start', () => {
    expect(viewed({}, { waiting: () => ['channels', 'receivers'] }).views.status()).toMatchObject({
      problems: [
        'channels: was changed in the configuration; start Reeve anew for it',
        'receivers: was changed in the configuration; start Reeve anew for it',
      ],
    });
  });
});

describe('a channel', () => {
  it('that was not looked at yet is neither healthy nor not', () => {
    expect(viewed().views.channels()).toMatchObject([
      { id: 'news', healthy: null, classification: null, because: 'not looked at yet', breaker: 'closed' },
    ]);
  });

  it('counts the starts of the last hour', async () => {
    const { views, engine, live, advance } = viewed();
    await live(10_000);
    engine.kill('news');
    await live(20_000);
    expect(views.channels()).toMatchObject([{ id: 'news', healthy: true, restartCount: 1, persona: 'system_admin' }]);
    await advance(3_600_000);
    expect(views.channels()).toMatchObject([{ restartCount: 0 }]);
  });

  it('is leased for as long as is left, and then for 0 ms', async () => {
    const { views, say, advance } = viewed();
    say({ type: 'control.leased', scope: NEWS, forMs: 5_000, ...person });
    await advance(1_000);
    expect(views.channels()).toMatchObject([{ leasedForMs: 4_000 }]);
    await advance(4_000);
    expect(views.channels()).toMatchObject([{ leasedForMs: 0, maintenanceForMs: 0 }]);
  });
});

describe('a question that waits for a yes', () => {
  it('says what is asked, and how long it holds', async () => {
    const { views, engine, live } = viewed({ personaWith: ASKS_FIRST });
    await live(10_000);
    engine.kill('news');
    await live(20_000);
    const [asked] = views.approvals() as { expiresInMs: number }[];
    expect(asked).toMatchObject({
      ...{ what: 'restart_channel on channel:news', classification: 'process_crashed' },
      ...{ askedBy: null, proposed: false, yesNeeded: 1, yesBy: [] },
    });
    expect(asked!.expiresInMs).toBeGreaterThan(0);
  });
});

describe('why not', () => {
  it('has the same members where nothing would be refused: its code is null', async () => {
    const { views, engine, live } = viewed({ channels: ['news', 'film'] });
    await live(10_000);
    expect(views.whyNot('news', 'get_channel_health')).toMatchObject({ verdict: 'allow', code: null, flips: [] });
    engine.kill('news');
    expect(views.whyNot('news', 'restart_channel')).toMatchObject({ verdict: 'deny', code: 'evidence_missing' });
    expect([views.whyNot('sport', 'restart_channel'), views.whyNot('news', 'rm')]).toEqual([undefined, undefined]);
  });
});

describe('why', () => {
  it('is the finding where nothing was asked of the guard, and nothing at all for another channel', async () => {
    const { views, live } = viewed();
    await live(2_000);
    expect(views.why('news')).toMatchObject({ verdict: 'not_asked', code: null, checks: [] });
    expect(views.why('sport')).toBeUndefined();
  });

  it('is the last decision of the guard with its questions', async () => {
    const { views, engine, live } = viewed({ personaWith: ASKS_FIRST });
    await live(10_000);
    engine.kill('news');
    await live(20_000);
    const because = expect.stringMatching(/; waits for reeve approve apr-\w+ \(or deny\), \d+ min( \d+ s)? left$/);
    expect(views.why('news')).toMatchObject({ verdict: 'deny', code: 'approval_needed', because });
    const allowed = viewed();
    await allowed.live(10_000);
    allowed.engine.kill('news');
    await allowed.live(20_000);
    expect(allowed.views.why('news')).toMatchObject({ verdict: 'allow', code: null });
  });

  it('is what the open incident does where that asked nothing, and no answer of an earlier incident', async () => {
    const { views, engine, live, say } = viewed();
    await live(10_000);
    engine.kill('news');
    await live(60_000);
    const text = () => (views.why('news') as { because: string }).because;
    expect(text()).toMatch(/^restart_channel on channel:news was allowed \(\d+ s ago\); no incident is open now: /);
    say({ type: 'control.phase_set', phase: 1, group: undefined, ...person });
    engine.kill('news');
    await live(10_000);
    expect(views.why('news')).toMatchObject({ verdict: 'not_asked', code: null, checks: [] });
    expect(text()).toMatch(/^inc-\w+ \(process_crashed\) has asked the guard nothing: .*it needs phase 3, this is 1/);
    expect(text()).toMatch(/; the last decision, \d+ s ago in inc-\w+, allowed restart_channel on channel:news$/);
  });

  it('is also what came after a look that was allowed', async () => {
    const { views, engine, live } = viewed();
    await live(10_000);
    engine.kill('news', 15);
    await live(40_000);
    const because = expect.stringMatching(/ was allowed \(\d+ s ago\); since then escalated: /);
    expect(views.why('news')).toMatchObject({ verdict: 'allow', because });
  });

  it('is what was decided for the group, where that speaks for the channel', async () => {
    const { views, engine, live } = viewed({
      channels: ['news', 'film', 'kids', 'sport'],
      personaWith: { tool_access_policy: { restart_channel: 'require_approval' } },
    });
    await live(10_000);
    for (const id of ['news', 'film', 'kids', 'sport']) engine.kill(id);
    await live(60_000);
    const [group] = views.incidents({ channel: 'news', limit: 1 }) as { id: string; scope: string }[];
    expect(group?.scope).toBe('group:encoders');
    for (const id of ['news', 'film', 'kids', 'sport'])
      expect(views.why(id)).toMatchObject({ verdict: 'deny', code: 'approval_needed', incident: group?.id });
  });

  it('not is answered for a tool that there is', async () => {
    const { views, live } = viewed({ phase: 0 });
    await live(2_000);
    expect(views.whyNot('news', 'restart_channel')).toMatchObject({ verdict: 'deny' });
    expect(views.whyNot('news', 'format_disk')).toBeUndefined();
  });
});

describe('what a model would be sent', () => {
  const planner = modelPlanner({ model: scriptedModel(chooses('escalate')), templateOf: (text) => text });
  const settings = { planner, mode: 'after_rules', deadlineMs: 8_000, replyTokensMax: 256 } as const;

  it('is nothing without an incident, and says why', async () => {
    const { views, live } = viewed({ planner: settings });
    await live(2_000);
    expect(views.prompt('news')).toMatchObject({ prompt: null, because: 'no incident is open on the channel' });
    expect(views.prompt('sport')).toBeUndefined();
  });

  it.each([
    [undefined, null],
    [settings, expect.stringContaining('process_crashed')],
  ])('is the text about the open incident, where a model may choose', async (configured, prompt) => {
    const { views, engine, live } = viewed({ phase: 0, ...(configured && { planner: configured }) });
    await live(10_000);
    engine.kill('news');
    await live(20_000);
    expect(views.prompt('news')).toMatchObject({ id: 'news', prompt });
  });
});
