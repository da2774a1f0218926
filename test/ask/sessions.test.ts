import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { messageOf, newSession } from '../../src/ask/message.ts';
import { FileSessionStore } from '../../src/ask/sessions.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { withShortFiles } from '../support/limited_process.ts';
import { aStamp } from './support.ts';

function aStore() {
  const directory = join(temporaryDirectory(), 'sessions');
  return { directory, store: new FileSessionStore(directory) };
}
const aSession = () => {
  const stamp = aStamp();
  const session = newSession(stamp);
  session.messages.push(messageOf(stamp, 'user', 'why?'), messageOf(stamp, 'assistant', 'Because [inc-81].'));
  return session;
};

describe('Session persistence', () => {
  it('writes the documented JSON, readable by its owner alone, and reads the same back', () => {
    const { directory, store } = aStore();
    const session = aSession();
    store.save(session, 'night');
    const path = join(directory, 'night.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      id: session.id,
      created_at: 1_767_225_600,
      messages: session.messages.map(({ role, content, id, timestamp }) => ({ role, content, id, timestamp })),
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(store.load('night')).toEqual(session);
    expect(readdirSync(directory)).toEqual(['night.json']);
  });

  it('is not written over by half of the next, where the disk is full', () => {
    const { directory, store } = aStore();
    const session = aSession();
    store.save(session, 'night');
    const { stdout, stderr } = withShortFiles(
      { FileSessionStore: 'src/ask/sessions.ts' },
      `const store = new FileSessionStore(${JSON.stringify(directory)});
       const session = store.load('night');
       session.messages.push({ ...session.messages[0], content: 'x'.repeat(8_000) });
       try { store.save(session, 'night'); } catch ({ code, message }) { console.log(code, message); }`,
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^USAGE the session night was not saved: EFBIG/);
    expect(store.load('night')).toEqual(session);
    expect(readdirSync(directory)).toEqual(['night.json']);
  });

  it('keeps the id of a session under another name', () => {
    const { store } = aStore();
    const session = aSession();
    store.save(session, 'one');
    store.save(store.load('one'), 'two');
    expect(store.load('two').id).toBe(session.id);
    expect(store.list()).toEqual(['one', 'two']);
  });

  it('breaks nothing when the directory is gone: the next save makes it again', () => {
    const { directory, store } = aStore();
    store.save(aSession(), 'one');
    rmSync(directory, { recursive: true });
    expect(store.list()).toEqual([]);
    store.save(aSession(), 'one');
    expect(store.list()).toEqual(['one']);
  });

  it('says which file is missing, and refuses one that holds no session', () => {
    const { directory, store } = aStore();
    expect(() => store.load('foo')).toThrow(/there is no session foo .*foo\.json/);
    store.save(aSession(), 'foo');
    for (const text of ['{', '{}', JSON.stringify({ ...aSession(), messages: [{ role: 'system', content: 'x' }] })]) {
      writeFileSync(join(directory, 'foo.json'), text);
      expect(() => store.load('foo')).toThrow('holds no session');
    }
  });

  it.each(['../up', 'a/b', '', '.hidden', 'a'.repeat(65), 'a\u0000b'])('refuses the name %j', (name) => {
    const { store } = aStore();
    expect(() => store.save(aSession(), name)).toThrow("a session's name");
    expect(() => store.load(name)).toThrow("a session's name");
  });

  it('says so when it cannot be written, and leaves nothing half written', () => {
    const { directory, store } = aStore();
    mkdirSync(join(directory, 'one.json', 'in-the-way'), { recursive: true });
    expect(() => store.save(aSession(), 'one')).toThrow('the session one was not saved');
    expect(readdirSync(directory)).toEqual(['one.json']);
  });
});
