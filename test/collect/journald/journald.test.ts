import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createJournald, entryOf } from '../../../src/collect/journald/journald.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { aJournal, canJournal } from '../../support/journald.ts';
import { aFeed } from '../support/feeding.ts';
import { aDirectory } from '../support/tailing.ts';

const entry = (message: unknown, at: number, more: object = {}) =>
  JSON.stringify({
    __CURSOR: `s=abc;i=${at}`,
    __REALTIME_TIMESTAMP: String(at * 1_000),
    __MONOTONIC_TIMESTAMP: '1',
    _HOSTNAME: 'box',
    SYSLOG_IDENTIFIER: 'encoder',
    _PID: '42',
    _SYSTEMD_UNIT: 'encoder@news.service',
    PRIORITY: '3',
    MESSAGE: message,
    ...more,
  });

/** A program that stands in for journalctl: writes down how it was called, prints, then waits or ends. */
function aJournalctl(lines: readonly string[], then = 'exec sleep 60') {
  const folder = aDirectory();
  const program = join(folder, 'journalctl');
  writeFileSync(join(folder, 'lines'), lines.map((line) => `${line}\n`).join(''));
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$*" >> ${folder}/calls\ncat ${folder}/lines\n${then}\n`);
  chmodSync(program, 0o755);
  return { folder, program, calls: () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') };
}

function follow(program: string, cursorFile: string, units: readonly string[] = []) {
  const fed = aFeed();
  const reports: string[] = [];
  const journald = createJournald({
    ...{ program, units, cursorFile, feed: fed.feed, clock: systemClock },
    channelOf: ({ unit }) => /^encoder@(.*)\.service$/.exec(unit ?? '')?.[1],
    report: (because) => reports.push(because),
  });
  onTestFinished(() => journald[Symbol.asyncDispose]());
  journald.start();
  return { ...fed, journald, reports };
}

describe("an entry of systemd's journal", () => {
  it('becomes the line that journalctl would show, with its time', () => {
    expect(entryOf(entry('it broke', 1_767_225_600_123))).toEqual({
      cursor: 's=abc;i=1767225600123',
      at: 1_767_225_600_123,
      unit: 'encoder@news.service',
      identifier: 'encoder',
      line: '2026-01-01T00:00:00.123Z box encoder[42]: it broke',
    });
  });

  it.each([
    ['of a death', { _PID: '1', _UID: '0', _SYSTEMD_UNIT: 'init.scope', UNIT: 'encoder@news.service' }],
    [
      'of a core dump',
      { _UID: '0', _SYSTEMD_UNIT: 'systemd-coredump@1.service', COREDUMP_UNIT: 'encoder@news.service' },
    ],
    ['logged for it', { _UID: '0', _SYSTEMD_UNIT: 'x.service', OBJECT_SYSTEMD_UNIT: 'encoder@news.service' }],
  ])('%s is about the unit that systemd names', (_, fields) => {
    expect(entryOf(entry('encoder@news.service: Main process exited', 1, fields))?.unit).toBe('encoder@news.service');
  });

  it('is not about a unit that anybody else names', () => {
    const fields = { UNIT: 'a.service', COREDUMP_UNIT: 'b.service', OBJECT_SYSTEMD_UNIT: 'c.service', _UID: '1000' };
    expect(entryOf(entry('it broke', 1, fields))?.unit).toBe('encoder@news.service');
  });

  it('may hold bytes that are no text, no message at all, or a field twice', () => {
    expect(entryOf(entry([104, 105, 255], 1))?.line).toMatch(/: hi\ufffd$/);
    expect(entryOf(entry(null, 1))?.line).toMatch(/encoder\[42\]: $/);
    expect(entryOf(entry(['first', 'second'], 1))?.line).toMatch(/: first$/);
  });

  it.each(['', 'text', '{}', '[]', 'null', '{"MESSAGE":"x"}'])('%j is none', (text) => {
    expect(entryOf(text)).toBeUndefined();
  });
});

describe('an entry that no journal writes', () => {
  it('has no time past the last moment of a date, and no text in lists of lists of lists', () => {
    const entryAt = (time: string) =>
      entryOf(JSON.stringify({ __CURSOR: 's=1', __REALTIME_TIMESTAMP: time, MESSAGE: 'x' }));
    expect(entryAt('8640000000000000000')?.at).toBe(8_640_000_000_000_000);
    expect(entryAt('8640000000000002000')?.at).toBeUndefined();
    expect(entryAt('1e300')).toMatchObject({ at: undefined, line: 'unknown: x' });
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(entryOf(`{"__CURSOR":"s=1","MESSAGE":${deep}}`)?.line).toBe('unknown: ');
  });
});

describe('following the journal', () => {
  it('begins now, gives each line its channel, and goes on after its last line when it is started again', async () => {
    const now = Date.now() + 1_000;
    const { program, folder, calls } = aJournalctl([
      entry('one', now),
      entry('two', now + 1, { _SYSTEMD_UNIT: 'x.service' }),
    ]);
    const cursorFile = join(folder, 'cursor');
    const first = follow(program, cursorFile, ['encoder@news.service']);
    await vi.waitFor(() => expect(first.seen.length).toBe(2), { timeout: 30_000 });
    expect(first.seen.map(({ channel, backlog }) => [channel, backlog])).toEqual([
      ['news', false],
      [undefined, false],
    ]);
    await vi.waitFor(() => expect(existsSync(cursorFile)).toBe(true), { timeout: 30_000 });
    await first.journald[Symbol.asyncDispose]();
    const second = follow(program, cursorFile);
    await vi.waitFor(() => expect(second.seen.length).toBe(2), { timeout: 30_000 });
    expect(calls()).toEqual([
      '--output=json --all --follow --no-pager --lines=0 --unit=encoder@news.service',
      `--output=json --all --follow --no-pager --after-cursor=s=abc;i=${now + 1}`,
    ]);
  });

  it('what was written before it was opened is evidence of nothing', async () => {
    const { program, folder } = aJournalctl([entry('old', Date.now() - 60_000)]);
    const { seen } = follow(program, join(folder, 'cursor'));
    await vi.waitFor(() => expect(seen.map(({ backlog }) => backlog)).toEqual([true]), { timeout: 30_000 });
  });

  it('takes what is no entry as a line of its own, and a broken cursor file for none', async () => {
    const { program, folder, calls } = aJournalctl(['-- Boot abc --', entry('one', Date.now())]);
    writeFileSync(join(folder, 'cursor'), 'not a cursor; rm -rf\n/');
    const { texts } = follow(program, join(folder, 'cursor'));
    await vi.waitFor(() => expect(texts().length).toBe(2), { timeout: 30_000 });
    expect(texts()[0]).toBe('-- Boot abc --');
    expect(calls()[0]).toMatch(/--lines=0$/);
  });

  it('says why when the program ends, and starts it again', async () => {
    const { program, folder, calls } = aJournalctl([], 'echo "No journal files were found." >&2; exit 1');
    const { reports } = follow(program, join(folder, 'cursor'));
    await vi.waitFor(() => expect(calls().length).toBe(2), { timeout: 30_000 });
    expect(reports[0]).toMatch(/ended with 1; it is started again in 1 s: No journal files were found\./);
  });
});

describe('a cursor that journalctl refuses', () => {
  const refusing = `case "$*" in *--after-cursor*) echo "Failed to seek to cursor: Invalid argument" >&2; exit 1;; esac`;

  it('is given up after one try, and said: else the journal would not be read until a person comes', async () => {
    const { program, folder, calls } = aJournalctl([], `${refusing}; exec sleep 60`);
    const cursorFile = join(folder, 'cursor');
    writeFileSync(cursorFile, 's=damaged\n');
    const { reports } = follow(program, cursorFile);
    await vi.waitFor(() => expect(calls().length).toBe(2), { timeout: 30_000 });
    expect(calls().map((call) => call.split(' ').at(-1))).toEqual(['--after-cursor=s=damaged', '--lines=0']);
    expect(reports).toEqual([
      `the cursor in ${cursorFile} is damaged: the journal is read from its end on, and what came before is not`,
      expect.stringMatching(/ended with 1; it is started again in 1 s: Failed to seek to cursor/),
    ]);
  });

  it('does not speak for the next end of the program', async () => {
    const then = `${refusing}; cat "$(dirname "$0")/entry"; exit 1`;
    const { program, folder, calls } = aJournalctl([], then);
    writeFileSync(join(folder, 'entry'), `${entry('one', Date.now())}\n`);
    writeFileSync(join(folder, 'cursor'), 's=damaged\n');
    const { reports } = follow(program, join(folder, 'cursor'));
    await vi.waitFor(() => expect(calls().length).toBe(3), { timeout: 30_000 });
    expect(calls().map((call) => call.split(' ').at(-1))[1]).toBe('--lines=0');
    expect(reports[2]).toMatch(/ended with 1; it is started again in 2 s$/);
  });
});

describe.skipIf(!canJournal)('a real systemd-journald (needs root and the package systemd)', () => {
  it('is read from its end on where the cursor is damaged', async ({ skip }) => {
    const journal = await aJournal(skip);
    const cursorFile = join(journal.folder, 'cursor');
    writeFileSync(cursorFile, 's=damaged\n');
    const found = follow(journal.program, cursorFile);
    await vi.waitFor(
      () => {
        journal.write('are you there?');
        expect(found.texts().at(-1)).toMatch(/: are you there\?$/);
      },
      { timeout: 30_000, interval: 200 },
    );
    expect(found.reports[0]).toContain(`the cursor in ${cursorFile} is damaged`);
  });

  it('is followed; what it took before it was followed comes first afterwards, and nothing comes twice', async ({
    skip,
  }) => {
    const journal = await aJournal(skip);
    const cursorFile = join(journal.folder, 'cursor');
    const first = follow(journal.program, cursorFile);
    // Until it follows, nobody can say from where: the first line that comes through is the beginning.
    await vi.waitFor(
      () => {
        journal.write('are you there?');
        expect(first.texts().length).toBeGreaterThan(0);
      },
      { timeout: 30_000, interval: 200 },
    );
    journal.write('one');
    await vi.waitFor(() => expect(first.texts().at(-1)).toMatch(/ encoder\[\d+\]: one$/), { timeout: 30_000 });
    await vi.waitFor(() => expect(existsSync(cursorFile)).toBe(true), { timeout: 30_000 });
    await first.journald[Symbol.asyncDispose]();

    journal.write('while you were away');
    journal.rotate();
    journal.write('in the next file');
    const second = follow(journal.program, cursorFile);
    await vi.waitFor(() => expect(second.texts().length).toBeGreaterThan(1), { timeout: 30_000 });
    journal.write('and now');
    await vi.waitFor(() => expect(second.texts().at(-1)).toMatch(/: and now$/), { timeout: 30_000 });
    const texts = second.texts().flatMap((text) => / encoder\[\d+\]: (.*)$/.exec(text)?.[1] ?? []);
    expect(texts.filter((each) => each !== 'are you there?')).toEqual([
      'while you were away',
      'in the next file',
      'and now',
    ]);
    expect(second.reports).toEqual([]);
  });

  it('gives a long message whole', async ({ skip }) => {
    const journal = await aJournal(skip);
    const found = follow(journal.program, join(journal.folder, 'cursor'));
    await vi.waitFor(
      () => {
        journal.write('are you there?');
        expect(found.texts().length).toBeGreaterThan(0);
      },
      { timeout: 30_000 },
    );
    journal.write(`${'x'.repeat(6_000)} the end of it`);
    await vi.waitFor(() => expect(found.texts().at(-1)).toMatch(/x{6000} the end of it$/), { timeout: 10_000 });
  });
});
