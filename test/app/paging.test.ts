import { describe, expect, it, onTestFinished } from 'vitest';
import type { Infrastructure } from '../../src/app/infrastructure.ts';
import { createPaging } from '../../src/app/paging.ts';
import type { HostEnvironment } from '../../src/app/host_environment.ts';
import { countingIds } from '../../src/core/id.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { loadText } from '../config/support.ts';
import { until, webServer } from '../escalate/servers.ts';
import { fakeClock } from '../support/fake_clock.ts';

function setUp(store = new MemoryStore(), logged: string[] = []) {
  const { clock, advance } = fakeClock();
  const ledger = new Ledger(store, clock);
  const nothing = () => undefined;
  const world = {
    ids: countingIds(),
    random: { next: () => 0.5 },
    log: { info: nothing, warn: nothing, error: (_: object, text: string) => logged.push(text) },
  };
  const infrastructure = { ledger, clock: ledger.clock, state: '/nowhere' } as Infrastructure;
  const people = createPaging(infrastructure, world as unknown as HostEnvironment);
  ledger.open();
  return { ledger, people, store, advance };
}

describe('a failure of Reeve itself', () => {
  it('is one page per kind, however often it happens', () => {
    const { people } = setUp();
    for (const text of ['sample: a', 'sample: b', 'settle: a']) people.fail(text);
    expect([...people.openPages().keys()]).toEqual(['reeve/internal/sample', 'reeve/internal/settle']);
  });

  it('is logged each time, and once a minute for each kind while the journal takes nothing', async () => {
    const logged: string[] = [];
    const { people, store, ledger, advance } = setUp(new MemoryStore(), logged);
    for (const text of ['settle: a', 'settle: b']) people.fail(text);
    expect(logged).toEqual(['settle: a', 'settle: b']);
    store.failWrites('the disk is full');
    expect(() => ledger.append([{ fact: { type: 'control.frozen', who: 'ann', because: 'b' } }])).toThrow('disk');
    await advance(60_000);
    logged.length = 0;
    for (const text of ['settle: c', 'settle: d', 'journal: e', 'settle: f']) people.fail(text);
    expect(logged).toEqual(['settle: c', 'journal: e']);
    await advance(59_999);
    people.fail('settle: g');
    expect(logged).toHaveLength(2);
    await advance(1);
    for (const text of ['settle: h', 'journal: i']) people.fail(text);
    expect(logged.slice(2)).toEqual(['settle: h (3 more like it were not logged)', 'journal: i']);
  });

  it('ends when Reeve starts cleanly again, and no other page does', () => {
    const first = setUp();
    first.people.fail('sample: a');
    const about = { severity: 'info', reason: 'lasting', scope: { kind: 'fleet' }, summary: '', details: '' } as const;
    const page = { ...about, key: 'incident/inc-1', incident: 'inc-1', classification: undefined };
    first.ledger.append(first.people.raise(page));

    const { ledger, people } = setUp(first.store);
    ledger.append(people.recovered());
    expect([...people.openPages().keys()]).toEqual(['incident/inc-1']);
  });
});

describe('the routes of the configuration', () => {
  it('decide which receiver of the daemon gets a page', async () => {
    const [loud, rest] = [await webServer((_, answer) => answer.end()), await webServer((_, answer) => answer.end())];
    const { config } = loadText(`version: 1
receivers:
  - { id: loud, kind: webhook, url: "${loud.url}" }
  - { id: rest, kind: ntfy, url: "${rest.url}", topic: t }
routes:
  - { match: { severity: [critical] }, receivers: [loud] }
  - { receivers: [rest] }
`);
    const { ledger, people } = setUp();
    const building = new AsyncDisposableStack();
    onTestFinished(() => building.disposeAsync());
    people.open(config!, building);
    building.use(ledger.subscribe(people.dispatcher().onEntry));
    people.dispatcher().start();
    for (const severity of ['critical', 'warning'] as const) {
      const about = { severity, reason: 'lasting', scope: { kind: 'fleet' }, summary: severity, details: '' } as const;
      const page = { ...about, key: `incident/${severity}`, incident: undefined, classification: undefined };
      ledger.append(people.raise(page));
    }
    await until(() => loud.posts.length > 0 && rest.posts.length > 0);
    expect(loud.posts.map(({ body }) => JSON.parse(body).data.severity)).toEqual(['critical']);
    expect(rest.posts.map(({ body }) => JSON.parse(body).title)).toEqual(['WARNING warning']);
  });
});

describe('a page about a channel', () => {
  it('says in which group and engine the configuration had it', () => {
    const { config } = loadText(`version: 1
engines: [{ id: local, kind: supervisor, socket: /nowhere/socket }]
channels: [{ id: news, engine: local, group: pull }]
`);
    const { people } = setUp();
    const building = new AsyncDisposableStack();
    onTestFinished(() => building.disposeAsync());
    people.open(config!, building);
    const page = { key: 'k', severity: 'info', reason: 'lasting', summary: '', details: '' } as const;
    const about = { ...page, scope: { kind: 'channel', id: 'news' }, incident: undefined, classification: undefined };
    const [draft] = people.raise(about as Parameters<typeof people.raise>[0]);
    expect(draft?.fact).toMatchObject({ escalation: { place: { group: 'pull', engine: 'local' } } });
  });
});

describe('a reload', () => {
  it('changes how often an open page is sent again', async () => {
    const hook = await webServer((_, answer) => answer.end());
    const configOf = (repeat: string) =>
      loadText(`version: 1
receivers: [{ id: hook, kind: webhook, url: "${hook.url}" }]
escalation: { repeat_every: ${repeat} }
`).config!;
    const { ledger, people, advance } = setUp();
    const building = new AsyncDisposableStack();
    onTestFinished(() => building.disposeAsync());
    people.open(configOf('4h'), building);
    building.use(ledger.subscribe(people.dispatcher().onEntry));
    people.dispatcher().start();
    people.fail('sample: a');
    await until(() => hook.posts.length === 1 && ledger.lastSeq >= 2);
    await advance(600_000);
    people.use(configOf('5m'));
    await until(() => hook.posts.length === 2);
    const posted = hook.posts.map(({ body }) => JSON.parse(body));
    expect(posted.map(({ type, data }) => `${type} ${data.key}`)).toEqual([
      'escalation.trigger reeve/internal/sample',
      'escalation.repeat reeve/internal/sample',
    ]);
  });
});
