import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../../src/core/clock.ts';
import { HOUR_MS } from '../../../../src/core/duration.ts';
import type { Escalation } from '../../../../src/core/incident.ts';
import { type AlertmanagerOptions, alertmanager } from '../../../../src/escalate/receivers/alertmanager/receiver.ts';
import { noticeOf } from '../../../../src/escalate/due.ts';
import type { PostJson } from '../../../../src/escalate/receiver.ts';
import type { JournalStore } from '../../../../src/journal/store.ts';
import { RequestFailed } from '../../../../src/resilience/failure.ts';
import { ALERTMANAGER, realAlertmanager, realPost, until, webServer } from '../../servers.ts';
import { doneFact, fold, opened, raisedFact, resolvedFact } from '../../support.ts';

/** The real clock, wrong by so much. */
const shifted = (byMs: number): Clock => ({ ...systemClock, now: () => systemClock.now() + byMs });

function running(url: string, change: Partial<AlertmanagerOptions> = {}, store?: JournalStore) {
  const clock = change.clock ?? systemClock;
  const receiver = alertmanager({
    name: 'oncall',
    url,
    post: realPost(),
    clock,
    placeOf: () => ({ group: 'pull', engine: 'local' }),
    refreshMs: 500,
    ...change,
  });
  const time = { clock, advance: () => Promise.resolve(0), jumpWall: () => undefined };
  const held = opened([receiver], { time, ...(store !== undefined && { store }) });
  onTestFinished(() => held.dispatcher[Symbol.asyncDispose]());
  held.dispatcher.start();
  return held;
}

const page = (id: string, channel: string, change: Partial<Escalation> = {}) =>
  raisedFact(id, {
    key: `incident/${channel}`,
    scope: { kind: 'channel', id: channel },
    incident: `inc-${id}`,
    ...change,
  });

describe.skipIf(!existsSync(ALERTMANAGER))('a real Alertmanager (Debian package prometheus-alertmanager)', () => {
  it('receives pages with their labels, groups them, and resolves them', { timeout: 40_000 }, async () => {
    const am = await realAlertmanager();
    const { append } = running(`${am.url}/`, {
      labels: [{ name: 'site', value: 'berlin' }],
      consoleUrl: 'http://127.0.0.1:7433',
    });
    append(page('esc-1', 'news'), page('esc-2', 'sport', { severity: 'warning' }));
    await until(async () => (await am.active()).length === 2);
    const [news] = (await am.active()).filter(({ labels }) => labels.channel === 'news');
    expect(news).toMatchObject({
      labels: {
        alertname: 'ReeveEscalation',
        site: 'berlin',
        channel: 'news',
        group: 'pull',
        engine: 'local',
        severity: 'critical',
        reason: 'no_plan',
        classification: 'output_stalled',
        key: 'incident/news',
      },
      annotations: { summary: 'news: output_stalled', description: 'What was done: nothing.', incident: 'inc-esc-1' },
      generatorURL: 'http://127.0.0.1:7433',
    });

    await until(() => am.notifications().length > 0);
    const [first] = am.notifications();
    expect(first).toMatchObject({ status: 'firing', groupLabels: { group: 'pull' } });
    expect(first?.alerts.map(({ labels }) => labels.channel).sort()).toEqual(['news', 'sport']);

    append(resolvedFact('incident/news'), resolvedFact('incident/sport'));
    await until(() => am.notifications().at(-1)?.status === 'resolved');
    expect(await am.active()).toEqual([]);
  });

  it('keeps a page open beyond its resolve timeout, and only as long as Reeve sends it', {
    timeout: 40_000,
  }, async () => {
    const am = await realAlertmanager({ resolveTimeout: '2s' });
    const { append, dispatcher } = running(am.url);
    append(page('esc-1', 'news'));
    await until(async () => (await am.active()).length === 1);
    const startsAt = (await am.active())[0]?.startsAt;
    await systemClock.sleep(5_000);
    expect(await am.active()).toMatchObject([{ startsAt }]);
    await dispatcher[Symbol.asyncDispose]();
    await until(async () => (await am.active()).length === 0);
  });

  it('keeps a page open while its answers are lost and a new page is tried again and again', {
    timeout: 60_000,
  }, async () => {
    const am = await realAlertmanager({ resolveTimeout: '12s' });
    const through = realPost();
    let isLost = false;
    const post: PostJson = async (url, request) => {
      const answer = await through(url, request);
      if (isLost) throw new RequestFailed('RECEIVER_UNREACHABLE', 'the answer was lost', { failure: 'reset' });
      return answer;
    };
    const { append, dispatcher } = running(am.url, { post });
    append(page('esc-1', 'news'));
    await until(() => dispatcher.status()[0]?.pages === 1);
    await until(async () => (await am.active()).length === 1);
    isLost = true;
    append(page('esc-2', 'sport'));
    await systemClock.sleep(20_000);
    expect((await am.active()).map(({ labels }) => labels.channel).sort()).toEqual(['news', 'sport']);
    expect(dispatcher.status()[0]?.error).toBe('reset');
  });

  it('has one alert per page when its labels change', { timeout: 40_000 }, async () => {
    const am = await realAlertmanager();
    const { append } = running(am.url);
    append(page('esc-1', 'news', { severity: 'warning' }));
    await until(async () => (await am.active()).length === 1);
    append(page('esc-2', 'news', { severity: 'critical', reason: 'not_helping' }));
    await until(async () => (await am.active())[0]?.labels.severity === 'critical');
    expect(await am.active()).toHaveLength(1);
    append(resolvedFact('incident/news'));
    await until(async () => (await am.active()).length === 0);
  });

  it('has one alert for a page over the next start of Reeve, whose configuration has its channel no more', {
    timeout: 40_000,
  }, async () => {
    const am = await realAlertmanager();
    const first = running(am.url);
    first.append(page('esc-1', 'news', { place: { group: 'pull', engine: 'local' } }));
    await until(async () => (await am.active()).length === 1);
    await first.dispatcher[Symbol.asyncDispose]();
    const { store } = first;
    let answers = 0;
    const through = realPost();
    const post: PostJson = async (url, request) => {
      const answer = await through(url, request);
      answers += 1;
      return answer;
    };
    const second = running(am.url, { placeOf: () => ({}), post }, store);
    await until(() => answers > 1);
    const active = await am.active();
    expect(active.map(({ labels: { group, engine } }) => [group, engine])).toEqual([['pull', 'local']]);
    second.append(resolvedFact('incident/news'));
    await until(async () => (await am.active()).length === 0);
  });

  it('gets everything open again after it lost its memory, and what came while it was down', {
    timeout: 40_000,
  }, async () => {
    const am = await realAlertmanager();
    const { append, dispatcher } = running(am.url);
    append(page('esc-1', 'news'));
    await until(async () => (await am.active()).length === 1);
    await am.stop();
    append(page('esc-2', 'sport'));
    await until(() => dispatcher.status()[0]?.error === 'refused');
    await am.start();
    await until(async () => (await am.active()).length === 2);
    expect(dispatcher.status()).toMatchObject([{ error: undefined, pages: 2 }]);
  });

  it.each([
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ])('receives and keeps pages from a Reeve whose clock is an hour %s', { timeout: 40_000 }, async (_, byMs) => {
    const am = await realAlertmanager();
    const { append } = running(am.url, { clock: shifted(byMs) });
    append(page('esc-1', 'news'));
    await until(() => am.notifications().some(({ status }) => status === 'firing'));
    await systemClock.sleep(1_500);
    expect(await am.active()).toHaveLength(1);
  });

  it('takes the test page', { timeout: 40_000 }, async () => {
    const am = await realAlertmanager();
    const { dispatcher } = running(am.url);
    expect(await dispatcher.deliverTest()).toMatchObject([{ receiver: 'oncall', ok: true }]);
    expect((await am.active())[0]?.labels).toMatchObject({ alertname: 'ReeveTest', severity: 'info' });
  });
});

describe('what is sent to Alertmanager', () => {
  it('keeps its start over every repetition, and goes out in bounded batches', async () => {
    const server = await webServer((_, response) => response.end());
    const { append } = running(server.url, { refreshMs: 200 });
    append(...Array.from({ length: 250 }, (_, index) => page(`esc-${index}`, `ch${index}`)));
    const alerts = () => server.posts.map(({ body }) => JSON.parse(body) as { startsAt: string; endsAt?: string }[]);
    const sizes = () => alerts().map(({ length }) => length);
    await until(() => sizes().filter((size, at, all) => size === 200 && all[at + 1] === 50).length >= 2);
    // Those in between are repetitions of what was open before all had gone out.
    expect(sizes()[0]).toBe(1);
    expect(Math.max(...sizes())).toBe(200);
    expect(
      new Set(
        alerts()
          .flat()
          .map(({ startsAt }) => startsAt),
      ).size,
    ).toBe(1);
    expect(
      alerts()
        .flat()
        .every(({ endsAt }) => endsAt === undefined),
    ).toBe(true);
  });

  it('does not end an alert that is open under the same labels, where the record of one of them has no place', async () => {
    const bodies: { labels: Record<string, string>; endsAt?: string }[][] = [];
    const post: PostJson = async (_, { body }) => {
      bodies.push(JSON.parse(body));
      return { status: 200 };
    };
    const place = { group: 'pull', engine: 'local' };
    const options = { name: 'pager', url: 'http://alertmanager', post, clock: systemClock, placeOf: () => place };
    const { pages } = fold([
      [1, raisedFact('esc-1')],
      [2, doneFact('trigger', 'esc-1')],
      [3, raisedFact('esc-2', { severity: 'critical', place, channels: ['news', 'sport'] })],
    ]);
    await alertmanager(options).deliver(noticeOf(pages[0]!, 'pager', 'trigger'), AbortSignal.any([]));
    expect(bodies).toMatchObject([[{ labels: place }]]);
    expect(bodies[0]![0]).not.toHaveProperty('endsAt');
  });

  it('is sent batch by batch, also where one of them is refused, so that none of the others ends there', async () => {
    const posts: string[][] = [];
    const post = async (_: string, { body }: { readonly body: string }) => {
      const keys = (JSON.parse(body) as { labels: { key: string } }[]).map(({ labels }) => labels.key);
      posts.push(keys);
      return { status: keys.includes('ch0') ? 413 : 200 };
    };
    const { refresh } = alertmanager({ name: 'oncall', url: 'http://alertmanager', post, clock: systemClock });
    const raised = Array.from({ length: 450 }, (_, at) => [1, raisedFact(`esc-${at}`, { key: `ch${at}` })] as const);
    const notices = fold(raised).pages.map((one) => noticeOf(one, 'oncall', 'repeat'));
    await expect(refresh!.send(notices, AbortSignal.any([]))).rejects.toMatchObject({ status: 413 });
    expect(posts.map(({ length }) => length)).toEqual([200, 200, 50]);
  });

  it('is not sent twice for refusals other than 400', async () => {
    const server = await webServer((_, response) => response.writeHead(401).end());
    const { append, dispatcher } = running(server.url);
    append(page('esc-1', 'news'));
    await until(() => dispatcher.status()[0]?.error === 'answered 401');
    expect(server.posts).toHaveLength(1);
  });
});
