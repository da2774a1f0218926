import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import type { CommandAnswer } from '../../src/core/command_answer.ts';
import type { Command } from '../../src/http/daemon.ts';
import { type HttpServer, startServer } from '../../src/http/server.ts';
import { aDaemon } from './support.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const TOKEN = `operator-${'x'.repeat(40)}`;
const VIEWER = `viewer-${'x'.repeat(40)}`;
const HOSTILE = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>';

const channel = (id: string, with_: object = {}) => ({
  id,
  group: 'encoders',
  engine: 'local',
  healthy: true,
  classification: undefined,
  because: 'it runs and its playlist moves',
  restartCount: 0,
  breaker: 'closed',
  ...with_,
});
const incident = (id: string, with_: object = {}) => ({
  id,
  scope: 'channel:sport',
  classification: 'upstream_unavailable',
  channels: [],
  state: 'watching',
  because: 'the source is not available; a person is notified when it lasts 60 s',
  openedAt: Date.UTC(2026, 0, 1),
  closedAt: null,
  ending: null,
  openMs: 4_000_000,
  runs: 1,
  restarts: 0,
  ...with_,
});

const STALLED = { classification: 'output_stalled' };

let status: object = {};
let answer: CommandAnswer = { ok: true, said: 'done' };
const commands: Command[] = [];
const { daemon } = aDaemon({
  status: () => status,
  command: async (command) => {
    commands.push(command);
    return answer;
  },
  incidents: () => [incident('inc-2'), incident('inc-1', { state: 'closed', ending: 'resolved', openMs: 9_000 })],
});
const troubled = {
  version: '0.1.0',
  phase: 3,
  frozen: true,
  freeze: { who: 'ann', because: 'deploy of the encoders', sinceMs: 1 },
  containment: [
    { scope: 'fleet', reason: 'restart_storm', detail: '10 starts within 60 s', forMs: 61_000, releaseByPerson: true },
  ],
  channels: [
    channel('news', { leasedForMs: 90_000 }),
    channel('sport', { healthy: false, classification: 'upstream_unavailable', because: HOSTILE, breaker: 'open' }),
    channel('kids', { healthy: undefined, because: 'its output was not looked at yet' }),
  ],
  incidents: [incident('inc-2')],
  approvals: [
    { id: 'apr-1', what: 'restart_channel on channel:news', incident: 'inc-2', expiresInMs: 540_000, ...STALLED },
  ],
  windows: [{ id: 'win-1', scope: 'channel:kids', startsInMs: 0, endsInMs: 600_000, who: 'bob', because: 'new cable' }],
  lastDelivery: { secondsAgo: 12 },
  receivers: [{ id: 'oncall', error: undefined }],
  problems: ['receiver oncall does not take pages: connection refused'],
};
const paged = (with_: object = {}) => ({
  ...{ key: 'incident/inc-7', severity: 'critical', scope: 'channel:sport', incident: 'inc-7', openMs: 120_000 },
  ...{ summary: 'sport: 2 of 2 steps used, not cured', acked: null, deliveredTo: ['oncall'] },
  ...with_,
});
const calm = {
  ...troubled,
  frozen: false,
  freeze: undefined,
  containment: [],
  incidents: [],
  approvals: [],
  problems: [],
};

describe.skipIf(CHROMIUM === undefined)('the console in a real browser (needs chromium)', () => {
  let server: HttpServer;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    const tokens = [
      { name: 'operator', scopes: ['admin'], sha256: sha256Of(TOKEN) },
      { name: 'viewer', scopes: ['read'], sha256: sha256Of(VIEWER) },
    ] as const;
    const options = { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: undefined };
    server = await startServer(options, { daemon, clock: systemClock, onError: (text) => complaints.push(text) });
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage({ viewport: { width: 1_100, height: 900 } });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const text = (selector: string) => page.locator(selector).innerText();

  async function signIn(token: string): Promise<void> {
    await page.locator('#token').fill(token);
    await page.locator('#login button').click();
  }

  async function open(next: object): Promise<void> {
    status = next;
    await page.goto(server.url);
    await page.locator('#main, #login').and(page.locator(':visible')).waitFor();
    if (await page.locator('#login').isVisible()) await signIn(TOKEN);
    await page.locator('#main').waitFor({ state: 'visible' });
    complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes('401')));
  }

  it('asks for the token, says that a wrong one is not known, and opens with the right one', async () => {
    status = troubled;
    await page.goto(server.url);
    await signIn('wrong');
    await expect.poll(() => text('#state')).toContain('not known');
    await page.reload();
    for (const odd of ['two words', 'caf\u00e9 \u{1F600}']) {
      await signIn(odd);
      await expect.poll(() => text('#state')).toContain('not known');
      await page.reload();
    }
    await signIn(` ${TOKEN}\n`);
    await page.locator('#main').waitFor({ state: 'visible' });
    expect(await page.locator('#token').inputValue()).toBe('');
    expect(await page.locator('#login').isVisible()).toBe(false);
    expect(complaints.filter((one) => !one.includes('401'))).toEqual([]);
    complaints.length = 0;
  }, 30_000);

  it('says on the page of the hints, too, that a token is not known, one that no header can carry included', async () => {
    const context = await browser.newContext();
    const hints = await context.newPage();
    for (const token of ['wrong', 'two words', 'caf\u00e9 \u{1F600}']) {
      await hints.goto(`${server.url}/ui`);
      await hints.locator('#token').fill(token);
      await hints.locator('#login button').click();
      await expect.poll(() => hints.locator('#state').innerText()).toContain('not known');
      expect(await hints.locator('#main').isVisible()).toBe(false);
    }
    await context.close();
  }, 30_000);

  it('keeps the token nowhere in the browser, and nothing that would work without its cookie', async () => {
    await open(calm);
    const kept = await page.evaluate('JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])');
    expect(kept).not.toContain(TOKEN);
    const [{ 'reeve-session': csrf }, , readable] = JSON.parse(String(kept)) as [
      Record<string, string>,
      object,
      string,
    ];
    expect(readable).toBe('');
    const [cookie] = await page.context().cookies(server.url);
    expect(cookie).toMatchObject({ name: 'reeve', httpOnly: true, sameSite: 'Strict' });
    expect(cookie?.value).not.toContain(TOKEN);
    const ask = (headers: Record<string, string>) => fetch(`${server.url}/api/v1/status`, { headers });
    const pair = { cookie: `reeve=${cookie?.value}`, 'x-reeve-csrf': csrf! };
    expect((await ask(pair)).status).toBe(200);
    expect((await ask({ cookie: pair.cookie })).status).toBe(401);
    expect((await ask({ 'x-reeve-csrf': csrf! })).status).toBe(401);
    expect((await ask({ ...pair, 'x-reeve-csrf': 'guess' })).status).toBe(401);
    expect((await ask({ ...pair, authorization: 'Bearer wrong' })).status).toBe(401);
  }, 30_000);

  it('says of a question that the guard would refuse it now, and still takes a yes for when that has passed', async () => {
    const refused = { code: 'hands_off', because: 'channel:news is on a lease of ann' };
    await open({ ...troubled, approvals: [{ ...troubled.approvals[0], refused }] });
    const notes = await text('#attention');
    expect(notes).toContain('(inc-2). The guard would refuse it now: channel:news is on a lease of ann (hands_off)');
    expect(await page.locator('[data-order="yes apr-1"]').isVisible()).toBe(true);
  }, 30_000);

  it('stays signed in over a reload, and signs out for good', async () => {
    await open(calm);
    const [cookie] = await page.context().cookies(server.url);
    const csrf = String(await page.evaluate("sessionStorage.getItem('reeve-session')"));
    await page.reload();
    await page.locator('#main').waitFor({ state: 'visible' });
    await page.locator('#leave').click();
    await page.locator('#login').waitFor({ state: 'visible' });
    expect(await page.context().cookies(server.url)).toEqual([]);
    const headers = { cookie: `reeve=${cookie?.value}`, 'x-reeve-csrf': csrf };
    expect((await fetch(`${server.url}/api/v1/status`, { headers })).status).toBe(401);
    complaints.length = 0;
  }, 30_000);

  it('shows what needs a person first: freeze, containment, questions and what Reeve itself suffers from', async () => {
    await open(troubled);
    const attention = await text('#attention');
    for (const part of ['ann', 'deploy of the encoders', 'restart_storm', 'reeve release', 'reeve approve apr-1']) {
      expect(attention).toContain(part);
    }
    expect(attention).toContain('does not take pages');
    expect(await page.title()).toMatch(/^\(\d+\) Reeve/);
    expect(await text('#incidents')).toContain('the source is not available');
    expect(await text('#incidents')).toContain('1 h 6 min');
    expect(await text('#channels')).toContain('in maintenance by bob for 10 min more');
    expect(await text('#channels')).toContain('leased, nothing is changed here for 90 s more; it runs');
    expect(attention).toContain('restart_channel on channel:news, because of output_stalled (inc-2)');
    const picture = join(mkdtempSync(join(tmpdir(), 'reeve-console-')), 'console.png');
    await page.screenshot({ path: picture, fullPage: true });
    if (process.env.REEVE_SCREENSHOT !== undefined) console.log(picture);
    expect(existsSync(picture)).toBe(true);
    expect(complaints).toEqual([]);
  }, 30_000);

  it('sends nobody to a release before the journal is whole', async () => {
    const held = { scope: 'fleet', reason: 'journal_error', detail: 'entry 3', forMs: 61_000, releaseByPerson: true };
    await open({ ...troubled, containment: [held] });
    expect(await text('#attention')).toMatch(/First the journal must be whole .*reeve audit verify.*reeve release/s);
    await open({ ...troubled, containment: [{ ...held, releaseByPerson: false }] });
    expect(await text('#attention')).toContain('reeve audit verify');
    expect(await text('#attention')).not.toContain('reeve release');
  }, 30_000);

  describe('what may be pressed', () => {
    const button = (name: string) => page.locator(`[data-order="${name}"]`);
    const sent = () =>
      commands.splice(0).map(({ name, who, because, fields: { id, yes } }) => ({ name, who, because, id, yes }));

    it('answers a question at the second press, with the reason that was typed', async () => {
      await open(troubled);
      expect(await button('yes apr-1').innerText()).toBe('Yes: restart_channel on channel:news');
      await button('yes apr-1').click();
      await expect
        .poll(() => button('yes apr-1').innerText())
        .toBe('Press again. Yes: restart_channel on channel:news');
      expect(sent()).toEqual([]);
      await page.locator('#because').fill('nobody records from it');
      await button('yes apr-1').click();
      await expect.poll(() => text('#said')).toBe('done');
      const yes = { name: 'approve', who: 'operator', because: 'nobody records from it', id: 'apr-1', yes: true };
      expect(sent()).toEqual([yes]);
      expect(await page.locator('#because').inputValue()).toBe('');
      for (const _ of [1, 2]) await button('no apr-1').click();
      await expect.poll(() => commands.length).toBe(1);
      expect(sent()).toEqual([{ ...yes, because: 'from the console', yes: false }]);
      expect(complaints).toEqual([]);
    }, 30_000);

    it('forgets the first press after a moment, and when something else is pressed', async () => {
      await open(troubled);
      await button('yes apr-1').click();
      await page.evaluate('armed.until = Date.now()');
      await button('yes apr-1').click();
      await button('thaw').click();
      await button('yes apr-1').click();
      await expect.poll(() => button('thaw').innerText()).toBe('Thaw');
      expect(sent()).toEqual([]);
    }, 30_000);

    it('freezes what is not frozen, and thaws what is', async () => {
      await open(calm);
      for (const _ of [1, 2]) await button('freeze').click();
      await expect.poll(() => commands.length).toBe(1);
      expect(sent()).toMatchObject([{ name: 'freeze', who: 'operator', because: 'from the console' }]);
      await open(troubled);
      expect(await button('freeze').isVisible()).toBe(false);
      for (const _ of [1, 2]) await button('thaw').click();
      await expect.poll(() => commands.length).toBe(1);
      expect(sent()).toMatchObject([{ name: 'thaw', who: 'operator' }]);
    }, 30_000);

    it('acknowledges a page, and then says who has it', async () => {
      await open({ ...calm, pages: [paged()] });
      for (const _ of [1, 2]) await button('ack incident/inc-7').click();
      await expect.poll(() => commands.length).toBe(1);
      expect(commands).toMatchObject([{ name: 'ack', who: 'operator', fields: { key: 'incident/inc-7' } }]);
      commands.length = 0;
      await open({ ...calm, pages: [paged({ acked: { who: 'ann', agoMs: 180_000 } })] });
      expect(await text('#attention')).toContain('not cured. ann has had it for 3 min.');
      expect(await button('ack incident/inc-7').count()).toBe(0);
    }, 30_000);

    it('lists twenty pages, and how many more there are', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, index) => paged({ key: `k${index}` }));
      await open({ ...calm, pages: many(20) });
      expect([await page.locator('#attention p').count(), await text('#attention')]).toEqual([
        20,
        expect.not.stringContaining('more open pages'),
      ]);
      await open({ ...calm, pages: many(22) });
      expect(await text('#attention')).toContain('And 2 more open pages.');
    }, 30_000);

    it('says why something was not done, and that nothing is known where no answer came', async () => {
      await open(troubled);
      answer = { ok: false, because: 'the question has run out' };
      for (const _ of [1, 2]) await button('yes apr-1').click();
      await expect.poll(() => text('#said')).toBe('Not done: the question has run out');
      answer = { ok: true, said: 'done' };
      await page.route('**/api/v1/approvals/**', (route) => route.abort());
      for (const _ of [1, 2]) await button('yes apr-1').click();
      await expect.poll(() => text('#said')).toContain('No answer. Whether it was done is shown above');
      await page.unroute('**/api/v1/approvals/**');
      commands.length = 0;
      complaints.length = 0;
    }, 30_000);

    it('keeps the keyboard where it is while the page is painted anew', async () => {
      await open(troubled);
      await button('no apr-1').focus();
      await page.evaluate('refresh()');
      expect(await page.evaluate('document.activeElement.dataset.order')).toBe('no apr-1');
    }, 30_000);

    it('paints nothing anew under a finger that is down, and goes on when it was never seen to leave', async () => {
      await open(troubled);
      await button('no apr-1').dispatchEvent('pointerdown');
      status = calm;
      await page.evaluate('refresh()');
      expect(await button('no apr-1').isVisible()).toBe(true);
      await expect.poll(() => button('no apr-1').isVisible(), { timeout: 10_000 }).toBe(false);
    }, 30_000);

    it('shows no button to whoever may only look', async () => {
      await open(troubled);
      await page.locator('#leave').click();
      await page.locator('#login').waitFor({ state: 'visible' });
      await signIn(VIEWER);
      await page.locator('#main').waitFor({ state: 'visible' });
      expect(await text('#attention')).toContain('reeve approve apr-1');
      expect(await page.locator('#attention button').count()).toBe(0);
      expect(await page.locator('#orders').isVisible()).toBe(false);
      await page.locator('#leave').click();
      await page.locator('#login').waitFor({ state: 'visible' });
      complaints.length = 0;
    }, 30_000);
  });

  it('says that a person is needed where Reeve has done what it may and has paged, and of nothing that it still watches', async () => {
    const spent = incident('inc-7', { state: 'escalated', because: '2 of 2 steps used, not cured' });
    const pages = [paged(), paged({ key: 'journal', incident: null, summary: 'the disk is full', deliveredTo: [] })];
    await open({ ...calm, incidents: [spent, incident('inc-8')], pages });
    const attention = await text('#attention');
    expect(attention).toContain('Page (critical), open for 2 min: sport: 2 of 2 steps used, not cured.');
    expect(attention).toContain('reeve trace inc-7');
    expect(attention).toContain('the disk is full. No receiver has taken it yet.');
    expect(attention).not.toContain('inc-8');
    expect(await page.title()).toBe('(3) Reeve');
  }, 30_000);

  it('calls starts by anybody what they are, and no restarts of its own', async () => {
    await open(troubled);
    expect(await page.locator('#channels th').allInnerTexts()).toContain('starts (1 h)');
  }, 30_000);

  it('puts the troubled channels first, and runs nothing that a log line says', async () => {
    await open(troubled);
    const names = await page.locator('#channels tr td:first-child').allInnerTexts();
    expect(names).toEqual(['sport', 'kids', 'news']);
    expect(await text('#channels')).toContain('<img src=x');
    expect(await page.evaluate(() => (globalThis as { owned?: number }).owned)).toBeUndefined();
  }, 30_000);

  it('says in one glance that all is quiet', async () => {
    await open({ ...calm, channels: [channel('news')] });
    expect(await text('#state')).toContain('all quiet');
    expect(await page.title()).toBe('Reeve');
  }, 30_000);

  it('lists of a large fleet those that need a look, and the others behind a button', async () => {
    const playing = Array.from({ length: 200 }, (_, index) => channel(`c${index}`));
    await open({
      ...calm,
      channels: [...playing, channel('sport', { healthy: false, ...STALLED }), ...troubled.channels],
    });
    const names = () => page.locator('#channels tr td:first-child').allInnerTexts();
    // One is leased, one in maintenance: a channel that is left stopped explains itself.
    expect(await names()).toEqual(['sport', 'sport', 'kids', 'news']);
    expect(await text('#more')).toBe('show the other 200, which play');
    await page.locator('#more').click();
    await expect.poll(async () => (await names()).length).toBe(204);
    await page.locator('#more').click();
    await expect.poll(async () => (await names()).length).toBe(4);
    await open({ ...calm, channels: playing });
    expect(await text('#channels')).toBe('all play');
    await open({ ...calm, channels: playing.slice(0, 30) });
    expect([(await names()).length, await page.locator('#more').isVisible()]).toEqual([30, false]);
  }, 30_000);

  it('says that what it shows is old when Reeve does not answer any more', async () => {
    await open(calm);
    await page.route('**/api/**', (route) => route.abort());
    await expect.poll(() => text('#state'), { timeout: 10_000 }).toMatch(/no answer.*seconds old/);
    await page.unroute('**/api/**');
    await expect.poll(() => text('#state'), { timeout: 10_000 }).not.toContain('no answer');
    complaints.length = 0;
  }, 30_000);

  it('says so, too, when Reeve stands still: it takes the question and never answers', async () => {
    await open(calm);
    await page.route('**/api/**', () => undefined);
    await expect.poll(() => text('#state'), { timeout: 15_000 }).toMatch(/no answer: none within 5 s; .*seconds old/);
    await page.unroute('**/api/**');
    await expect.poll(() => text('#state'), { timeout: 15_000 }).not.toContain('no answer');
    complaints.length = 0;
  }, 40_000);

  it('fits the screen of a telephone, whatever reason a person gave', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const named = { id: `channel_with_a_long_name_${'0'.repeat(20)}` };
    await open({
      ...troubled,
      freeze: { ...troubled.freeze, because: `https://example.org/${'x'.repeat(200)}` },
      channels: [channel(named.id, { healthy: false, ...STALLED })],
      incidents: [incident('inc-2', { scope: `channel:${named.id}` })],
    });
    // As text: the test itself is no program of a browser.
    const tooWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth + 1');
    expect(tooWide).toBe(false);
    const picture = join(mkdtempSync(join(tmpdir(), 'reeve-console-')), 'telephone.png');
    await page.screenshot({ path: picture, fullPage: true });
    if (process.env.REEVE_SCREENSHOT !== undefined) console.log(picture);
    expect(complaints).toEqual([]);
  }, 30_000);
});
