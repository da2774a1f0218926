import { describe, expect, it } from 'vitest';
import { emailDocument } from '../../../../src/escalate/receivers/email/schema.ts';

const isSound = (more: object) =>
  emailDocument.safeParse({
    ...{ id: 'mail', kind: 'email', host: 'mail.example.org', from: 'reeve@example.org', to: ['ann@example.org'] },
    ...more,
  }).success;
const login = { username: 'reeve', password_env: 'PW' };

describe('a mailbox as a receiver', () => {
  it('has one to sixteen addresses', () => {
    expect(isSound({})).toBe(true);
    const many = Array.from({ length: 17 }, (_, n) => `a${n}@example.org`);
    expect([isSound({ to: [] }), isSound({ to: many.slice(1) }), isSound({ to: many })]).toEqual([false, true, false]);
    for (const from of ['ann', 'ann@', '@example.org', 'Ann <ann@example.org>', 'a@b, c@d']) {
      expect([from, isSound({ from })]).toEqual([from, false]);
    }
  });

  it('takes a user and a password together, from a variable or from a file', () => {
    expect(isSound(login)).toBe(true);
    expect(isSound({ username: 'reeve', password_file: 'pw' })).toBe(true);
    expect(isSound({ username: 'reeve' })).toBe(false);
    expect(isSound({ password_env: 'PW' })).toBe(false);
  });

  it('sends a password without TLS to this machine only', () => {
    expect(isSound({ ...login, tls: 'none' })).toBe(false);
    expect(isSound({ ...login, tls: 'none', host: '127.0.0.1' })).toBe(true);
    expect(isSound({ ...login, tls: 'none', host: 'localhost.example' })).toBe(false);
    expect(isSound({ tls: 'none' })).toBe(true);
  });
});
