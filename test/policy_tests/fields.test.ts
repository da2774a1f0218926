import { describe, expect, it } from 'vitest';
import { agoField, scopeField, spanField, toolField } from '../../src/policy_tests/fields.ts';

const issueOf = (result: {
  readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined;
}) => result.error?.issues[0]?.message;

describe('a time before now', () => {
  it.each([
    ['20s ago', 20_000],
    ['29999ms ago', 29_999],
    ['0s ago', 0],
    [' 5m ago ', 300_000],
  ])('%s is taken', (text, ms) => expect(agoField('x').safeParse(text).data).toBe(ms));

  it.each(['20s', '20 s ago', 'ago', '20s ago today', 20, undefined])('%j is refused', (text) =>
    expect(issueOf(agoField('x').safeParse(text))).toContain('expected a time such as 20s ago'),
  );

  it.each(['20 ago', '-20s ago', 'never ago'])('%j is refused as a duration', (text) =>
    expect(issueOf(agoField('x').safeParse(text))).toContain('expected a duration'),
  );
});

describe('a stretch of time', () => {
  it('may be none, unlike a duration of the configuration', () => {
    expect(spanField('x').safeParse('0s').data).toBe(0);
    expect(spanField('x').safeParse('60s').data).toBe(60_000);
  });

  it.each([0, '0', 'off', '1h30m'])('%j is refused', (text) =>
    expect(spanField('x').safeParse(text).success).toBe(false),
  );
});

describe('a scope', () => {
  it.each([
    ['channel:news', { kind: 'channel', id: 'news' }],
    ['news', { kind: 'channel', id: 'news' }],
    ['group:pull', { kind: 'group', id: 'pull' }],
    ['engine:local', { kind: 'engine', id: 'local' }],
    ['fleet', { kind: 'fleet' }],
  ])('%s is taken', (text, scope) => expect(scopeField('x').safeParse(text).data).toEqual(scope));

  it.each(['planet:earth', '', 7])('%j is refused', (text) =>
    expect(issueOf(scopeField('x').safeParse(text))).toContain('expected a scope'),
  );
});

describe('a tool', () => {
  it('is named by its name', () => expect(toolField('x').safeParse('restart_channel').data).toBe('restart_channel'));

  it.each(['reboot', '', 7])('%j is refused', (text) =>
    expect(issueOf(toolField('x').safeParse(text))).toContain('expected the name of a tool'),
  );
});
