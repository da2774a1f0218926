import { describe, expect, it } from 'vitest';
import { commandEngineDocument } from '../../../src/engine/command/schema.ts';

const list = { argv: ['/usr/bin/list'], fields: { name: '/name' } };
const status = { argv: ['/usr/bin/status', '{channel}'], states: [] };
const isSound = (written: object) => commandEngineDocument.safeParse({ id: 'c', kind: 'command', ...written }).success;

describe('an engine that is worked by programs', () => {
  it('is looked at by a list or channel by channel, and not by both or neither', () => {
    expect([{ list }, { status }, { list, status }, {}].map(isSound)).toEqual([true, true, false, false]);
  });

  it('names its programs by their full path, and a channel as an argument of its own', () => {
    const restart = (...argv: string[]) => isSound({ list, restart: { argv } });
    expect(restart('/usr/bin/restart', '{channel}')).toBe(true);
    expect(restart('restart', '{channel}')).toBe(false);
    expect(restart('/bin/sh', '-c', 'restart {channel}')).toBe(false);
  });

  it('changes nothing that it cannot verify', () => {
    const refresh = { argv: ['/usr/bin/refresh'] };
    expect(isSound({ list, refresh })).toBe(false);
    expect(isSound({ list, refresh, credentials: { argv: ['/usr/bin/check'] } })).toBe(true);
  });
});
