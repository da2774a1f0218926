import { describe, expect, it } from 'vitest';
import type { Notice } from '../../src/escalate/receiver.ts';
import { ReceiverServers, SERVER_KINDS, serverOf, type ServerKind } from '../../src/simulation/receiver_servers.ts';
import { noticeFor } from '../escalate/receivers/support.ts';
import { sendingTo } from './wired.ts';

const trigger: Notice = {
  ...noticeFor(),
  ...{ id: 'm1', key: 'incident/inc-1', scope: { kind: 'channel', id: 'ch0' }, severity: 'warning' },
};
const header = (text: string) => ({ type: 'header', text: { text } });
const section = (length: number) => ({ type: 'section', text: { text: 'a'.repeat(length) } });
const fields = (count: number, length: number) => ({
  type: 'section',
  fields: Array.from({ length: count }, () => ({ text: 'a'.repeat(length) })),
});
const about = { type: 'section', fields: [{ text: 'about: fleet' }, { text: 'key: k' }] };
const repeat: Notice = { ...trigger, what: 'repeat', id: 'm2' };
const resolve: Notice = { ...trigger, what: 'resolve', id: 'm3', resolvedAt: trigger.openedAt + 60_000 };

describe('a server of a receiver', () => {
  it.each(SERVER_KINDS)('hears what is new to a person, from the real adapter: %s', async (kind) => {
    const { heard, send } = sendingTo(kind);
    await send(trigger);
    await send(resolve);
    expect(heard.map(({ what, key }) => [what, key])).toEqual([
      ['trigger', 'incident/inc-1'],
      ['resolve', 'incident/inc-1'],
    ]);
    expect(heard[0]).toMatchObject({ receiver: 'pager', scope: 'channel:ch0', taken: true });
  });

  it.each<[ServerKind, string, string]>([
    ['webhook', 'm1', 'm2'],
    ['pagerduty', 'm1', 'm2'],
    ['ntfy', '', ''],
    ['slack', '', ''],
  ])('hears of each message once more when it is sent again: %s', async (kind, ...ids) => {
    const { heard, send } = sendingTo(kind);
    await send(trigger);
    await send(repeat);
    expect(heard.map(({ what, key, id }) => [what, key, id])).toEqual([
      ['trigger', 'incident/inc-1', ids[0]],
      ['repeat', 'incident/inc-1', ids[1]],
    ]);
  });

  it('knows the scope of each page from the labels of an alert', async () => {
    const scopes = [
      { kind: 'channel', id: 'ch0' },
      { kind: 'group', id: 'g0' },
      { kind: 'engine', id: 'e0' },
      { kind: 'fleet' },
    ] as const;
    const { heard, send } = sendingTo('alertmanager');
    for (const [at, scope] of scopes.entries()) await send({ ...trigger, scope, key: `k${at}` });
    expect(heard.map(({ scope }) => scope)).toEqual(['channel:ch0', 'group:g0', 'engine:e0', 'fleet']);
  });

  it('refuses an event that triggers and says nothing', () => {
    const event = JSON.stringify({ event_action: 'trigger', dedup_key: 'k' });
    expect(() => serverOf('pagerduty').read(event, 0)).toThrow('needs a payload');
  });
});

describe('a server that shows a person one message after another', () => {
  it.each<[ServerKind, object, string]>([
    ['ntfy', { title: 'CRITICAL x', message: 'about: fleet' }, 'does not say its key'],
    ['ntfy', { title: 'CRITICAL x', message: 'key: k' }, 'does not say its about'],
    ['ntfy', { title: 'CRITICAL x', message: `about: fleet\nkey: k\n${'ä'.repeat(2_048)}` }, 'does not show'],
    ['slack', { blocks: [header('CRITICAL x'), { fields: [] }] }, 'does not say its key'],
    ['slack', { blocks: [header('C'.repeat(151)), about] }, 'invalid_blocks'],
    ['slack', { blocks: [header('CRITICAL x'), about, section(3_001)] }, 'invalid_blocks'],
    ['slack', { blocks: [header('CRITICAL x'), about, fields(11, 1)] }, 'invalid_blocks'],
    ['slack', { blocks: [header('CRITICAL x'), about, fields(1, 2_001)] }, 'invalid_blocks'],
  ])('takes no message that says too little or too much: %s', (kind, body, because) => {
    expect(() => serverOf(kind).read(JSON.stringify(body), 0)).toThrow(because);
  });

  it('takes what is just as long as it may be', () => {
    const message = `about: fleet\nkey: k\n${'a'.repeat(4_096 - 20)}`;
    const blocks = [header('C'.repeat(150)), about, section(3_000), fields(10, 2_000)];
    const read = { what: 'trigger', key: 'k', id: '', scope: 'fleet' };
    expect(serverOf('ntfy').read(JSON.stringify({ title: 'CRITICAL x', message }), 0)).toEqual([read]);
    expect(serverOf('slack').read(JSON.stringify({ blocks }), 0)).toEqual([read]);
  });
});

describe('an Alertmanager of the simulation', () => {
  it('tells of an alert once, however often it is posted', async () => {
    const { heard, send, refresh } = sendingTo('alertmanager');
    await send(trigger);
    await send(repeat);
    await refresh([repeat]);
    expect(heard.map(({ what }) => what)).toEqual(['trigger']);
    await send(resolve);
    await refresh([resolve]);
    expect(heard.map(({ what }) => what)).toEqual(['trigger', 'resolve']);
  });

  it('keeps a page open under its new labels, until those end', async () => {
    const { heard, send } = sendingTo('alertmanager');
    const { severity, reason, classification } = trigger;
    const previous = [{ severity, reason, classification }];
    await send(trigger);
    await send({ ...trigger, severity: 'critical', previous });
    expect(heard.map(({ what }) => what)).toEqual(['trigger']);
    await send({ ...resolve, severity: 'critical' });
    expect(heard.map(({ what }) => what)).toEqual(['trigger', 'resolve']);
  });

  it('has a page open for as long as an alert of it is, whatever its labels', async () => {
    const { heard, send } = sendingTo('alertmanager');
    await send(trigger);
    await send({ ...trigger, severity: 'critical' });
    await send({ ...resolve, severity: 'critical' });
    expect(heard.map(({ what }) => what)).toEqual(['trigger']);
  });

  it('tells anew of what is posted after its end', async () => {
    const { heard, send, refresh } = sendingTo('alertmanager');
    await send(trigger);
    await send(resolve);
    await refresh([repeat]);
    expect(heard.map(({ what }) => what)).toEqual(['trigger', 'resolve', 'trigger']);
  });
});

describe('an alert that is not posted again', () => {
  const MINUTES_5 = 300_000;

  it('has ended after five minutes, and not before', async () => {
    const { send, pass, lapsed } = sendingTo('alertmanager');
    await send(trigger, 120);
    await pass(MINUTES_5);
    expect(lapsed()).toEqual([]);
    await pass(1);
    expect(lapsed()).toEqual([['resolve', trigger.key, 'silence']]);
    expect(lapsed()).toEqual([]);
  });

  it('is told anew when it is posted after that', async () => {
    const { heard, send, pass, refresh } = sendingTo('alertmanager');
    await send(trigger);
    await pass(MINUTES_5);
    await refresh([repeat]);
    expect(heard.map(({ what, lapsed }) => [what, lapsed])).toEqual([
      ['trigger', undefined],
      ['resolve', 'silence'],
      ['trigger', undefined],
    ]);
  });

  it('is open for as long as another alert of its page is', async () => {
    const { send, pass, lapsed, refresh } = sendingTo('alertmanager');
    await send(trigger);
    await pass(200_000);
    await refresh([{ ...trigger, severity: 'critical' }]);
    await pass(200_000);
    expect(lapsed()).toEqual([]);
    await pass(200_000);
    expect(lapsed()).toHaveLength(1);
  });

  it.each([
    ['was left out while others were posted', 100_000, 'neglect'],
    ['was not yet due when others were posted', 40_000, 'silence'],
  ])('%s', async (_, afterMs, how) => {
    const { send, pass, lapsed, refresh } = sendingTo('alertmanager');
    await send(trigger);
    await pass(afterMs);
    await refresh([{ ...repeat, key: 'other' }]);
    await pass(15_000);
    await refresh([{ ...repeat, key: 'other' }]);
    await pass(MINUTES_5 - 15_000 - afterMs);
    expect(lapsed()).toEqual([['resolve', trigger.key, how]]);
  });

  it.each([
    ['is not left out by who cannot know that it is no longer refused', 'lost', 'silence'],
    ['is left out by who knows that others are taken again', 'up', 'neglect'],
  ] as const)('%s', async (_, mode, how) => {
    const { send, pass, lapsed, refresh, state } = sendingTo('alertmanager');
    await send(trigger);
    state.mode = 'refuse';
    await pass(60_000);
    await refresh([repeat]);
    state.mode = mode;
    await pass(40_000);
    await refresh([{ ...repeat, key: 'other' }]);
    await pass(15_000);
    await refresh([{ ...repeat, key: 'other' }]);
    await pass(MINUTES_5);
    expect(lapsed()[0]).toEqual(['resolve', trigger.key, how]);
  });

  it.each<ServerKind>(['webhook', 'pagerduty'])('stays open elsewhere: %s', async (kind) => {
    const { send, pass, lapsed } = sendingTo(kind);
    await send(trigger);
    await pass(MINUTES_5 * 10);
    expect(lapsed()).toEqual([]);
  });
});

describe('the servers of a world', () => {
  it('tell at which of them a page has lapsed', async () => {
    const seed = Array.from({ length: 50 }, (_, at) => at).find(
      (one) => new ReceiverServers(one).of('chat').kind === 'alertmanager',
    );
    const servers = new ReceiverServers(seed!);
    servers.of('chat').read(JSON.stringify([{ labels: { key: 'k' } }]), 0);
    servers.of('pager');
    expect(servers.lapse(300_000)).toEqual([]);
    expect(servers.lapse(300_001)).toEqual([
      {
        receiver: 'chat',
        what: 'resolve',
        key: 'k',
        id: '',
        scope: 'fleet',
        lapsed: 'silence',
        atMs: 300_001,
        taken: true,
      },
    ]);
  });

  it('are one per receiver, of a kind that the seed chooses', () => {
    const servers = new ReceiverServers(7);
    expect(servers.of('pager')).toBe(servers.of('pager'));
    expect(servers.of('chat')).not.toBe(servers.of('pager'));
    expect(new ReceiverServers(7).of('pager').kind).toBe(servers.of('pager').kind);
    const kinds = Array.from({ length: 30 }, (_, seed) => new ReceiverServers(seed).of('pager').kind);
    expect(new Set(kinds)).toEqual(new Set(SERVER_KINDS));
  });
});
