import { describe, expect, it } from 'vitest';
import type { SourceSample } from '../../../src/core/sample.ts';
import { SYMPTOMS } from '../../../src/core/symptom.ts';
import { NO_ENGINE_FACTS } from '../../../src/ground/facts/engine_facts.ts';
import type { ClassifyContext, ClassifyInput } from '../../../src/ground/rules/classify_input.ts';
import type { Match } from '../../../src/ground/rules/rule.ts';
import * as rows from '../../../src/ground/rules/upstream.ts';
import { died, failed, type Given, gist, lookOf, NOW, playlist, symptomOf, source, unread } from '../given.ts';

type Row = (look: ClassifyInput) => Match | undefined;
const ROWS: Readonly<Record<string, Row>> = { ...rows };
const standing = { setup: { hasSource: true }, output: playlist(10_000) };
const probed = (how: Partial<SourceSample>): Given => ({ ...standing, source: failed(9_000, 700, undefined, how) });
const status = (code: number, how: Partial<SourceSample> = {}) =>
  probed({ failure: 'http_status', status: code, ...how });
const reported = (...symptoms: NonNullable<Given['symptoms']>): Given => ({ ...standing, symptoms });
const ask = (row: Row, given: Given, context: Partial<ClassifyContext> = {}) => row(lookOf(given, context));
/** The names of the rows that hold. */
const holding = (given: Given): readonly string[] =>
  Object.keys(ROWS)
    .filter((name) => ask(ROWS[name]!, given) !== undefined)
    .map((name) => name.replace('upstream', ''))
    .toSorted();
const credential = (ok: boolean): Partial<ClassifyContext> => ({
  engine: {
    ...NO_ENGINE_FACTS,
    credential: { kind: 'credential', engine: 'local', at: 0, monoMs: NOW - 300, source: 'probe', ok },
  },
});

describe('the source is the trouble', () => {
  it.each<[string, Given, readonly string[]]>([
    ['401', status(401), ['AuthExpired', 'Unavailable']],
    ['403', status(403), ['Unavailable', 'UrlExpired']],
    ['410', status(410), ['Unavailable', 'UrlExpired']],
    ['404', status(404), ['NotFound', 'Unavailable']],
    ['429', status(429), ['RateLimited', 'Unavailable']],
    ['464', status(464), ['RateLimited', 'Unavailable']],
    ['503', status(503), ['Unavailable']],
    ['503 and when to come again', status(503, { retryAfterMs: 1 }), ['RateLimited', 'Unavailable']],
    ['500 and when to come again', status(500, { retryAfterMs: 1 }), ['Unavailable']],
    ['nothing', probed({ failure: 'timeout' }), ['Unavailable']],
    ['damaged media', probed({ failure: 'corrupt' }), []],
    ['well', { ...standing, source: source() }, []],
  ])('when it answers %s', (_, given, expected) => {
    expect(holding(given)).toEqual(expected);
    expect(holding({ ...given, output: playlist() })).toEqual([]);
  });

  it('when the log says so of a channel in trouble, by these lines and no others', () => {
    const heard = SYMPTOMS.map((kind) => [kind, holding(reported(symptomOf(kind)))] as const);
    expect(Object.fromEntries(heard.filter(([, names]) => names.length > 0))).toEqual({
      auth_expired: ['AuthExpired', 'UrlExpired'],
      auth_denied: ['UrlExpired'],
      upstream_not_found: ['NotFound'],
      rate_limited: ['RateLimited'],
      upstream_unreachable: ['Unavailable'],
      upstream_timeout: ['Unavailable'],
      dns_failure: ['Unavailable'],
      tls_failure: ['Unavailable'],
    });
    expect(holding({ symptoms: [symptomOf('upstream_timeout'), symptomOf('auth_expired')] })).toEqual([]);
    const pattern = (text: string | undefined) => holding(reported(symptomOf('auth_denied', 0, { pattern: text })));
    expect(pattern('http_401')).toEqual(['AuthExpired', 'UrlExpired']);
    expect(pattern(undefined)).toEqual(['UrlExpired']);
    expect(['rtmp_publish_refused', 'ingest_403', 'bad_stream_key'].map(pattern)).toEqual([[], [], []]);
  });

  it('not when it has been read well again since the log reported it', () => {
    const all = ['auth_expired', 'auth_denied', 'upstream_not_found', 'rate_limited', 'dns_failure'] as const;
    const symptoms = all.map((kind) => symptomOf(kind, 12_000));
    expect(holding({ ...standing, symptoms, source: failed(60_000, 20_000, 12_000) })).toEqual([]);
    expect(holding({ ...standing, symptoms, source: failed(60_000, 20_000, 12_001) })).toHaveLength(5);
    const dead = {
      setup: { hasSource: true },
      process: died(20_000),
      symptoms: [...symptoms, symptomOf('tls_failure', 1_000)],
    };
    expect(holding({ ...dead, source: failed(60_000, 15_000, 500) })).toHaveLength(5);
    const late = all.map((kind) => symptomOf(kind, 9_000, { firstMs: NOW - 9_000 }));
    expect(holding({ ...dead, symptoms: late, source: failed(60_000, 12_000, 8_000) })).toEqual([]);
    const muttering = { ...dead, process: died(50_000), symptoms: all.map((kind) => symptomOf(kind, 4_000)) };
    expect(holding({ ...muttering, source: failed(60_000, 20_000, 8_000) })).toEqual([]);
  });
});

describe('a row about the source reports', () => {
  it('who says so, and since when', () => {
    const process = died(4_000, { exitCode: 1 });
    const symptoms = [symptomOf('dns_failure', 2_000), symptomOf('tls_failure', 3_000)];
    expect(ask(rows.upstreamUnavailable, { ...probed({}), process, symptoms })).toEqual({
      because: 'the source origin:80 is not available (refused)',
      signals: [
        { origin: 'probe', says: 'source origin:80 fails (refused)', monoMs: NOW - 700, symptom: undefined },
        { origin: 'log', says: 'dns_failure, 1 in 60 s', monoMs: NOW - 2_000, symptom: 'dns_failure' },
        { origin: 'log', says: 'tls_failure, 1 in 60 s', monoMs: NOW - 3_000, symptom: 'tls_failure' },
        { origin: 'process', says: 'the process is exited (exit 1)', monoMs: NOW, symptom: undefined },
        { origin: 'probe', says: 'playlist unchanged for 10 s', monoMs: NOW, symptom: undefined },
      ],
      symptom: 'dns_failure',
      sinceMs: NOW - 9_000,
    });
    const alone = ask(rows.upstreamUnavailable, reported(symptomOf('dns_failure', 0, { firstMs: NOW - 3_000 })));
    expect(alone).toMatchObject({ sinceMs: NOW - 3_000 });
    expect(alone).not.toHaveProperty('against');
  });

  it('that its own probe contradicts the log, where no neighbour shares its trouble', () => {
    const given = { ...reported(symptomOf('dns_failure')), source: source() };
    const against = (of: Given, sharingSource = 0) => ask(rows.upstreamUnavailable, of, { sharingSource })?.against;
    expect([against(given), against(given, 1), against({ ...given, source: undefined })]).toEqual([
      1,
      undefined,
      undefined,
    ]);
    expect(against({ ...given, source: failed(9_000, 700) })).toBeUndefined();
    expect(against({ ...given, source: { ...failed(9_000, 2_000, 1_000), okStreak: 1 } })).toBeUndefined();
  });

  it('how it is not available, and what that is called', () => {
    const nameOf = (given: Given) => {
      const match = ask(rows.upstreamUnavailable, given);
      return `${match?.because} ${match?.symptom}`;
    };
    const of = 'the source origin:80 is not available';
    expect(nameOf(probed({ failure: 'timeout' }))).toBe(`${of} (timeout) upstream_timeout`);
    expect(nameOf(probed({ failure: 'slow' }))).toBe(`${of} (slow) upstream_timeout`);
    expect(nameOf(probed({ failure: 'dns' }))).toBe(`${of} (dns) dns_failure`);
    expect(nameOf(probed({ failure: 'tls' }))).toBe(`${of} (tls) tls_failure`);
    expect(nameOf(status(502))).toBe(`${of} (http_status 502) upstream_unreachable`);
    expect(nameOf(probed({ failure: undefined as never }))).toBe(`${of} (unknown) upstream_unreachable`);
    expect(nameOf(reported(symptomOf('tls_failure')))).toBe('the source is not available (tls_failure) tls_failure');
    expect(nameOf({ ...reported(symptomOf('tls_failure')), source: source() })).toBe(`${of} (tls_failure) tls_failure`);
    expect(nameOf({ ...probed({ failure: 'corrupt' }), symptoms: [symptomOf('tls_failure')] })).toBe(
      `${of} (corrupt) tls_failure`,
    );
  });

  it('for how long it limits requests', () => {
    const nameOf = (given: Given) => {
      const match = ask(rows.upstreamRateLimited, given);
      return [gist(match)[0], match?.symptom];
    };
    const limits = 'the source limits requests';
    expect(nameOf(status(429))).toEqual([limits, 'rate_limited']);
    expect(nameOf(status(429, { retryAfterMs: 12_001 }))).toEqual([`${limits} for 13 s`, 'rate_limited']);
    expect(nameOf(reported(symptomOf('rate_limited')))).toEqual([limits, 'rate_limited']);
  });

  it('that it does not have what was asked for', () => {
    expect(ask(rows.upstreamNotFound, status(404))).toMatchObject({
      because: 'the source does not have it (404)',
      symptom: 'upstream_not_found',
    });
  });
});

describe('access ran out', () => {
  const auth = (given: Given, context: Partial<ClassifyContext> = {}) =>
    gist(ask(rows.upstreamAuthExpired, given, context));
  const metric = 'metric: the credential probe fails';
  const refused = 'the source refuses, and the credentials fail their probe';

  it('when the source answers 401, or the log says that it does', () => {
    const symptoms = [
      symptomOf('auth_expired', 0),
      symptomOf('auth_denied', 0, { pattern: 'http_401', confidence: 0.8 }),
    ];
    expect(auth({ ...status(401), symptoms })).toEqual([
      'the source answers 401',
      'probe: source origin:80 fails (http_status 401)',
      'log: auth_expired, 1 in 60 s',
      'log: auth_denied, 1 in 60 s',
      'probe: playlist unchanged for 10 s',
    ]);
    expect(auth(reported(symptoms[1]!)).slice(0, 2)).toEqual(['the source answers 401', 'log: auth_denied, 1 in 60 s']);
    expect(auth(reported(symptoms[0]!)).slice(0, 2)).toEqual(['access ran out', 'log: auth_expired, 1 in 60 s']);
    expect(auth(reported(...symptoms)).slice(0, 2)).toEqual(['access ran out', 'log: auth_expired, 1 in 60 s']);
  });

  it('when the source refuses and the engine’s credentials fail', () => {
    expect(auth(status(403), credential(false))).toEqual([
      refused,
      'probe: source origin:80 fails (http_status 403)',
      'probe: playlist unchanged for 10 s',
      metric,
    ]);
    const match = ask(rows.upstreamAuthExpired, status(403), credential(false));
    expect(match?.signals.at(-1)).toEqual({
      origin: 'metric',
      says: 'the credential probe fails',
      symptom: undefined,
      monoMs: NOW - 300,
    });
    const symptoms = [symptomOf('auth_denied', 0, { confidence: 0.8 }), symptomOf('auth_expired')];
    for (const one of symptoms) expect(auth(reported(one), credential(false))[0]).toBe(refused);
    expect(auth(reported(...symptoms), credential(false)).slice(1, 3)).toEqual([
      'log: auth_expired, 1 in 60 s',
      'log: auth_denied, 1 in 60 s',
    ]);
    expect([auth(status(403)), auth(status(403), credential(true)), auth(status(404), credential(false))]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('not by the log when the credentials are fine', () => {
    expect(auth(reported(symptomOf('auth_expired')), credential(true))).toEqual([]);
    expect(auth({ ...status(401), symptoms: [symptomOf('auth_expired')] }, credential(true))).toHaveLength(3);
    expect(auth(reported(symptomOf('auth_denied', 0, { pattern: 'http_401' })), credential(true))).toHaveLength(3);
  });
});

describe('access that a line of the log speaks of', () => {
  const lines = [symptomOf('auth_expired'), symptomOf('auth_denied', 0, { pattern: 'x/401' })];
  const names = (how: Partial<SourceSample>) => holding({ ...probed(how), symptoms: lines });

  it.each(['refused', 'timeout', 'dns', 'reset', 'unreachable'] as const)(
    'is not the trouble while the probe of the source fails with %s: nothing refuses there',
    (failure) => {
      expect(names({ failure })).toEqual(['Unavailable']);
    },
  );

  it('is not the trouble then although the credentials fail, too, and is once the source answers', () => {
    const held = (how: Partial<SourceSample>) =>
      ask(rows.upstreamAuthExpired, { ...probed(how), symptoms: lines }, credential(false)) !== undefined;
    expect([held({ failure: 'refused' }), held({ failure: 'http_status', status: 403 })]).toEqual([false, true]);
  });

  it('is the trouble where the source answers, or nobody has looked at it', () => {
    expect(names({ failure: 'http_status', status: 500 })).toEqual(['AuthExpired', 'Unavailable', 'UrlExpired']);
    expect(names({ failure: 'truncated' })).toEqual(['AuthExpired', 'Unavailable', 'UrlExpired']);
    expect(holding(reported(...lines))).toEqual(['AuthExpired', 'UrlExpired']);
  });
});

describe('an address ran out', () => {
  const url = (given: Given) => {
    const { because, symptom, against } = ask(rows.upstreamUrlExpired, given)!;
    return [because, symptom, against];
  };
  const never = { output: unread(3, {}, { everChanged: false }) };

  it('after a good read, by its source’s answer or by the log', () => {
    expect(url(status(403))).toEqual(['the source refuses after a good read (403)', 'auth_denied', undefined]);
    expect(url(reported(symptomOf('auth_expired')))).toEqual([
      'the source refuses after a good read (by the log)',
      'auth_expired',
      undefined,
    ]);
    expect(
      gist(ask(rows.upstreamUrlExpired, reported(symptomOf('auth_expired'), symptomOf('auth_denied')))).slice(1, 3),
    ).toEqual(['log: auth_denied, 1 in 60 s', 'log: auth_expired, 1 in 60 s']);
  });

  it('is less sure where nothing was ever read', () => {
    expect(url({ ...status(410), ...never })).toEqual(['the source refuses (410)', 'auth_denied', 1]);
    expect(url({ ...status(410), output: undefined })).toEqual(['the source refuses (410)', 'auth_denied', 1]);
    const read = { ...status(410), ...never };
    expect(url({ ...read, source: { ...read.source!, lastOkMs: NOW - 99_000 } })[2]).toBeUndefined();
    expect(url({ ...reported(symptomOf('auth_denied')), ...never })[2]).toBe(1);
    expect(url({ ...reported(symptomOf('auth_denied')), ...never, source: source() })[2]).toBe(1);
  });
});
