import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSecrets, scoreSecrets } from '../../scripts/secrets.ts';
import { redact } from '../../src/collect/redact.ts';

/** A key of a word, or of a word and a number, and a word before the host: names look the same. */
const KNOWN_MISSES = ['rtmp://h/live/', 'rtmp://h/live/', '@api.example/feed'];

/** Each line holds the secret once, at `§`. */
const CARRIERS: readonly string[] = [
  'GET http://plex:32400/library/sections?X-Plex-Token=§&type=1 HTTP/1.1',
  "[https @ 0x55] Opening 'https://h/x.m3u8?access_token=§' for reading",
  'api_key=§',
  'https://h/p?a=1&key=§#frag',
  'https://h/p?sig=§&e=1',
  'https://h/p?signature=§',
  'https://h/p?user=me&password=§ failed',
  'http://user:§@host:8080/live/x.ts: Connection refused',
  'rtsp://admin:§@10.0.0.7:554/Streaming/Channels/101',
  'http://proxy/http://user:§@host/x',
  'Authorization: Bearer §',
  'authorization: Basic §, client: 10.0.0.1',
  "curl -H 'Authorization: Bearer §' http://h/",
  'Authorization: MediaBrowser Client="a", Token="§"',
  'Proxy-Authorization: Digest username="u", response="§"',
  'X-Api-Key: §',
  '-H "X-Emby-Token: §" http://h/',
  'Cookie: session=§; theme=dark',
  'Set-Cookie: sid=§; Path=/',
  '{"user":"x","password": "§","port":8}',
  '{\\"password\\": \\"§\\"}',
  "{'client_secret': '§'}",
  'AWS https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIA&X-Amz-Signature=§&X-Amz-Expires=60',
  'https://cdn/x.ts?Policy=abc&Signature=§&Key-Pair-Id=KXYZ',
  'https://cdn/x.m3u8?hdnts=exp=17~acl=/*~hmac=§',
  'redirect=http%3A%2F%2Fh%2F%3FX-Plex-Token%3D§%26x%3D1',
  'rtmp://live.twitch.tv/app/§: Input/output error',
  'rtmps://live-api-s.facebook.com:443/rtmp/§',
  'srt://h:9000?mode=caller&passphrase=§',
  'http://line.example:8080/live/USER/§/4711.ts',
  'PGPASSWORD=§ psql -h db',
  'stream key: § accepted',
  'Server=db;Uid=sa;Pwd=§;Encrypt=true',
  'auth_token: §, status=403',
];

const secretChars = fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'), {
  minLength: 24,
  maxLength: 60,
});
const aSecret = secretChars.map((chars) => `S3${chars.join('')}`);

describe('redact', () => {
  it.each(CARRIERS)('takes the secret out of: %s', (carrier) => {
    const [before, after] = carrier.split('§') as [string, string];
    const safe = redact(carrier.replace('§', 'S3cretS3cretS3cretS3cret9'));
    expect(safe).not.toContain('S3cret');
    expect(safe).toContain('[redacted]');
    expect(safe.startsWith(before.slice(0, Math.max(0, before.search(/[=:"'?@]/))))).toBe(true);
    if (!/[Cc]ookie|MediaBrowser|Digest|Key-Pair/.test(carrier)) expect(safe.endsWith(after)).toBe(true);
  });

  it('never lets a secret through, whatever it is made of, and redacting twice changes nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CARRIERS), aSecret, fc.string({ maxLength: 20 }), (carrier, secret, noise) => {
        const safe = redact(`${noise} ${carrier.replace('§', secret)}`);
        expect(safe).not.toContain(secret);
        expect(redact(safe)).toBe(safe);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N',
    'AKIAIOSFODNN7EXAMPLE',
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOHcbrzygy',
    'live_123456789_abcdefghijklmnopqrst',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----',
  ])('knows a secret by its own shape: %s', (secret) => {
    expect(redact(`before ${secret} after`)).toBe('before [redacted] after');
  });

  it('redacts a password with a slash in it, and one that was cut off before its host', () => {
    expect(redact('rtsp://admin:pa/ss@10.0.0.1:554/s')).toBe('rtsp://admin:[redacted]@10.0.0.1:554/s');
    expect(redact('rtsp://admin:passwo')).toBe('rtsp://admin:[redacted]');
  });

  it.each([
    'frame=  100 fps= 25 q=28.0 size=N/A time=00:00:04.00 bitrate=N/A speed=   1x',
    'tcp://127.0.0.1:9000: Connection refused',
    'tcp://0.0.0.0:21029?listen=1: Address already in use',
    'udp://@239.0.0.1:1234?pkt_size=1316',
    'http://[::1]:8080/x: Server returned 403 Forbidden (access denied)',
    'rtmp://127.0.0.1:1935/live/cam1',
    'http://127.0.0.1:21031/live/pull1.ts: Server returned 401 Unauthorized (authorization failed)',
    'Invalid token: expired',
    '[tls @ 0x] token: signature has expired',
    'Bearer authentication required',
    'Basic authentication required',
    'usage: max_tokens=512 tokens: 4',
    'Key (id)=(1) already exists.',
    'keyframe interval: key=4 pass=1 sig=11',
    'http://h/live/cam1/index.m3u8',
    'token type: reference',
  ])('leaves alone what an operator needs to read: %s', (line) => {
    expect(redact(line)).toBe(line);
  });

  it('keeps the host and the rest of the query', () => {
    expect(redact('http://u:p@h:1/x?a=1&token=t&b=2#f')).toBe('http://u:[redacted]@h:1/x?a=1&token=[redacted]&b=2#f');
  });

  it.each([
    '://',
    'a://b/',
    'a://b:c/',
    'x://a:b@',
    'token:',
    'token=',
    'password="',
    'eyJ-',
    'authorization: basic x ',
    'a',
    '?key=',
    'password: \\',
    'cookie:',
    'bearer ',
    '-----BEGIN PRIVATE KEY-----',
    ',token:a,',
    ' -pass ',
    ' --token x',
    '#!::s=',
    'streamid=publish:a:',
    '/hooks/a',
    '/bot1:',
    `/${'a'.repeat(31)}`,
    `/${'0'.repeat(40)}`,
    'npm_',
    '-aaaaaaaaaaaaaaaa',
    '/api/webhook/',
    '/trigger/a/with/key/',
    '1234567890:AA',
    'http://h/a/b/1',
    'key-0123456789abcdef',
    '%3d',
    'token:expired,',
  ])('takes no longer than its length on a mebibyte of %j', (unit) => {
    const hostile = unit.repeat(Math.ceil((1 << 20) / unit.length));
    const started = process.hrtime.bigint();
    redact(hostile);
    // A search that starts over at every repetition would take minutes here; a linear one takes a tenth of a second.
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(5_000);
  });
});

describe('the corpus of secrets and look-alikes', () => {
  const items = readSecrets();
  const scores = scoreSecrets(items, redact);

  it('is large enough to say something', () => {
    expect(scores.secrets).toBeGreaterThanOrEqual(150);
    expect(scores.lookAlikes).toBeGreaterThanOrEqual(300);
    expect(new Set(items.map(({ text }) => text)).size).toBe(items.length);
  });

  it('loses at most a few secrets, each of which looks like a name, and cuts no look-alike', () => {
    expect(scores.missed.map(({ text }) => text)).toEqual(KNOWN_MISSES.map((part) => expect.stringContaining(part)));
    expect(scores.wrong.map(({ text }) => text)).toEqual([]);
  });

  it('is redacted once for all', () => {
    for (const { text } of items) expect(redact(redact(text))).toBe(redact(text));
  });
});
