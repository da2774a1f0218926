import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const timed = (...lines: string[]) => lines.map((line, at) => `2026/11/25 10:23:${10 + at} ${line}`);
const verdictOf = (...lines: string[]) => classifyExcerpt(timed(...lines), catalogue);
const symptomOf = (...lines: string[]) => verdictOf(...lines).symptom;
const on = (connection: number, text: string, level = 'info') =>
  `[${level}] 24468#24468: *${connection} ${text}, client: 192.0.2.7, server: 0.0.0.0:1935`;
const own = (connection: number, text: string) =>
  `[info] 24468#24468: *${connection} ${text}, client: 192.0.2.80:1935/live/sport, server: ngx-relay`;

const publish = (connection: number, name = 'sport') =>
  on(connection, `publish: name='${name}' args='' type=live silent=0`);
const play = (connection: number) =>
  on(connection, `play: name='sport' args='' start=-2000 duration=0 reset=0 silent=0`);
const closed = (connection: number) => [on(connection, 'disconnect'), on(connection, 'deleteStream')];
const RESET = 'recv() failed (104: Connection reset by peer)';

describe("a viewer's connection to the RTMP module of nginx", () => {
  it.each([
    ['is closed', 'disconnect', 'info'],
    ['breaks off', RESET, 'info'],
    ['is refused', 'access forbidden by rule', 'error'],
    ['does not answer any more', 'ping: unresponded', 'info'],
  ])('concerns the viewer where it %s', (_, text, level) => {
    expect(symptomOf(publish(1), play(2), on(2, text, level), ...closed(2))).toBe('client_disconnect_benign');
  });

  it('says nothing of the disk, nor of a service that the server asks', () => {
    const full = 'hls: error writing fragment header (28: No space left on device)';
    expect(symptomOf(publish(1), play(2), on(2, full, 'error'), ...closed(2))).toBe('disk_full');
    const service = 'notify: connection to 127.0.0.1 failed';
    expect(symptomOf(publish(1), play(2), on(2, service, 'error'), ...closed(2))).toBe('upstream_unreachable');
  });
});

describe('who asks for an application that the server does not have', () => {
  const nope = on(2, `connect: application not found: 'nope'`);

  it('is a stranger where somebody else publishes', () => {
    expect(symptomOf(publish(1), nope, ...closed(2))).toBe('client_disconnect_benign');
  });

  it('may be the publisher itself where nobody does', () => {
    expect(symptomOf(nope, ...closed(2))).toBe('config_error');
    expect(symptomOf(publish(1), on(1, RESET), ...closed(1), nope, ...closed(2))).toBe('config_error');
  });
});

describe("a publisher's connection", () => {
  it.each([
    ['is closed', 'disconnect'],
    ['breaks off', RESET],
    ['does not answer any more', 'ping: unresponded'],
  ])('means that the publisher is gone where it %s', (_, text) => {
    expect(symptomOf(publish(1), on(1, text), ...closed(1))).toBe('publisher_lost');
  });

  it('has ended as intended where its end was announced before', () => {
    expect(symptomOf(publish(1), on(1, 'deleteStream'), ...closed(1))).toBe('benign_noise');
    expect(symptomOf(publish(1), on(1, 'deleteStream'), on(1, RESET), ...closed(1))).toBe('benign_noise');
  });

  it('was rejected where the server says so', () => {
    const busy = on(1, 'live: already publishing', 'error');
    expect(symptomOf(publish(1), busy, ...closed(1))).toBe('ghost_publisher');
  });

  describe('about which a service was asked', () => {
    const asked = (connection: number) => on(connection, `notify: publish '127.0.0.1:8081/check'`);
    const later = (...lines: string[]) => lines.map((line) => `2026/11/25 10:24:40 ${line}`);

    it('was rejected for an unsaid reason where it is closed at once', () => {
      expect(verdictOf(publish(1), asked(1), ...closed(1))).toMatchObject({ symptom: 'unknown', remedy: 'escalate' });
    });

    it('was rejected later on where the service did not confirm it', () => {
      const update = [on(1, `notify: update '127.0.0.1:8081/check'`), on(1, 'notify: update failed')];
      expect(symptomOf(publish(1), asked(1), ...update, ...closed(1))).toBe('unknown');
    });

    it('was accepted where it is closed later: then its publisher is gone, unless it had announced its end', () => {
      const before = timed(publish(1), asked(1));
      expect(classifyExcerpt([...before, ...later(...closed(1))], catalogue).symptom).toBe('publisher_lost');
      const end = [on(1, 'FCUnpublish'), ...closed(1)];
      expect(classifyExcerpt([...before, ...later(...end)], catalogue).symptom).toBe('benign_noise');
    });

    it('is gone where the peer breaks off, however soon', () => {
      expect(symptomOf(publish(1), asked(1), on(1, RESET), ...closed(1))).toBe('publisher_lost');
    });

    it('was let in where it comes back and stays', () => {
      expect(symptomOf(publish(1), asked(1), ...closed(1), publish(2), asked(2))).toBe('benign_noise');
    });

    it('gives way to what the lines say of the service', () => {
      const silent = on(1, 'netcall: client recv timed out');
      expect(symptomOf(publish(1), asked(1), silent, ...closed(1))).toBe('upstream_timeout');
    });
  });

  it('is gone where it breaks off while it is passed on', () => {
    const passed = on(1, "relay: create push name='sport' app='' playpath='' url='192.0.2.80:1935/live/sport'");
    expect(symptomOf(publish(1), passed, ...closed(1))).toBe('publisher_lost');
  });

  it('is back under the same name, and not under another', () => {
    expect(symptomOf(publish(1), ...closed(1), publish(2))).toBe('benign_noise');
    expect(symptomOf(publish(1), ...closed(1), publish(2, 'news'))).toBe('publisher_lost');
    expect(symptomOf(publish(1), ...closed(1), publish(2), ...closed(2))).toBe('publisher_lost');
  });

  it('is torn down by an ordered stop', () => {
    const stop = '[notice] 24400#24400: signal 15 (SIGTERM) received from 24399, exiting';
    expect(symptomOf(publish(1), stop, ...closed(1))).toBe('benign_noise');
  });
});

describe("the server's own connection to another server", () => {
  const refused = (connection: number) => [
    own(connection, 'send() failed (111: Connection refused)'),
    own(connection, 'disconnect'),
  ];
  const asked = on(1, "relay: create push name='sport' app='' playpath='' url='192.0.2.80:1935/live/sport'");

  it('has failed where it is refused, and is late where nothing comes', () => {
    expect(symptomOf(publish(1), asked, ...refused(2))).toBe('upstream_unreachable');
    expect(symptomOf(publish(1), asked, own(2, 'recv() failed (110: Connection timed out)'))).toBe('upstream_timeout');
  });

  it('has failed where it was cut off and is refused the next time', () => {
    expect(symptomOf(own(1, 'disconnect'), own(1, 'deleteStream'), ...refused(2))).toBe('upstream_unreachable');
  });

  it('has failed where it had been up and was broken off, once is enough', () => {
    expect(symptomOf(own(2, RESET), own(2, 'disconnect'))).toBe('upstream_unreachable');
    expect(symptomOf(own(2, 'send() failed (32: Broken pipe)'), own(2, 'disconnect'))).toBe('upstream_unreachable');
  });

  it('is weak evidence where one attempt is refused that no line of the excerpt requested', () => {
    expect(symptomOf(...refused(2))).toBe('benign_noise');
  });

  it('is distinguished from a viewer who uses its name', () => {
    const viewer = on(2, `play: name='x, server: ngx-relay' args=''`);
    expect(symptomOf(publish(1), viewer, on(2, RESET))).toBe('client_disconnect_benign');
  });
});

it('says nothing about connections whose role the lines do not show', () => {
  expect(symptomOf(on(5, RESET), ...closed(5))).toBe('benign_noise');
});
