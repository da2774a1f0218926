import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFrom } from '../../src/journal/at_rest.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { reeve } from '../support/rig.ts';

const isRoot = process.getuid?.() === 0;
const RIGHTS = '-dac_override,-dac_read_search';
const BOUNDED = ['/usr/bin/setpriv', `--bounding-set=${RIGHTS}`, `--inh-caps=${RIGHTS}`] as const;
const FROZEN = '{"because":"a test","type":"control.frozen","who":"ann"}';

describe('a journal where nothing can be written', () => {
  let state: string;
  let journal: string;
  beforeEach(() => {
    state = join(mkdtempSync(join(tmpdir(), 'reeve-at-rest-')), 'state');
    mkdirSync(state, { mode: 0o700 });
    journal = join(state, 'journal.db');
    const store = SqliteStore.open(journal);
    store.append([
      {
        ...{ seq: 1, at: 1, monoMs: 1, boot: 'b', type: 'control.frozen', body: FROZEN, hash: 'none' },
        ...{ channel: undefined, incident: undefined, run: undefined },
      },
    ]);
    store.close();
  });
  afterEach(() => {
    chmodSync(state, 0o700);
    rmSync(join(state, '..'), { recursive: true });
  });

  /** As a user to whom the modes of files apply: they do not to root, unless that right is taken away. */
  const bounded = (...args: readonly string[]) =>
    reeve([...args, '--state', state], { ...process.env, TMPDIR: join(state, '..') }, isRoot ? BOUNDED : []);

  it.skipIf(isRoot && !existsSync(BOUNDED[0]))(
    'is read as one that does not change, and not where somebody may have it open (as root it needs setpriv)',
    async () => {
      chmodSync(state, 0o555);
      const exported = await bounded('audit', 'export');
      expect(exported).toMatchObject({ code: 0, stderr: '' });
      expect(exported.stdout).toContain('"hash":"none"');
      const verified = await bounded('audit', 'verify');
      expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining('broken at record 1') });
      chmodSync(state, 0o700);
      writeFileSync(`${journal}-wal`, '');
      chmodSync(state, 0o555);
      const refused = await bounded('audit', 'export');
      expect(refused).toMatchObject({ code: 74, stdout: '' });
      expect(refused.stderr).toContain(
        'A copy with a -wal beside it is read where it can be written: copy both there.',
      );
    },
  );

  it.skipIf(isRoot && !existsSync(BOUNDED[0]))(
    'is exported as a dataset, with a memory that is made elsewhere and leaves nothing behind',
    async () => {
      const config = join(state, '..', 'service', 'config', 'reeve.yaml');
      await reeve(['init', join(state, '..', 'service')]);
      const there = () => [readdirSync(state), readdirSync(join(state, '..'))];
      const expectExport = async () => {
        chmodSync(state, 0o555);
        const before = there();
        expect(await bounded('dataset', 'export', '--config', config)).toMatchObject({ code: 0 });
        expect(there()).toEqual(before);
        chmodSync(state, 0o700);
      };
      await expectExport();
      await bounded('memory', 'list');
      chmodSync(join(state, 'memory.db'), 0o400);
      await expectExport();
    },
  );

  it('is read from its path wherever files can be made beside it', () => {
    expect(readFrom(journal)).toBe(journal);
    expect(readFrom('/proc/1/journal.db')).toEqual(new URL(`${pathToFileURL('/proc/1/journal.db')}?immutable=1`));
  });
});
