import { describe, expect, it } from 'vitest';
import { CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX, Senders } from '../../../src/collect/syslog/senders.ts';
import { fakeClock } from '../../support/fake_clock.ts';

function aRoom() {
  const { clock, advance } = fakeClock();
  const reports: string[] = [];
  const closed: string[] = [];
  const senders = new Senders(clock, (because) => reports.push(because));
  const enter = (address: string, name = address) => {
    const sender = { address, close: () => closed.push(name) };
    senders.add(sender);
    return sender;
  };
  const counted = () => senders.closed().filter(({ count }) => count > 0);
  return { senders, enter, advance, reports, closed, counted };
}

describe('a connection', () => {
  it('has a minute to send something', async () => {
    const { enter, advance, closed, counted } = aRoom();
    enter('a');
    await advance(59_999);
    expect(closed).toEqual([]);
    await advance(1);
    expect(closed).toEqual(['a']);
    expect(counted()).toEqual([{ reason: 'idle', count: 1 }]);
  });

  it('may be quiet for an hour once it has sent something', async () => {
    const { senders, enter, advance, closed } = aRoom();
    senders.heard(enter('a'));
    await advance(3_599_999);
    expect(closed).toEqual([]);
    await advance(1);
    expect(closed).toEqual(['a']);
  });

  it('that has ended is not closed again, and what it still sends is ignored', async () => {
    const { senders, enter, advance, closed } = aRoom();
    const sender = enter('a');
    senders.remove(sender);
    senders.heard(sender);
    await advance(3_600_000);
    expect(closed).toEqual([]);
  });

  it('that was refused is counted', () => {
    const { senders, counted } = aRoom();
    senders.refused();
    expect(counted()).toEqual([{ reason: 'not_allowed', count: 1 }]);
  });
});

describe('when an address holds as many connections as it may', () => {
  it('its own connection that was silent for longest is closed', () => {
    const { senders, enter, closed, counted } = aRoom();
    const first = enter('a', 'first');
    for (let at = 1; at < CONNECTIONS_PER_ADDRESS_MAX; at += 1) enter('a', `a${at}`);
    enter('b');
    senders.heard(first);
    expect(closed).toEqual([]);
    enter('a', 'one more');
    expect(closed).toEqual(['a1']);
    expect(counted()).toEqual([{ reason: 'address_full', count: 1 }]);
  });
});

describe('when all connections are taken', () => {
  it('one of the address that holds the most is closed', () => {
    const { enter, closed, counted } = aRoom();
    for (let at = 0; at < CONNECTIONS_PER_ADDRESS_MAX; at += 1) enter('greedy', `greedy${at}`);
    for (let at = CONNECTIONS_PER_ADDRESS_MAX; at < CONNECTIONS_MAX; at += 1) enter(`other${at}`);
    expect(closed).toEqual([]);
    enter('new');
    expect(closed).toEqual(['greedy0']);
    expect(counted()).toEqual([{ reason: 'full', count: 1 }]);
  });

  it('that is reported at most once a minute', async () => {
    const { senders, enter, advance, reports } = aRoom();
    const all = Array.from({ length: CONNECTIONS_PER_ADDRESS_MAX }, (_, at) => enter('a', `a${at}`));
    for (const sender of all) senders.heard(sender);
    senders.heard(enter('a'));
    await advance(59_999);
    senders.heard(enter('a'));
    expect(reports).toHaveLength(1);
    await advance(1);
    enter('a');
    expect(reports).toHaveLength(2);
    expect(reports[0]).toContain('a has all that one address may have');
  });
});

describe('the end', () => {
  it('closes every connection', () => {
    const { senders, enter, closed } = aRoom();
    enter('a');
    enter('b');
    senders[Symbol.dispose]();
    expect(closed).toEqual(['a', 'b']);
  });
});
